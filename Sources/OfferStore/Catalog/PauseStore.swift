public import OfferModel

public struct ActivePause: Sendable, Hashable {
    public var offerId: OfferId?
    public var actor: String
    public var pausedAt: Instant
    /// Until when new uses of limited offers are paused after a restore; absent for the kill switch.
    public var endsAt: Instant?

    public var isOfEveryOffer: Bool { offerId == nil && endsAt == nil }
}

struct PauseRow: LedgerRecord {
    static var ledger: LedgerTable { .pause }

    var sequence: Int64
    var scope: ScopeNumber
    /// Absent for every offer, and for every limited offer.
    var offer: OfferId?
    var actor: String
    var pausedAt: Instant
    /// Set if it is of new uses of limited offers alone.
    var endsAt: Instant?
    var resumedAt: Instant?
    var resumedBy: String?

    static let blank = PauseRow(sequence: 0, scope: .blank, actor: "", pausedAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("offer_id", &offer, .fixed("CHECK (length(offer_id) > 0)"))
        try columns("actor", &actor, .fixed)
        try columns("paused_at", &pausedAt, .fixed)
        try columns("ends_at", &endsAt, .fixed("CHECK (ends_at IS NULL OR offer_id IS NULL)"))
        try columns("resumed_at", &resumedAt, .state("resumedAt"))
        try columns("resumed_by", &resumedBy, .state("resumedBy"))
    }
}

/// The kill switch: pauses outside the catalog, of single offers and of all, independent of each other
/// (docs/design.md#decisions).
public struct PauseStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func active(in scope: ScopeNumber) throws -> [ActivePause] {
        try transaction.all(
            """
            SELECT offer_id, actor, paused_at, ends_at FROM pause
            WHERE scope_id = ?1 AND resumed_at IS NULL ORDER BY sequence
            """, scope
        ).map(ActivePause.init)
    }

    /// The pauses that were in force at an earlier instant, those ended since included.
    ///
    /// Each half has an index: the pauses without an end, and those that ended later. One condition with OR has none.
    public func active(in scope: ScopeNumber, at instant: Instant) throws -> [ActivePause] {
        let pauses: [(OfferId?, String, Instant, Instant?, Int64)] = try transaction.all(
            """
            SELECT offer_id, actor, paused_at, ends_at, sequence FROM pause
            WHERE scope_id = ?1 AND resumed_at IS NULL AND paused_at <= ?2
            UNION ALL
            SELECT offer_id, actor, paused_at, ends_at, sequence FROM pause
            WHERE scope_id = ?1 AND resumed_at > ?2 AND paused_at <= ?2
            ORDER BY sequence
            """, scope, instant)
        return pauses.map { ActivePause(offerId: $0.0, actor: $0.1, pausedAt: $0.2, endsAt: $0.3) }
    }

    /// - Parameter offer: `nil` for every offer.
    /// - Returns: whether it was not paused before.
    public func pause(_ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        guard try !active(in: scope).contains(where: { $0.offerId == offer && $0.endsAt == nil }) else { return false }
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            .pause, PauseRow(sequence: sequence, scope: scope, offer: offer, actor: actor, pausedAt: now), at: now,
            in: scope, after: ["pause": sequence, "offerId": offer])
        try ScopeStore(transaction).advanceGeneration(of: scope)
        return true
    }

    /// Ends the pause of an offer, or that of every offer; the row of it stays.
    ///
    /// - Parameter offer: `nil` for every offer.
    public func resume(_ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        let changed: Int64? = try transaction.first(
            """
            UPDATE pause SET resumed_at = ?3, resumed_by = ?4
            WHERE scope_id = ?1 AND COALESCE(offer_id, '') = COALESCE(?2, '') AND ends_at IS NULL
                AND resumed_at IS NULL
            RETURNING sequence
            """, scope, offer, now, actor)
        guard let changed else { return false }
        try recordEnd(of: changed, offer, actor: actor, at: now, in: scope)
        return true
    }

    private func recordEnd(
        of pause: Int64, _ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber
    ) throws {
        try transaction.audit().record(
            .resume, at: now, in: scope, before: ["resumedAt": Int64?.none, "resumedBy": String?.none],
            after: ["pause": pause, "offerId": offer, "resumedAt": now, "resumedBy": actor])
        try ScopeStore(transaction).advanceGeneration(of: scope)
    }

    /// How long a signature may be redeemed, and its issued offer counts.
    public static let longestOfLimited = Offer.signatureLife + Offer.countingTail

    /// Pauses new uses of limited offers until an instant, because uses may be missing; replaces another such pause.
    public func pauseLimited(until end: Instant, actor: String, at now: Instant, in scope: ScopeNumber) throws {
        _ = try resumeLimited(actor: actor, at: now, in: scope)
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            .pause, PauseRow(sequence: sequence, scope: scope, actor: actor, pausedAt: now, endsAt: end), at: now,
            in: scope, after: ["pause": sequence, "endsAt": end])
        try ScopeStore(transaction).advanceGeneration(of: scope)
    }

    /// Ends pauses of limited offers as late as one that begins now: a clock had run ahead when they began.
    public func shortenLimited(to now: Instant, actor: String) throws {
        let end = now.adding(milliseconds: Self.longestOfLimited)
        for scope in try ScopeStore(transaction).all() {
            guard try active(in: scope).contains(where: { $0.endsAt.map { end < $0 } ?? false }) else { continue }
            try pauseLimited(until: end, actor: actor, at: now, in: scope)
        }
    }

    /// Records, in every scope, that pauses of limited offers have ended by an instant.
    public func endPassed(at now: Instant, actor: String) throws {
        let scopes: [ScopeNumber] = try transaction.all(
            "SELECT DISTINCT scope_id FROM pause WHERE ends_at <= ?1 AND resumed_at IS NULL ORDER BY scope_id", now)
        for scope in scopes { _ = try resumeLimited(endedBy: now, actor: actor, at: now, in: scope) }
    }

    /// Ends the pauses of limited offers.
    ///
    /// - Parameter end: only those that end by themselves by this instant.
    /// - Returns: how many ended.
    public func resumeLimited(
        endedBy end: Instant? = nil, actor: String, at now: Instant, in scope: ScopeNumber
    ) throws -> Int {
        let ended: [Int64] = try transaction.all(
            """
            UPDATE pause SET resumed_at = ?2, resumed_by = ?3
            WHERE scope_id = ?1 AND ends_at <= ?4 AND resumed_at IS NULL
            RETURNING sequence
            """, scope, now, actor, end ?? .distantFuture)
        for pause in ended { try recordEnd(of: pause, nil, actor: actor, at: now, in: scope) }
        return ended.count
    }
}
