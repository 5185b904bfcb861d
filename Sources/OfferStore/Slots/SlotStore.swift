public import OfferEligibility
public import OfferModel

/// Issued offers: at most one open slot per customer and offer (DESIGN §5.3).
public struct SlotStore {
    let transaction: any StoreTransaction

    /// Why a merge voids the newer of two open slots for one offer.
    public static let mergeReason = "the customer was proven to be one who has an open slot for this offer"

    /// The slots as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Notes which open slots of these customers have stopped counting, so that the next may be issued.
    ///
    /// - Returns: how many.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func settlePassed(of customers: [CustomerNumber], at now: Instant) throws -> Int {
        guard !customers.isEmpty else { return 0 }
        return try transaction.execute(
            Statement(
                """
                UPDATE issued_offer SET settled_at = ?1
                WHERE customer_id IN (\(Statement.placeholders(customers.count, after: 1)))
                AND voided_at IS NULL AND settled_at IS NULL AND counts_until <= ?1
                """, values: [now.storedValue] + customers.map(\.storedValue)))
    }

    /// Keeps a new slot, after settling those that have passed.
    ///
    /// - Parameters:
    ///   - customer: whose it is.
    ///   - subject: every customer it was decided for; their version moves on.
    /// - Throws: ``StoreError/constraint(_:)`` if the customer has an open slot for the offer, or the id is known.
    public func insert(
        _ slot: Slot, catalogRevision: Int64, for customer: CustomerNumber, subject: [CustomerNumber],
        in scope: ScopeNumber
    ) throws {
        try settlePassed(of: [customer], at: slot.issuedAt)
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.execute(
            Statement(
                Self.insertSQL,
                values: [
                    .integer(sequence), scope.storedValue, customer.storedValue, .integer(catalogRevision),
                    slot.id.storedValue, slot.offerId.storedValue, slot.offerIdentifier.storedValue,
                    slot.offerType.storedValue, slot.delivery.storedValue, slot.productId.storedValue,
                    slot.subscriptionGroupIdentifier.storedValue, StoredTextList(slot.tags).storedValue,
                    slot.issuedAt.storedValue, slot.expiresAt.storedValue, slot.countsUntil.storedValue,
                    slot.signings.storedValue, slot.voidedAt.storedValue, slot.isReleased.storedValue,
                    slot.settledAt.storedValue,
                ]))
        try CustomerStore(transaction).noteChange(sequence, of: Set(subject).union([customer]))
    }

    /// Notes one more signing of an open slot, which then lives and counts longer.
    ///
    /// - Parameter productId: the product of this signing; the slot's own if absent.
    /// - Returns: the number of the new signing; `nil` if the slot is not open any more.
    /// - Throws: ``StoreError``.
    public func addSigning(
        to id: LowercaseUUID, productId: ProductId? = nil, expiresAt: Instant, countsUntil: Instant, at now: Instant,
        subject: [CustomerNumber], in scope: ScopeNumber
    ) throws -> Int? {
        let row = try transaction.row(
            Statement(
                """
                UPDATE issued_offer SET signings = signings + 1, product_id = COALESCE(?6, product_id),
                    expires_at = CASE WHEN expires_at < ?3 THEN ?3 ELSE expires_at END,
                    counts_until = CASE WHEN counts_until < ?4 THEN ?4 ELSE counts_until END
                WHERE id = ?1 AND scope_id = ?2 AND voided_at IS NULL AND settled_at IS NULL AND counts_until > ?5
                RETURNING signings, customer_id
                """, id, scope, expiresAt, countsUntil, now, productId))
        guard let row else { return nil }
        let owner: CustomerNumber = try row.value(1)
        let sequence = try StoreClock(transaction).nextSequence()
        try CustomerStore(transaction).noteChange(sequence, of: Set(subject).union([owner]))
        return try row.value(0)
    }

    /// Stops further signatures of an open slot; it goes on counting unless it is released (DESIGN §5.3).
    ///
    /// - Returns: whether it was open.
    /// - Throws: ``StoreError``.
    public func void(
        _ id: LowercaseUUID, reason: String, release: Bool, at now: Instant, in scope: ScopeNumber
    ) throws -> Bool {
        guard let issued = try issuedOffer(id, in: scope), issued.slot.isOpen(at: now) else { return false }
        try close(id, reason: reason, release: release, at: now)
        let sequence = try StoreClock(transaction).nextSequence()
        try CustomerStore(transaction).noteChange(sequence, of: [issued.customer])
        return true
    }

    func close(_ id: LowercaseUUID, reason: String, release: Bool, at now: Instant) throws {
        try transaction.execute(
            Statement(
                """
                UPDATE issued_offer SET voided_at = ?2, void_reason = ?3, is_released = ?4
                WHERE id = ?1 AND voided_at IS NULL
                """, id, now, reason, release))
    }

    private static let insertSQL = """
        INSERT INTO issued_offer (sequence, scope_id, customer_id, catalog_revision, \(slotColumns))
        VALUES (\(Statement.placeholders(19)))
        """

    static let slotColumns = """
        id, offer_id, offer_identifier, offer_type, delivery, product_id, subscription_group_identifier, tags, \
        issued_at, expires_at, counts_until, signings, voided_at, is_released, settled_at
        """
}
