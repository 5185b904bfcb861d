public import OfferModel

/// What is known of some customers together before anything of theirs is read.
public struct CustomerOverview: Sendable, Hashable {
    /// The newest change of each; those merged away are left out.
    public var version: SubjectVersion
    /// When the one of them who was stored first was; absent if none is stored.
    public var firstStoredAt: Instant?
    /// The identifier that one was stored under.
    public var rolloutKey: String?
    /// Whether any has attributes.
    public var hasAttributes: Bool
    /// Whether any offer was ever open to one of them.
    public var hasOpenings: Bool
    /// Whether the data of any was ever erased, so that something may be kept of what is gone.
    public var wereErased: Bool
}

extension CustomerStore {
    /// An overview of these customers, in one statement: most have neither attributes nor openings, and who has none need
    /// not be asked for them.
    ///
    /// - Throws: ``StoreError``.
    public func overview(of customers: [CustomerNumber]) throws -> CustomerOverview {
        var changes = [CustomerNumber: Int64]()
        var first: (storedAt: Instant, number: CustomerNumber)?
        var overview = CustomerOverview(
            version: SubjectVersion(changes: [:]), hasAttributes: false, hasOpenings: false, wereErased: false)
        guard !customers.isEmpty else { return overview }
        try transaction.each(
            Statement(Self.overviewSQL(customers.count), values: customers.map(\.storedValue))
        ) { row in
            let (number, storedAt): (CustomerNumber, Instant) = (try row.value(0), try row.value(2))
            if first.map({ (storedAt, number) < ($0.storedAt, $0.number) }) ?? true {
                first = (storedAt, number)
                overview.rolloutKey = try row.value(3)
            }
            changes[number] = try row.value(1)
            if try row.value(4) { overview.hasAttributes = true }
            if try row.value(5) { overview.hasOpenings = true }
            if try row.value(6) { overview.wereErased = true }
        }
        overview.firstStoredAt = first?.storedAt
        overview.version = SubjectVersion(changes: changes)
        return overview
    }

    private static let overviewSQL = ListedSQL(
        """
        SELECT id, \(versionSQL), first_stored_at, rollout_key,
            EXISTS (SELECT 1 FROM customer_attribute WHERE customer_id = customer.id),
            EXISTS (SELECT 1 FROM offer_opening WHERE customer_id = customer.id), erasure_sequence IS NOT NULL
        FROM customer WHERE id IN (
        """, ") AND merged_into IS NULL")
}
