public import OfferModel

/// All customers of a scope in pages, with their facts: each page in a few statements, whatever its length.
///
/// A customer who was merged into another is left out; their history belongs to the survivor.
public struct CustomerPages {
    private let transaction: any StoreTransaction
    private let scope: ScopeNumber

    /// How many customers a page has: enough that its statements cost little, few enough to be held at once. A power of
    /// two, as the lists of statements are.
    public static let size = 256

    public init(_ transaction: any StoreTransaction, scope: ScopeNumber) {
        self.transaction = transaction
        self.scope = scope
    }

    public struct Member: Sendable {
        public var customer: CustomerNumber
        var firstStoredAt: Instant
        var rolloutKey: String
        var hasAttributes: Bool
        var hasOpenings: Bool
        var hasGrants: Bool
        var wasErased: Bool
    }

    public func count() throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM customer WHERE +scope_id = ?1 AND id > ?2 AND merged_into IS NULL", scope,
            CustomerNumber(rawValue: 0)) ?? 0
    }

    /// The next customers in the order in which they were first stored; fewer than ``size`` at the end.
    public func page(after last: CustomerNumber?) throws -> [Member] {
        // With `+` the primary key is read from there on, no further than the page.
        try Statement(
            """
            SELECT id, first_stored_at, rollout_key,
                EXISTS (SELECT 1 FROM customer_attribute WHERE customer_id = customer.id),
                EXISTS (SELECT 1 FROM offer_opening WHERE customer_id = customer.id),
                EXISTS (SELECT 1 FROM offer_grant WHERE customer_id = customer.id), erasure_sequence IS NOT NULL
            FROM customer WHERE +scope_id = ?1 AND id > ?2 AND merged_into IS NULL ORDER BY id LIMIT ?3
            """, scope, last ?? CustomerNumber(rawValue: 0), Self.size
        ).all(in: transaction) { row in
            Member(
                customer: try row.next(), firstStoredAt: try row.next(), rolloutKey: try row.next(),
                hasAttributes: try row.next(), hasOpenings: try row.next(), hasGrants: try row.next(),
                wasErased: try row.next())
        }
    }

    /// Those of some customers that have a `customerId` of the app's.
    public func named(among customers: [CustomerNumber]) throws -> Set<CustomerNumber> {
        let found: [CustomerNumber] = try transaction.all(
            "SELECT customer_id FROM customer_alias WHERE kind = ?1 AND customer_id IN (?*)", "customerId",
            list: customers.map(\.storedValue))
        return Set(found)
    }

    /// The present facts of each of these, as the facts of the one customer would be read.
    ///
    /// - Returns: in the order of the members.
    public func facts(of members: [Member]) throws -> [SubjectFacts] {
        guard !members.isEmpty else { return [] }
        let customers = members.map(\.customer)
        try transaction.expect(
            { _ = try HistoryStore($0).histories(of: customers.map { [$0] }) },
            { _ = try IssuedOfferStore($0).issuedOffers(ofEach: customers) },
            { transaction in
                for member in members {
                    if member.hasAttributes { _ = try AttributeStore(transaction).attributes(of: [member.customer]) }
                    if member.hasOpenings { _ = try OpeningStore(transaction).openings(of: [member.customer]) }
                    if member.hasGrants { _ = try GrantStore(transaction).grants(of: [member.customer]) }
                }
            })
        let histories = try HistoryStore(transaction).histories(of: customers.map { [$0] })
        let issuedOffers = try IssuedOfferStore(transaction).issuedOffers(ofEach: customers)
        return try zip(members, histories).map { member, history in
            let customer = [member.customer]
            var facts = SubjectFacts(
                history: history, issuedOffers: issuedOffers[member.customer] ?? [],
                attributes: member.hasAttributes ? try AttributeStore(transaction).attributes(of: customer) : [:],
                firstStoredAt: member.firstStoredAt, rolloutKey: member.rolloutKey,
                openedAt: member.hasOpenings ? try OpeningStore(transaction).openings(of: customer) : [:])
            if member.hasGrants { facts.grants = try GrantStore(transaction).grants(of: customer).map(\.grant) }
            if member.wasErased { facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: customer) }
            // A used issued offer is no longer open, whichever customer used it.
            if facts.issuedOffers.contains(where: { $0.settledAt != nil || $0.voidedAt != nil }) {
                facts.keptEvidence += try RedemptionStore(transaction).usesByOthers(of: customer)
                    .compactMap(\.evidence)
            }
            return facts
        }
    }
}

extension IssuedOfferStore {
    /// The issued offers of each of these customers, the earliest first; those without any are left out.
    func issuedOffers(ofEach customers: [CustomerNumber]) throws -> [CustomerNumber: [IssuedOffer]] {
        var found: [CustomerNumber: [IssuedOffer]] = [:]
        let statement = Self.ofCustomersSQL.statement(list: customers.map(\.storedValue))
        let all = try statement.all(in: transaction) { try StoredIssuedOffer(reading: &$0) }
        for stored in all { found[stored.customer, default: []].append(stored.issuedOffer) }
        return found
    }
}
