public import OfferModel

public struct CustomerStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func customer(_ identifier: ProvenIdentifier, in scope: ScopeNumber) throws -> CustomerNumber? {
        try owner(of: identifier, in: scope)?.0
    }

    /// The customer that a signed identifier names, and whether Apple's data has proven that it does.
    func owner(of identifier: ProvenIdentifier, in scope: ScopeNumber) throws -> (CustomerNumber, Bool)? {
        try transaction.first(
            """
            SELECT customer_id, is_proven FROM customer_identifier
            WHERE scope_id = ?1 AND kind = ?2 AND value = ?3
            """, scope, identifier.kind, identifier.value)
    }

    /// Every customer that one of these signed identifiers names, each once, the earliest stored first.
    public func customers(proven identifiers: [ProvenIdentifier], in scope: ScopeNumber) throws -> [CustomerNumber] {
        Set(try owners(of: identifiers, in: scope).values).sorted()
    }

    /// The customer that each of these signed identifiers names, without those that name none.
    public func owners(
        of identifiers: [ProvenIdentifier], in scope: ScopeNumber
    ) throws -> [ProvenIdentifier: CustomerNumber] {
        var owners: [ProvenIdentifier: CustomerNumber] = [:]
        for (kind, identifiers) in Dictionary(grouping: Set(identifiers), by: \.kind) {
            for start in stride(from: 0, to: identifiers.count, by: Self.page) {
                let page = identifiers[start..<min(start + Self.page, identifiers.count)]
                let statement = Self.selectOwners.statement(
                    .of(scope, kind), list: page.map(\.value.storedValue))
                var customers: [Identifier<ProvenIdentifier>: CustomerNumber] = [:]
                try transaction.each(statement) { customers[try $0.value(0)] = try $0.value(1) }
                for identifier in page { owners[identifier] = customers[Identifier(identifier.value)] }
            }
        }
        return owners
    }

    /// How many identifiers one statement looks up.
    private static let page = 256
    private static let selectOwners = ListedSQL(
        "SELECT value, customer_id FROM customer_identifier WHERE scope_id = ?1 AND kind = ?2 AND value IN (?*)",
        after: 2)

    /// The customers that one of these aliases names, each once, the earliest stored first. Where Apple's data names an
    /// alias for a customer, it does not name those who have it on the backend's word.
    ///
    /// - Parameter limit: the maximum number. An app may give all its customers one name; 17 is one more than a subject
    ///   may have, enough to tell that there are too many.
    public func customers(
        aliases: [CustomerAlias], in scope: ScopeNumber, limit: Int = 17
    ) throws -> [CustomerNumber] {
        var found = Set<CustomerNumber>()
        for alias in aliases {
            let proven = try holders(of: alias, where: Self.isProven("a"), limit: limit, in: scope)
            found.formUnion(proven.isEmpty ? try holders(of: alias, limit: limit, in: scope) : proven)
        }
        return Array(found.sorted().prefix(limit))
    }

    /// Every customer that has one of these aliases from any source, each once, the earliest stored first.
    public func holders(
        of aliases: [CustomerAlias], limit: Int, in scope: ScopeNumber
    ) throws -> [CustomerNumber] {
        let found = try aliases.flatMap { try holders(of: $0, limit: limit, in: scope) }
        return Array(Set(found).sorted().prefix(limit))
    }

    func holders(
        of alias: CustomerAlias, where condition: String = "1 = 1", limit: Int, in scope: ScopeNumber
    ) throws -> [CustomerNumber] {
        try transaction.all(
            """
            SELECT a.customer_id FROM customer_alias a JOIN customer c ON c.id = a.customer_id
            WHERE a.scope_id = ?1 AND a.kind = ?2 AND a.value = ?3 AND c.merged_into IS NULL AND \(condition)
            ORDER BY a.customer_id LIMIT ?4
            """, scope, alias.kind, alias.value, limit)
    }

    /// The newest change of each of these customers. A customer who was merged away since is left out, so that the
    /// version differs.
    public func version(of customers: [CustomerNumber]) throws -> SubjectVersion {
        var changes = [CustomerNumber: Int64]()
        try transaction.each(Self.versionsSQL.statement(list: customers.map(\.storedValue))) {
            changes[try $0.value(0)] = try $0.value(1)
        }
        return SubjectVersion(changes: changes)
    }

    private static let versionsSQL = ListedSQL(
        "SELECT id, \(versionSQL) FROM customer WHERE id IN (?*) AND merged_into IS NULL")

    /// Adds a customer without a signed payload, under the first of these aliases.
    public func add(under aliases: [CustomerAlias], at now: Instant, in scope: ScopeNumber) throws -> CustomerNumber {
        let key = aliases.first { $0.kind == "appAccountToken" } ?? aliases.first
        guard let key else { throw StoreError.constraint("customer.rollout_key") }
        let customer = try add(rolloutKey: key.value, at: now, in: scope)
        try state(aliases, of: [customer], at: now, in: scope)
        return customer
    }

    /// Gives a customer an alias from any source. Where a payload of Apple's names an alias that was only stated, the
    /// payload is the source from then on.
    func attach(
        _ alias: CustomerAlias, to customer: CustomerNumber, from source: IdentifierSource, at now: Instant,
        in scope: ScopeNumber
    ) throws {
        try transaction.execute(
            Self.attachSQL, scope, alias.kind, alias.value, customer, now, source.provenance, source.transactionId,
            source.requestId)
    }

    private static let attachSQL = """
        INSERT INTO customer_alias (
            scope_id, kind, value, customer_id, first_stored_at, provenance, transaction_id, request_id
        )
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (scope_id, kind, value, customer_id) DO UPDATE SET
            provenance = excluded.provenance, transaction_id = excluded.transaction_id,
            request_id = excluded.request_id
        WHERE \(isProven("excluded")) AND NOT \(isProven("customer_alias"))
        """

    /// Whether Apple's data names an alias, as a condition on a row of `customer_alias` in the words of the index
    /// `customer_alias_proven`.
    static func isProven(_ row: String) -> String {
        let proven = Provenance.allCases.filter(\.isProven).map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return "(\(row).provenance IN (\(proven)))"
    }

    /// The newest change of a customer, including an offer issued to them, which changes none of their other rows. The signs
    /// keep the engines from looking for it by the primary key, from the newest row of all customers on.
    static let versionSQL = """
        COALESCE(
            (SELECT MAX(+sequence) FROM issued_offer WHERE customer_id = customer.id AND +sequence > version), version)
        """

    /// Notes that something the customers' decisions depend on has changed, at that place of the store-wide order.
    func noteChange(_ sequence: Int64, of customers: some Sequence<CustomerNumber>) throws {
        for customer in customers {
            try transaction.execute(
                "UPDATE customer SET version = ?1 WHERE id = ?2 AND version < ?1", sequence, customer)
        }
    }

    /// The same of an offer that was signed again on these customers' history, or issued to another with it: what was
    /// stored by then stays, for replay (invariant 5).
    func noteIssue(_ sequence: Int64, on customers: some Sequence<CustomerNumber>) throws {
        for customer in customers {
            try transaction.execute(
                "UPDATE customer SET version = ?1, issued_sequence = ?1 WHERE id = ?2", sequence, customer)
        }
    }

    func add(rolloutKey: String, at now: Instant, in scope: ScopeNumber) throws -> CustomerNumber {
        let sequence = try StoreClock(transaction).nextSequence()
        let row = try transaction.row(
            """
            INSERT INTO customer (scope_id, rollout_key, first_stored_at, version)
            VALUES (?1, ?2, ?3, ?4) RETURNING id
            """, scope, rolloutKey, now, sequence)
        guard let row else { throw StoreError.corrupt("a new row of `customer` is missing") }
        return try row.value(0)
    }

    /// Who these customers are now: themselves, or those they were merged into.
    public func survivors(of customers: [CustomerNumber]) throws -> [CustomerNumber: CustomerNumber] {
        try transaction.dictionary(
            "SELECT id, COALESCE(merged_into, id) FROM customer WHERE id IN (?*)", list: customers.map(\.storedValue))
    }

    /// Those who were merged into each of these customers; those without are left out.
    public func merged(into customers: [CustomerNumber]) throws -> [CustomerNumber: [CustomerNumber]] {
        let merged: [(CustomerNumber, CustomerNumber)] = try transaction.all(
            "SELECT merged_into, id FROM customer WHERE merged_into IN (?*)", list: customers.map(\.storedValue))
        return Dictionary(grouping: merged, by: \.0).mapValues { $0.map(\.1).sorted() }
    }

    /// These customers with all their identifiers, the earliest stored first; those merged away are left out.
    public func customers(_ numbers: [CustomerNumber]) throws -> [StoredCustomer] {
        try Set(numbers).sorted().compactMap(read)
    }

    private func read(_ number: CustomerNumber) throws -> StoredCustomer? {
        var found = StoredCustomer(
            number: number, rolloutKey: "", firstStoredAt: .distantPast,
            originalTransactionIds: try values("originalTransactionId", of: number, in: "customer_identifier"),
            appTransactionIds: try values("appTransactionId", of: number, in: "customer_identifier"),
            appAccountTokens: try values("appAccountToken", of: number, in: "customer_alias"),
            customerIds: try values("customerId", of: number, in: "customer_alias"))
        let customer: (String, Instant)? = try transaction.first(
            "SELECT rollout_key, first_stored_at FROM customer WHERE id = ?1 AND merged_into IS NULL", number)
        guard let customer else { return nil }
        (found.rolloutKey, found.firstStoredAt) = customer
        return found
    }

    private func values<Value: Storable & Comparable>(
        _ kind: String, of number: CustomerNumber, in table: String
    ) throws -> [Value] {
        let values: [Value] = try transaction.all(
            "SELECT value FROM \(table) WHERE customer_id = ?1 AND kind = ?2", number, kind)
        return values.sorted()
    }

    /// An overview of these customers, in one statement: most have neither attributes, openings nor grants, and who has none
    /// need not be asked for them.
    public func overview(of customers: [CustomerNumber]) throws -> CustomerOverview {
        var changes = [CustomerNumber: Int64]()
        var first: (storedAt: Instant, number: CustomerNumber)?
        var overview = CustomerOverview(
            version: SubjectVersion(changes: [:]), hasAttributes: false, hasOpenings: false, hasGrants: false,
            wereErased: false)
        guard !customers.isEmpty else { return overview }
        try transaction.each(Self.overviewSQL.statement(list: customers.map(\.storedValue))) { row in
            let (number, storedAt): (CustomerNumber, Instant) = (try row.value(0), try row.value(2))
            if first.map({ (storedAt, number) < ($0.storedAt, $0.number) }) ?? true {
                first = (storedAt, number)
                overview.rolloutKey = try row.value(3)
            }
            changes[number] = try row.value(1)
            if try row.value(4) { overview.hasAttributes = true }
            if try row.value(5) { overview.hasOpenings = true }
            if try row.value(6) { overview.hasGrants = true }
            if try row.value(7) { overview.wereErased = true }
        }
        overview.firstStoredAt = first?.storedAt
        overview.version = SubjectVersion(changes: changes)
        return overview
    }

    private static let overviewSQL = ListedSQL(
        """
        SELECT id, \(versionSQL), first_stored_at, rollout_key,
            EXISTS (SELECT 1 FROM customer_attribute WHERE customer_id = customer.id),
            EXISTS (SELECT 1 FROM offer_opening WHERE customer_id = customer.id),
            EXISTS (SELECT 1 FROM offer_grant WHERE customer_id = customer.id), erasure_sequence IS NOT NULL
        FROM customer WHERE id IN (?*) AND merged_into IS NULL
        """)
}

/// An overview of some customers, read before anything else of theirs.
public struct CustomerOverview: Sendable, Hashable {
    /// The newest change of each; those merged away are left out.
    public var version: SubjectVersion
    /// When the one of them who was stored first was; absent if none is stored.
    public var firstStoredAt: Instant?
    public var rolloutKey: String?
    public var hasAttributes: Bool
    public var hasOpenings: Bool
    public var hasGrants: Bool
    /// Whether the data of any was ever erased, so that something may be kept of what is gone.
    public var wereErased: Bool
}
