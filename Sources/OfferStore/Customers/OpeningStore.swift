public import OfferModel

/// Since when offers with `availableFor` have been open to customers (docs/design.md#decisions).
public struct OpeningStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func openings(of customers: [CustomerNumber]) throws -> [OfferId: Instant] {
        try transaction.dictionary(
            "SELECT offer_id, MIN(opened_at) FROM offer_opening WHERE customer_id IN (?*) GROUP BY offer_id",
            list: customers.map(\.storedValue))
    }

    /// Notes that an offer is open to these customers from now on; one that is open already keeps its date.
    public func open(_ offer: OfferId, to customers: [CustomerNumber], at now: Instant) throws {
        var changed = [CustomerNumber]()
        for customer in customers {
            let inserted = try transaction.changes(
                by: """
                    INSERT INTO offer_opening (customer_id, offer_id, opened_at) VALUES (?1, ?2, ?3)
                    ON CONFLICT (customer_id, offer_id) DO NOTHING
                    """, customer, offer, now)
            if inserted > 0 { changed.append(customer) }
        }
        guard !changed.isEmpty else { return }
        try CustomerStore(transaction).noteChange(try StoreClock(transaction).nextSequence(), of: changed)
    }

    /// Gives one customer what another had; of two openings of one offer the earlier stays.
    func unite(_ merged: CustomerNumber, into survivor: CustomerNumber) throws {
        try transaction.execute(
            """
            INSERT INTO offer_opening (customer_id, offer_id, opened_at)
            SELECT ?1, offer_id, opened_at FROM offer_opening WHERE customer_id = ?2
            ON CONFLICT (customer_id, offer_id) DO UPDATE SET opened_at = excluded.opened_at
            WHERE excluded.opened_at < offer_opening.opened_at
            """, survivor, merged)
    }
}
