import OfferEligibility
public import OfferModel

/// Redemptions as rows: what the history shows, matched per customer, so that counters can count them (docs/design.md#issued-offers-and-limits).
///
/// They follow from the history and the slots alone: in whatever order data arrives, the rows come out the same
/// (invariant 7). Only `sequence` and `recordedAt` say when something became known.
public struct RedemptionStore {
    let transaction: any StoreTransaction

    /// The redemptions as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The recorded redemptions of a customer, in the order in which they became known.
    ///
    /// - Throws: ``StoreError``.
    public func redemptions(of customer: CustomerNumber) throws -> [RecordedRedemption] {
        try transaction.rows(
            Statement("SELECT \(Self.columns) FROM redemption WHERE customer_id = ?1 ORDER BY sequence", customer)
        ).map(RecordedRedemption.init(row:))
    }

    /// Records what a customer's history shows now: rows that it no longer shows go, and slots and counters follow.
    ///
    /// - Parameter offers: of the catalog in force; their lengths help where Apple's data states none.
    /// - Returns: what has changed.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func record(
        of customer: CustomerNumber, offers: [Offer], at now: Instant, in scope: ScopeNumber
    ) throws -> RedemptionChange {
        let known = try redemptions(of: customer)
        let slots = try SlotStore(transaction).slots(of: [customer])
        var change = RedemptionChange()
        var facts = SubjectFacts(history: try HistoryStore(transaction).history(of: [customer]), slots: slots)
        // What an erasure keeps shows a use, so that there is a row of it.
        if !known.isEmpty { facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: [customer]) }
        guard !known.isEmpty || !facts.slots.isEmpty || facts.history.showsOffers else { return change }
        let found = try OffersOfOthers(of: customer, in: scope, transaction)
            .matching(facts.redemptions(of: offers), slots: slots, known: known)
        var missing = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
        for row in known {
            if let count = missing[row.redemption], count > 0 {
                missing[row.redemption] = count - 1
            } else {
                try delete(row, at: now, in: scope)
                change.removed.append(row)
            }
        }
        for redemption in found {
            guard let count = missing[redemption], count > 0 else { continue }
            missing[redemption] = count - 1
            change.added.append(try insert(redemption, of: customer, at: now, in: scope))
        }
        try SlotStore(transaction).redeem(of: customer, at: now)
        let used = found + (try usesByOthers(of: [customer]).map(\.redemption))
        let passedOver = try SlotStore(transaction).noteFullPrice(
            facts.fullPricePurchases(redemptions: used), of: customer, at: now)
        transaction.recording?.tally.add(change, in: scope)
        transaction.recording?.tally.add(passedOver, .fullPrice, in: scope)
        for owner in try owners(of: change, besides: customer) {
            try record(of: owner, offers: offers, at: now, in: scope)
            try CustomerStore(transaction).noteChange(try StoreClock(transaction).nextSequence(), of: [owner])
        }
        return change
    }

    /// The same, if the customer has a redemption dated at or after the issue of a new slot, which may be its use: Apple
    /// charges up to a day early.
    ///
    /// - Throws: ``StoreError``.
    public func matchLaterEvidence(
        of customer: CustomerNumber, since issuedAt: Instant, offers: [Offer], at now: Instant, in scope: ScopeNumber
    ) throws {
        let later = try transaction.row(
            Statement(
                "SELECT 1 FROM redemption WHERE customer_id = ?1 AND first_evidence >= ?2 LIMIT 1", customer, issuedAt))
        if later != nil { try record(of: customer, offers: offers, at: now, in: scope) }
    }

    private func insert(
        _ redemption: Redemption, of customer: CustomerNumber, at now: Instant, in scope: ScopeNumber
    ) throws -> RecordedRedemption {
        let sequence = try StoreClock(transaction).nextSequence()
        let key = CounterStore.key(redemption.offerType, redemption.offerIdentifier)
        try transaction.execute(
            Statement(
                Self.insertSQL,
                values: [
                    scope.storedValue, .integer(sequence), customer.storedValue,
                    redemption.originalTransactionId.storedValue, key.type.storedValue, key.identifier.storedValue,
                    redemption.subscriptionGroupIdentifier.storedValue, redemption.productId.storedValue,
                    redemption.transactionId.storedValue, redemption.firstEvidence.storedValue,
                    redemption.offerEnds.storedValue, redemption.provenance.storedValue,
                    redemption.slotId.storedValue, redemption.isDoubled.storedValue, redemption.isLate.storedValue,
                    now.storedValue,
                ]))
        if redemption.slotId == nil { try CounterStore(transaction).add(1, unmatched: redemption, in: scope) }
        let recorded = RecordedRedemption(
            sequence: sequence, customer: customer, redemption: redemption, recordedAt: now)
        try AuditLog(transaction).record(.redemption, at: now, in: scope, after: recorded.told)
        return recorded
    }

    private func delete(_ row: RecordedRedemption, at now: Instant, in scope: ScopeNumber) throws {
        try AuditLog(transaction).record(.redemption, at: now, in: scope, before: row.told)
        try transaction.execute(Statement("DELETE FROM redemption WHERE sequence = ?1", row.sequence))
        if row.redemption.slotId == nil {
            try CounterStore(transaction).add(-1, unmatched: row.redemption, in: scope)
        }
    }

    private static let insertSQL =
        "INSERT INTO redemption (scope_id, \(columns)) VALUES (\(Statement.placeholders(16)))"

    static let columns = """
        sequence, customer_id, original_transaction_id, offer_type, offer_identifier, subscription_group_identifier, \
        product_id, transaction_id, first_evidence, offer_ends, provenance, issued_offer_id, is_doubled, is_late, \
        recorded_at
        """
}

extension History {
    /// Whether any row names an offer.
    fileprivate var showsOffers: Bool {
        transactions.contains { $0.payload.offerType != nil } || renewalInfos.contains { $0.payload.offerType != nil }
    }
}

extension RecordedRedemption {
    /// What the audit tells of it.
    fileprivate var told: AuditValues {
        [
            "customer": customer, "firstEvidence": redemption.firstEvidence, "isDoubled": redemption.isDoubled,
            "isLate": redemption.isLate, "issuedOfferId": redemption.slotId, "redemption": sequence,
        ]
    }

    init(row: StoredRow) throws {
        var reader = RowReader(row)
        sequence = try reader.next()
        customer = try reader.next()
        let original: TransactionId = try reader.next()
        let type: TransactionOfferType = try reader.next()
        let identifier: OfferIdentifier = try reader.next()
        redemption = Redemption(
            offerType: type, offerIdentifier: identifier.rawValue.isEmpty ? nil : identifier,
            subscriptionGroupIdentifier: try reader.next(), originalTransactionId: original,
            productId: try reader.next(), transactionId: try reader.next(), firstEvidence: try reader.next(),
            offerEnds: try reader.next(), provenance: try reader.next(), slotId: try reader.next(),
            isDoubled: try reader.next(), isLate: try reader.next())
        recordedAt = try reader.next()
    }
}
