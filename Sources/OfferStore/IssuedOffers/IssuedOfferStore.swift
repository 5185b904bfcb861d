public import OfferModel

/// Issued offers: at most one open issued offer per customer and offer (docs/design.md#issued-offers-and-limits).
public struct IssuedOfferStore {
    let transaction: any StoreTransaction

    public static let mergeReason = "the customer was proven to be one who has an open issued offer of this offer"

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Notes which open issued offers of these customers have stopped counting, so that the next may be issued.
    @discardableResult
    public func settlePassed(of customers: [CustomerNumber], at now: Instant) throws -> Int {
        try change(
            .settlement,
            where: """
                customer_id IN (\(Statement.placeholders(customers.count, after: 1)))
                AND voided_at IS NULL AND settled_at IS NULL AND counts_until <= ?1
                """,
            [now.storedValue] + customers.map(\.storedValue), set: "settled_at = ?\(customers.count + 2)",
            [now.storedValue], at: now
        ).count
    }

    /// Keeps a new issued offer, after settling those that have passed.
    ///
    /// - Parameters:
    ///   - signing: its first signing; its customer is whose the issued offer is.
    ///   - subject: every customer it was decided for; their version moves on.
    ///   - caps: the most that the offer's counters may show with it: the backstop of its limits for everyone.
    ///   - hasPassed: false if it is known that none of the customer's issued offers has passed and waits to be
    ///     settled.
    /// - Throws: ``StoreError/constraint(_:)`` if the customer has an open issued offer for the offer, or the id is
    ///   known; one that ``CounterStore/isCapReached(_:)`` if a counter would show more.
    public func insert(
        _ issuedOffer: IssuedOffer, by signing: Signing, subject: [CustomerNumber], caps: [CounterStore.Cap] = [],
        hasPassed: Bool = true, in scope: ScopeNumber
    ) throws {
        let customer = signing.customer
        if hasPassed { try settlePassed(of: [customer], at: issuedOffer.issuedAt) }
        try settlePassed(of: issuedOffer.offerId, at: issuedOffer.issuedAt, in: scope)
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            .issue, IssuedOfferRow(issuedOffer, by: signing, sequence: sequence, scope: scope),
            at: issuedOffer.issuedAt, in: scope)
        if issuedOffer.grantId == nil { try count(issuedOffer, caps: caps, in: scope) }
        // The issued offer itself shows that its own customer has changed.
        try CustomerStore(transaction).noteIssue(sequence, on: Set(subject).subtracting([customer]))
    }

    private func count(_ issuedOffer: IssuedOffer, caps: [CounterStore.Cap], in scope: ScopeNumber) throws {
        let (offer, issuedAt) = (issuedOffer.offerId, issuedOffer.issuedAt)
        transaction.memory?.note(
            issuedOfferOf: RememberedCounters.Place(scope: scope, offer: offer), countsUntil: issuedOffer.countsUntil)
        try count(1, .places, of: offer, caps: caps, at: issuedAt, in: scope)
        guard let cost = issuedOffer.cost else { return }
        try count(cost.milliunits, .money(cost.currency), of: offer, caps: caps, at: issuedAt, in: scope)
    }

    /// Notes one more signing of an open issued offer, which then lives and counts longer.
    ///
    /// - Parameters:
    ///   - productId: the product of this signing; the issued offer's own if absent.
    ///   - cost: what the offer costs on that product. A dearer one makes the issued offer dearer, because both can be
    ///     redeemed; a cost in another currency than the issued offer's was frozen in changes nothing.
    ///   - caps: as for a new issued offer.
    /// - Returns: the number of the new signing; `nil` if the issued offer is not open any more.
    public func addSigning(
        to id: LowercaseUUID, _ signing: Signing, productId: ProductId? = nil, cost: Money? = nil, expiresAt: Instant,
        countsUntil: Instant, at now: Instant, subject: [CustomerNumber], caps: [CounterStore.Cap] = [],
        in scope: ScopeNumber
    ) throws -> Int? {
        let before = try issuedOffer(id, in: scope)
        let changed = try change(
            .signing,
            where: """
                id = ?1 AND scope_id = ?2 AND voided_at IS NULL AND settled_at IS NULL AND counts_until > ?3
                """, .of(id, scope, now),
            set: """
                signings = signings + 1, product_id = COALESCE(?4, product_id),
                expires_at = CASE WHEN expires_at < ?5 THEN ?5 ELSE expires_at END,
                counts_until = CASE WHEN counts_until < ?6 THEN ?6 ELSE counts_until END,
                cost = CASE WHEN cost_currency = ?7 AND cost < ?8 THEN ?8 ELSE cost END
                """,
            .of(productId, expiresAt, countsUntil, cost?.currency, cost?.milliunits), at: now)
        guard let signed = changed.first, let before else { return nil }
        let number: Int = try signed.state.value("signings")
        let sequence = try StoreClock(transaction).nextSequence()
        let row = SigningRow(
            sequence: sequence, scope: scope, issuedOffer: before.sequence, number: number, signing: signing)
        try transaction.audit().cover(try transaction.insert(row))
        if let cost, let frozen = before.issuedOffer.cost, cost.currency == frozen.currency,
            cost.milliunits > frozen.milliunits, before.issuedOffer.grantId == nil
        {
            try count(
                cost.milliunits - frozen.milliunits, .money(cost.currency), of: before.issuedOffer.offerId, caps: caps,
                at: now, in: scope)
        }
        try CustomerStore(transaction).noteIssue(
            sequence, on: Set(subject).union([try signed.state.value("customer")]))
        return number
    }

    /// Stops further signatures of an open issued offer; it goes on counting unless it is released
    /// (docs/design.md#issued-offers-and-limits).
    public func void(
        _ id: LowercaseUUID, reason: String, release: Bool, at now: Instant, in scope: ScopeNumber
    ) throws -> Bool {
        guard let issued = try issuedOffer(id, in: scope), issued.issuedOffer.isOpen(at: now) else { return false }
        try close(id, reason: reason, release: release, at: now)
        let sequence = try StoreClock(transaction).nextSequence()
        try CustomerStore(transaction).noteChange(sequence, of: [issued.customer])
        return true
    }

    func close(_ id: LowercaseUUID, reason: String, release: Bool, at now: Instant) throws {
        if release { try setUse(of: id, .void, at: now) { $0.redemptions == 0 ? 0 : $0.places } }
        try change(
            .void, where: "id = ?1 AND voided_at IS NULL", [id.storedValue],
            set: "voided_at = ?2, void_reason = ?3, is_released = ?4",
            .of(now, reason, release), at: now)
    }
}
