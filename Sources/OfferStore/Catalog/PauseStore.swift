public import OfferModel

/// A pause that was not lifted; its end may have passed (``isInForce(at:)``).
public struct ActivePause: Sendable, Hashable {
    /// What it keeps from being issued; never `none`.
    public var covers: Pause
    /// Only of a pause of one offer.
    public var offerId: OfferId?
    public var actor: String
    public var pausedAt: Instant
    /// The instant from which it is over, without anyone ending it; absent if someone has to.
    public var endsAt: Instant?
    public var reason: String?

    public func isInForce(at now: Instant) -> Bool { endsAt.map { now < $0 } ?? true }

    /// Whether a call for a pause would set the same end, and the same reason if it names one; an empty one is none.
    public func isSame(until end: Instant?, reason: String?) -> Bool {
        endsAt == end && (reason == nil || reason == self.reason ?? "")
    }

    /// Whether it is one of the kill switch, and not of what a restore may have forgotten.
    public var isOfKillSwitch: Bool { covers != .limitedOffers }
}

struct PauseRow: LedgerRecord {
    static var ledger: LedgerTable { .pause }

    var sequence: Int64
    var scope: ScopeNumber
    var covers: Pause
    var offer: OfferId?
    var actor: String
    var pausedAt: Instant
    var endsAt: Instant?
    var reason: String?
    var resumedAt: Instant?
    var resumedBy: String?

    static let blank = PauseRow(sequence: 0, scope: .blank, covers: .offer, actor: "", pausedAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("covers", &covers, .fixed("CHECK (covers IN ('offer', 'everyOffer', 'limitedOffers'))"))
        try columns("offer_id", &offer, .fixed("CHECK (length(offer_id) > 0)"))
        try columns("actor", &actor, .fixed)
        try columns("paused_at", &pausedAt, .fixed)
        try columns("ends_at", &endsAt, .fixed)
        try columns("reason", &reason, .erasable)
        try columns("resumed_at", &resumedAt, .state("resumedAt"))
        try columns("resumed_by", &resumedBy, .state("resumedBy"))
    }
}

extension Pause: Storable {}

