import OfferEligibility
import OfferModel

/// Makes one customer of several who were proven to be one, keeping every row (docs/design.md#identity).
struct CustomerMerge {
    let transaction: any StoreTransaction
    let scope: ScopeNumber
    let now: Instant
    let offers: [Offer]
    /// The payload that proves it.
    let source: IdentifierSource

    /// Merges all of them into the one stored first, who is returned.
    ///
    /// - Parameter proof: the identifiers that one signed payload holds together.
    func merge(_ customers: [CustomerNumber], by proof: [ProvenIdentifier]) throws -> CustomerNumber {
        let rows = try transaction.rows(
            Statement(
                """
                SELECT id FROM customer WHERE id IN (\(Statement.placeholders(customers.count)))
                ORDER BY first_stored_at, id
                """, values: customers.map(\.storedValue)))
        let byAge: [CustomerNumber] = try rows.map { try $0.value(0) }
        guard let survivor = byAge.first else { throw StoreError.corrupt("a row of `customer` is missing") }
        for merged in byAge.dropFirst() {
            try merge(merged, into: survivor, by: proof)
        }
        return survivor
    }

    private func merge(
        _ merged: CustomerNumber, into survivor: CustomerNumber, by proof: [ProvenIdentifier]
    ) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        let proofText = MergeProof(proof, source).stored
        let inserted = try transaction.row(
            Statement(
                """
                INSERT INTO customer_merge (sequence, scope_id, survivor_id, merged_id, proof, merged_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING \(LedgerTable.customerMerge.columns)
                """, sequence, scope, survivor, merged, proofText, now))
        try AuditLog(transaction).record(
            .merge, .customerMerge, inserted: inserted, at: now, in: scope, before: ["customer": merged],
            after: ["customer": survivor])
        try CoverageStore(transaction).unite(merged, into: survivor, at: now, in: scope)
        try AttributeStore(transaction).unite(merged, into: survivor)
        try OpeningStore(transaction).unite(merged, into: survivor)
        try voidDoubledSlots(survivor, merged)
        try transaction.execute(
            Statement("UPDATE customer_identifier SET customer_id = ?1 WHERE customer_id = ?2", survivor, merged))
        try transaction.execute(
            Statement("UPDATE issued_offer SET customer_id = ?1 WHERE customer_id = ?2", survivor, merged))
        try transaction.execute(
            Statement("UPDATE redemption SET customer_id = ?1 WHERE customer_id = ?2", survivor, merged))
        try moveWhatErasuresKept(of: merged, to: survivor)
        try transaction.execute(
            Statement(
                """
                INSERT INTO customer_alias (
                    scope_id, kind, value, customer_id, first_stored_at, provenance, transaction_id, request_id
                )
                SELECT scope_id, kind, value, ?1, first_stored_at, provenance, transaction_id, request_id
                FROM customer_alias WHERE customer_id = ?2
                ON CONFLICT (scope_id, kind, value, customer_id) DO UPDATE SET
                    first_stored_at = \(Self.better("first_stored_at", where: Self.isEarlier)),
                    provenance = \(Self.better("provenance", where: Self.isBetterSource)),
                    transaction_id = \(Self.better("transaction_id", where: Self.isBetterSource)),
                    request_id = \(Self.better("request_id", where: Self.isBetterSource))
                """, survivor, merged))
        try transaction.execute(
            Statement("UPDATE customer SET merged_into = ?1 WHERE id = ?2 OR merged_into = ?2", survivor, merged))
        try transaction.execute(
            Statement(
                """
                UPDATE customer SET issued_sequence = (SELECT issued_sequence FROM customer WHERE id = ?2)
                WHERE id = ?1 AND issued_sequence < (SELECT issued_sequence FROM customer WHERE id = ?2)
                """, survivor, merged))
        try CustomerStore(transaction).noteChange(sequence, of: [survivor])
    }

    /// Of what two rows of one alias say the merged one's where a condition holds.
    private static func better(_ column: String, where condition: String) -> String {
        "CASE WHEN \(condition) THEN excluded.\(column) ELSE customer_alias.\(column) END"
    }

    private static let isEarlier = "excluded.first_stored_at < customer_alias.first_stored_at"

    /// Apple's data is a better source than anybody's word, whichever came first.
    private static let isBetterSource = {
        let (merged, own) = (CustomerStore.isProven("excluded"), CustomerStore.isProven("customer_alias"))
        return "(\(merged) > \(own) OR (\(merged) = \(own) AND \(isEarlier)))"
    }()

    private func moveWhatErasuresKept(of merged: CustomerNumber, to survivor: CustomerNumber) throws {
        let row = try transaction.row(Statement("SELECT erasure_sequence FROM customer WHERE id = ?1", merged))
        guard let row, let erasure: Int64 = try row.value(0, as: Int64?.self) else { return }
        try transaction.execute(
            Statement("UPDATE erased_identifier SET customer_id = ?1 WHERE customer_id = ?2", survivor, merged))
        try transaction.execute(
            Statement("UPDATE kept_evidence SET customer_id = ?1 WHERE customer_id = ?2", survivor, merged))
        try transaction.execute(
            Statement(
                """
                UPDATE customer SET erasure_sequence = ?2
                WHERE id = ?1 AND (erasure_sequence IS NULL OR erasure_sequence < ?2)
                """, survivor, erasure))
    }

    /// Of two open slots for one offer the newer is voided, and its place is not freed: both may still be redeemed.
    private func voidDoubledSlots(_ first: CustomerNumber, _ second: CustomerNumber) throws {
        let slots = SlotStore(transaction)
        try slots.settlePassed(of: [first, second], at: now)
        guard try !doubledSlots(first, second).isEmpty else { return }
        // Together the two histories may show that one of them was redeemed: then it is not open.
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: [first, second]),
            slots: try slots.slots(of: [first, second]))
        facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: [first, second])
        try slots.settle(facts.redemptions(of: offers).compactMap(\.slotId), at: now, in: scope)
        for slot in try doubledSlots(first, second) {
            try slots.close(slot, reason: SlotStore.mergeReason, release: false, at: now)
        }
    }

    /// Of open slots for the same offer all but the oldest.
    private func doubledSlots(_ first: CustomerNumber, _ second: CustomerNumber) throws -> [LowercaseUUID] {
        let rows = try transaction.rows(
            Statement(
                """
                SELECT id, offer_id FROM issued_offer
                WHERE customer_id IN (?1, ?2) AND voided_at IS NULL AND settled_at IS NULL
                ORDER BY issued_at, sequence
                """, first, second))
        var seen = Set<OfferId>()
        return try rows.filter { !seen.insert(try $0.value(1)).inserted }.map { try $0.value(0) }
    }
}
