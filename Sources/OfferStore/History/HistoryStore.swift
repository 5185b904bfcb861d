public import OfferModel

/// The history of purchases: rows never change, and only copies that say nothing new are removed, see ``SignedCopies``.
public struct HistoryStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The facts of these customers' histories, united, with the least coverage of theirs
    /// (docs/design.md#identity).
    ///
    /// Of each transaction and app transaction that is the current view; of renewal info also every older one that
    /// names an offer, as evidence. It is read from ``HistoryFacts``, which have no payload's bytes.
    ///
    /// A customer known by aliases only is no Apple account of which more could be unknown, so beside proven customers
    /// it does not lessen the coverage.
    public func history(of customers: [CustomerNumber]) throws -> History {
        try histories(of: [customers])[0]
    }

    /// The same of each of several subjects, in one statement.
    ///
    /// - Parameter subscriptions: the facts of those that need not be read again.
    public func histories(
        of subjects: [[CustomerNumber]], knowing subscriptions: [TransactionId: History] = [:]
    ) throws -> [History] {
        var places: [CustomerNumber: [Int]] = [:]
        for (place, customers) in subjects.enumerated() {
            for customer in customers { places[customer, default: []].append(place) }
        }
        var histories = subjects.map { _ in History() }
        guard !places.isEmpty else { return histories }
        let customers = places.keys.sorted()
        var owners = subjects.map { _ in Set<CustomerNumber>() }
        try transaction.each(Self.selectFacts.statement(list: customers.map(\.storedValue))) { columns in
            let (customer, isProven): (CustomerNumber, Bool) = (try columns.value(0), try columns.value(1))
            let known = try subscriptions.isEmpty || !columns.value(3) ? nil : subscriptions[columns.value(4)]
            for place in places[customer] ?? [] {
                var hasRows = false
                if let known {
                    hasRows = histories[place].add(known, ownerIsProven: isProven)
                } else if try !columns.withBytes(
                    2, { hasRows = try histories[place].add($0, ownerIsProven: isProven) })
                {
                    throw StoreError.corruptFacts("`history_facts` holds no bytes")
                }
                if hasRows { owners[place].insert(customer) }
            }
        }
        let coverages = try CoverageStore(transaction).coverages(of: customers)
        for place in subjects.indices where !subjects[place].isEmpty {
            histories[place].coverage = Self.least(of: subjects[place], owners[place]) { coverages[$0] }
        }
        return histories
    }

    private static let selectFacts = ListedSQL(
        """
        SELECT i.customer_id, i.is_proven, f.facts, i.kind = 'originalTransactionId', i.value FROM customer_identifier i
        JOIN history_facts f ON f.scope_id = i.scope_id AND f.kind = i.kind AND f.value = i.value
        WHERE i.customer_id IN (?*) ORDER BY i.customer_id, i.kind, i.is_proven, i.scope_id, i.value
        """)

    /// The subscription, or other purchase, that a transaction belongs to; `nil` if the transaction is unknown.
    public func subscription(ofTransaction id: TransactionId, in scope: ScopeNumber) throws -> TransactionId? {
        // What Apple has signed comes before what was imported.
        try transaction.first(
            """
            SELECT original_transaction_id FROM history_transaction WHERE scope_id = ?1 AND transaction_id = ?2
            ORDER BY is_proven DESC, signed_date DESC LIMIT 1
            """, scope, id)
    }

    /// Everything of these customers that was known at an earlier instant, united, with the least coverage stated by
    /// then: what had arrived, and of what arrived later what was signed and bought by then.
    ///
    /// Data that had arrived counted, whatever its dates: Apple's clock may be ahead of ours, and Apple charges up to a
    /// day before a period begins.
    ///
    /// Every stored row and not only the current view, because what has taken a row's place since was not known then.
    /// Who is one customer is as known now: a merge is not undone, nor what it took from the coverage.
    public func history(of customers: [CustomerNumber], asOf instant: Instant) throws -> History {
        guard !customers.isEmpty else { return History() }
        var owners = Set<CustomerNumber>()
        var history = History(
            transactions: try known(of: customers, at: instant, owners: &owners),
            renewalInfos: try known(of: customers, at: instant, owners: &owners),
            appTransactions: try known(of: customers, at: instant, owners: &owners))
        let coverages = CoverageStore(transaction)
        history.coverage = try Self.least(of: customers, owners) { try coverages.coverage(of: $0, asOf: instant) }
        return history
    }

    private func known<Payload: HistoryRecord>(
        of customers: [CustomerNumber], at instant: Instant, owners: inout Set<CustomerNumber>
    ) throws -> [Recorded<Payload>] {
        let statement = Payload.sql.selectKnown.statement(.of(instant), list: customers.map(\.storedValue))
        var found = owners
        defer { owners = found }
        return try statement.all(in: transaction) { row in
            found.insert(try row.next())
            return try Recorded(reading: &row)
        }
    }

    /// The least coverage of those who own what was found, or of all if nothing was.
    private static func least(
        of customers: [CustomerNumber], _ owners: Set<CustomerNumber>,
        complete: (CustomerNumber) throws -> Coverage?
    ) rethrows -> Coverage {
        try (owners.isEmpty ? Set(customers) : owners).sorted()
            .map { try complete($0) ?? Coverage(level: owners.contains($0) ? .partial : .none) }
            .min(by: CoverageStore.isLess) ?? .none
    }

    /// Every row of these identifiers that was stored by a place in the store-wide order, for replay (invariant 5).
    ///
    /// By identifiers and not by customers: a merge since then must not bring another customer's rows into it. The
    /// coverage is not read; a decision's record has its own.
    public func history(
        of identifiers: SeenIdentifiers, upTo sequence: Int64, in scope: ScopeNumber
    ) throws -> History {
        let subscriptions = identifiers.originalTransactionIds.map(\.storedValue)
        let transactions: [Recorded<Transaction>] = try read(subscriptions, sequence, scope)
        let renewalInfos: [Recorded<RenewalInfo>] = try read(subscriptions, sequence, scope)
        // Signed renewal info counts only of what a signed transaction names, as where the present history is read.
        let proven = Set(transactions.filter(\.provenance.isProven).map(\.payload.originalTransactionId))
        return History(
            transactions: transactions,
            renewalInfos: renewalInfos.filter {
                !$0.provenance.isProven || proven.contains($0.payload.originalTransactionId)
            },
            appTransactions: try read(identifiers.appTransactionIds.map(\.storedValue), sequence, scope))
    }

    private func read<Payload: HistoryRecord>(
        _ identifiers: [StoredValue], _ sequence: Int64, _ scope: ScopeNumber
    ) throws -> [Recorded<Payload>] {
        guard !identifiers.isEmpty else { return [] }
        return try Payload.sql.selectStored.statement(.of(scope, sequence), list: identifiers)
            .all(in: transaction) { try Recorded(reading: &$0) }
    }
}

extension Recorded where Payload: HistoryRecord {
    /// Reads the columns `sequence, provenance`, the date, `facts` and `payload`.
    convenience init(reading row: inout RowReader) throws {
        let facts = try FactsRow<Payload>(reading: &row)
        self.init(
            payload: facts.payload, payloadBytes: try row.next(), provenance: facts.provenance,
            sequence: facts.sequence)
    }
}

public struct SeenIdentifiers: Sendable, Hashable {
    public var originalTransactionIds: [TransactionId]
    public var appTransactionIds: [AppTransactionId]
}

extension SeenIdentifiers {
    public init(_ history: History) {
        originalTransactionIds = Set(history.transactions.map(\.payload.originalTransactionId)).sorted()
        appTransactionIds = Set(history.appTransactions.compactMap(\.payload.appTransactionId)).sorted()
    }
}