/// The kill switch: pauses outside the catalog, of single offers and of all, independent of each other
/// (docs/design.md#decisions).
public struct PauseStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The pauses that were not lifted, those whose end has passed included.
    public func active(in scope: ScopeNumber) throws -> [ActivePause] {
        try transaction.all(
            """
            SELECT covers, offer_id, actor, paused_at, ends_at, reason FROM pause
            WHERE scope_id = ?1 AND resumed_at IS NULL ORDER BY sequence
            """, scope
        ).map(ActivePause.init)
    }

    /// The pauses that were in force at an earlier instant, those ended since included.
    ///
    /// Each half has an index: the pauses that were not lifted, and those that were later. One condition with OR has
    /// none.
    public func active(in scope: ScopeNumber, at instant: Instant) throws -> [ActivePause] {
        let columns = "covers, offer_id, actor, paused_at, ends_at, reason, sequence"
        let pauses: [(Pause, OfferId?, String, Instant, Instant?, String?, Int64)] = try transaction.all(
            """
            SELECT \(columns) FROM pause
            WHERE scope_id = ?1 AND resumed_at IS NULL AND paused_at <= ?2
            UNION ALL
            SELECT \(columns) FROM pause
            WHERE scope_id = ?1 AND resumed_at > ?2 AND paused_at <= ?2
            ORDER BY sequence
            """, scope, instant)
        return pauses.map {
            ActivePause(covers: $0.0, offerId: $0.1, actor: $0.2, pausedAt: $0.3, endsAt: $0.4, reason: $0.5)
        }
    }

    /// Pauses an offer, or every offer; the end and the reason replace those of a pause of the same that was not lifted.
    ///
    /// - Parameters:
    ///   - offer: `nil` for every offer.
    ///   - others: its former ids: what was paused under one of these is paused under its own id from then on.
    ///   - end: the instant from which it is over by itself; `nil` if it is to be lifted.
    ///   - reason: `nil` keeps that of a pause with the same end, an empty one removes it.
    /// - Returns: false if nothing was written: it is paused so already (``ActivePause/isSame(until:reason:)``).
    @discardableResult
    public func pause(
        _ offer: OfferId?, formerly others: [OfferId] = [], until end: Instant? = nil, reason: String? = nil,
        actor: String, at now: Instant, in scope: ScopeNumber
    ) throws -> Bool {
        let covers: Pause = offer == nil ? .everyOffer : .offer
        let present = try active(in: scope).filter { pause in
            pause.covers == covers && (pause.offerId == offer || pause.offerId.map(others.contains) == true)
        }
        let same = present.first { $0.isInForce(at: now) && $0.isSame(until: end, reason: reason) }
        if let same, same.offerId == offer, present.count == 1 { return false }
        for pause in present { _ = try resume(pause.offerId, actor: actor, at: now, in: scope) }
        let kept = reason ?? same?.reason
        try begin(covers, offer, until: end, reason: kept == "" ? nil : kept, actor: actor, at: now, in: scope)
        return true
    }

    private func begin(
        _ covers: Pause, _ offer: OfferId?, until end: Instant?, reason: String?, actor: String, at now: Instant,
        in scope: ScopeNumber
    ) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        var told: AuditValues = ["pause": sequence, "offerId": offer]
        if let end { told = told.merging(["endsAt": end]) }
        try transaction.insert(
            .pause,
            PauseRow(
                sequence: sequence, scope: scope, covers: covers, offer: offer, actor: actor, pausedAt: now,
                endsAt: end, reason: reason), at: now, in: scope, after: told)
        try ScopeStore(transaction).advanceGeneration(of: scope)
    }

    /// Ends the pause of an offer, or that of every offer; the row of it stays.
    ///
    /// - Parameter offer: `nil` for every offer.
    public func resume(_ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        let changed: Int64? = try transaction.first(
            """
            UPDATE pause SET resumed_at = ?3, resumed_by = ?4
            WHERE scope_id = ?1 AND COALESCE(offer_id, '') = COALESCE(?2, '') AND covers <> 'limitedOffers'
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
        try begin(.limitedOffers, nil, until: end, reason: nil, actor: actor, at: now, in: scope)
    }

    /// Ends pauses of limited offers as late as one that begins now: a clock had run ahead when they began.
    public func shortenLimited(to now: Instant, actor: String) throws {
        let end = now.adding(milliseconds: Self.longestOfLimited)
        for scope in try ScopeStore(transaction).all() {
            let isLonger = try active(in: scope).contains { pause in
                pause.covers == .limitedOffers && pause.endsAt.map { end < $0 } ?? false
            }
            if isLonger { try pauseLimited(until: end, actor: actor, at: now, in: scope) }
        }
    }

    /// Records, in every scope, that pauses have ended by an instant; those that it finds are no longer in force.
    public func endPassed(at now: Instant, actor: String) throws {
        let passed: [(Int64, ScopeNumber, OfferId?)] = try transaction.all(
            """
            UPDATE pause SET resumed_at = ?1, resumed_by = ?2 WHERE ends_at <= ?1 AND resumed_at IS NULL
            RETURNING sequence, scope_id, offer_id
            """, now, actor)
        for (pause, scope, offer) in passed.sorted(by: { $0.0 < $1.0 }) {
            try recordEnd(of: pause, offer, actor: actor, at: now, in: scope)
        }
    }

    /// Ends the pauses of limited offers.
    ///
    /// - Returns: how many ended.
    public func resumeLimited(actor: String, at now: Instant, in scope: ScopeNumber) throws -> Int {
        let ended: [Int64] = try transaction.all(
            """
            UPDATE pause SET resumed_at = ?2, resumed_by = ?3
            WHERE scope_id = ?1 AND covers = 'limitedOffers' AND resumed_at IS NULL
            RETURNING sequence
            """, scope, now, actor)
        for pause in ended { try recordEnd(of: pause, nil, actor: actor, at: now, in: scope) }
        return ended.count
    }
}
