public import OfferModel

/// One pause in force.
public struct ActivePause: Sendable, Hashable {
    /// The offer; `nil` for every offer.
    public var offerId: OfferId?
    /// The id of the API key that paused.
    public var actor: String
    /// Since when.
    public var pausedAt: Instant
}

/// The kill switch: pauses outside the catalog, of single offers and of all, independent of each other (DESIGN §6).
public struct PauseStore {
    private let transaction: any StoreTransaction

    /// The pauses as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The pauses in force.
    ///
    /// - Throws: ``StoreError``.
    public func active(in scope: ScopeNumber) throws -> [ActivePause] {
        try transaction.rows(
            Statement(
                """
                SELECT offer_id, actor, paused_at FROM pause
                WHERE scope_id = ?1 AND resumed_at IS NULL ORDER BY sequence
                """, scope)
        ).map { ActivePause(offerId: try $0.value(0), actor: try $0.value(1), pausedAt: try $0.value(2)) }
    }

    /// The pauses that were in force at an earlier instant, those ended since included.
    ///
    /// Each half has an index: the pauses without an end, and those that ended later. One condition with OR has none.
    ///
    /// - Throws: ``StoreError``.
    public func active(in scope: ScopeNumber, at instant: Instant) throws -> [ActivePause] {
        try transaction.rows(
            Statement(
                """
                SELECT offer_id, actor, paused_at, sequence FROM pause
                WHERE scope_id = ?1 AND resumed_at IS NULL AND paused_at <= ?2
                UNION ALL
                SELECT offer_id, actor, paused_at, sequence FROM pause
                WHERE scope_id = ?1 AND resumed_at > ?2 AND paused_at <= ?2
                ORDER BY sequence
                """, scope, instant)
        ).map { ActivePause(offerId: try $0.value(0), actor: try $0.value(1), pausedAt: try $0.value(2)) }
    }

    /// Pauses an offer, or every offer.
    ///
    /// - Parameter offer: `nil` for every offer.
    /// - Returns: whether it was not paused before.
    /// - Throws: ``StoreError``.
    public func pause(_ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        guard try !active(in: scope).contains(where: { $0.offerId == offer }) else { return false }
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.execute(
            Statement(
                "INSERT INTO pause (sequence, scope_id, offer_id, actor, paused_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                sequence, scope, offer, actor, now))
        try ScopeStore(transaction).advanceGeneration(of: scope)
        return true
    }

    /// Ends the pause of an offer, or that of every offer; the row of it stays.
    ///
    /// - Parameter offer: `nil` for every offer.
    /// - Returns: whether it was paused.
    /// - Throws: ``StoreError``.
    public func resume(_ offer: OfferId?, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        let changed = try transaction.execute(
            Statement(
                """
                UPDATE pause SET resumed_at = ?3, resumed_by = ?4
                WHERE scope_id = ?1 AND COALESCE(offer_id, '') = COALESCE(?2, '') AND resumed_at IS NULL
                """, scope, offer, now, actor))
        guard changed > 0 else { return false }
        try ScopeStore(transaction).advanceGeneration(of: scope)
        return true
    }
}
