public import OfferModel

public struct ActivePause: Sendable, Hashable {
    public var offerId: OfferId?
    public var actor: String
    public var pausedAt: Instant
}

struct PauseRow: LedgerRecord {
    static var ledger: LedgerTable { .pause }

    var sequence: Int64
    var scope: ScopeNumber
    /// Absent for every offer.
    var offer: OfferId?
    var actor: String
    var pausedAt: Instant
    var resumedAt: Instant?
    var resumedBy: String?

    static let blank = PauseRow(sequence: 0, scope: .blank, actor: "", pausedAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("offer_id", &offer, .fixed("CHECK (length(offer_id) > 0)"))
        try columns("actor", &actor, .fixed)
        try columns("paused_at", &pausedAt, .fixed)
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
            SELECT offer_id, actor, paused_at FROM pause
            WHERE scope_id = ?1 AND resumed_at IS NULL ORDER BY sequence
            """, scope
        ).map(ActivePause.init)
    }

    /// The pauses that were in force at an earlier instant, those ended since included.
    ///
    /// Each half has an index: the pauses without an end, and those that ended later. One condition with OR has none.
    public func active(in scope: ScopeNumber, at instant: Instant) throws -> [ActivePause] {
        let pauses: [(OfferId?, String, Instant, Int64)] = try transaction.all(
            """
            SELECT offer_id, actor, paused_at, sequence FROM pause
            WHERE scope_id = ?1 AND resumed_at IS NULL AND paused_at <= ?2
            UNION ALL
            SELECT offer_id, actor, paused_at, sequence FROM pause
            WHERE scope_id = ?1 AND resumed_at > ?2 AND paused_at <= ?2
            ORDER BY sequence
            """, scope, instant)
        return pauses.map { offer, actor, pausedAt, _ in ActivePause(offerId: offer, actor: actor, pausedAt: pausedAt) }
    }

    /// - Parameter offer: `nil` for every offer.
    /// - Returns: whether it was not paused before.
    public func pause(_ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        guard try !active(in: scope).contains(where: { $0.offerId == offer }) else { return false }
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
            WHERE scope_id = ?1 AND COALESCE(offer_id, '') = COALESCE(?2, '') AND resumed_at IS NULL
            RETURNING sequence
            """, scope, offer, now, actor)
        guard let changed else { return false }
        try transaction.audit().record(
            .resume, at: now, in: scope, before: ["resumedAt": Int64?.none, "resumedBy": String?.none],
            after: ["pause": changed, "offerId": offer, "resumedAt": now, "resumedBy": actor])
        try ScopeStore(transaction).advanceGeneration(of: scope)
        return true
    }
}
