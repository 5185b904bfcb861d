public import OfferModel

public struct CoverageStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Notes that everything of these customers is known as of an instant; an older statement than the one that holds
    /// changes nothing.
    ///
    /// - Parameters:
    ///   - asOf: when it was fetched from Apple or stated.
    public func stateComplete(
        _ customers: [CustomerNumber], asOf: Instant, provenance: Provenance, at now: Instant, in scope: ScopeNumber
    ) throws {
        for customer in customers {
            if let known = try coverage(of: customer)?.asOf, asOf <= known { continue }
            let sequence = try insert(
                Coverage(level: .complete, asOf: asOf, provenance: provenance), customer, at: now, in: scope)
            try CustomerStore(transaction).noteChange(sequence, of: [customer])
        }
    }

    /// The complete coverage of one customer; `nil` if it was never stated, or a merge has taken it back.
    ///
    /// - Parameter instant: only what was fetched or stated by then. What a merge took back stays so for earlier
    ///   instants too, because the merge stays: neither statement spoke of what the other customer had (invariant 3).
    public func coverage(of customer: CustomerNumber, asOf instant: Instant = .distantFuture) throws -> Coverage? {
        try Statement(
            """
            SELECT is_complete, as_of, provenance FROM coverage
            WHERE customer_id = ?1 AND (as_of IS NULL OR as_of <= ?2) ORDER BY sequence DESC LIMIT 1
            """, customer, instant
        ).first(in: transaction) { row -> Coverage? in
            guard try row.next(Bool.self) else { return nil }
            return Coverage(level: .complete, asOf: try row.next(), provenance: try row.next())
        } ?? nil
    }

    /// The complete coverage of each of these customers who has one.
    func coverages(of customers: [CustomerNumber]) throws -> [CustomerNumber: Coverage] {
        var coverages: [CustomerNumber: Coverage] = [:]
        try transaction.each(Self.selectNewest.statement(list: customers.map(\.storedValue))) { columns in
            coverages[try columns.value(0)] = Coverage(
                level: .complete, asOf: try columns.value(1), provenance: try columns.value(2))
        }
        return coverages
    }

    private static let selectNewest = ListedSQL(
        """
        SELECT c.customer_id, c.as_of, c.provenance FROM coverage c
        WHERE c.is_complete = 1
        AND c.sequence = (SELECT MAX(sequence) FROM coverage WHERE customer_id = c.customer_id)
        AND c.customer_id IN (?*)
        """)

    /// A merge leaves the least coverage of both: neither statement spoke of what the other customer had.
    func unite(
        _ merged: CustomerNumber, into survivor: CustomerNumber, at now: Instant, in scope: ScopeNumber
    ) throws {
        let ofMerged = try coverage(of: merged) ?? .none
        if Self.isLess(ofMerged, try coverage(of: survivor) ?? .none) {
            try insert(ofMerged, survivor, at: now, in: scope)
        }
    }

    /// Whether the first covers less: a lower level, or complete as of an earlier instant.
    static func isLess(_ left: Coverage, _ right: Coverage) -> Bool {
        guard left.level == right.level else { return left.level < right.level }
        return (left.asOf ?? .distantPast) < (right.asOf ?? .distantPast)
    }

    @discardableResult
    private func insert(
        _ coverage: Coverage, _ customer: CustomerNumber, at now: Instant, in scope: ScopeNumber
    ) throws -> Int64 {
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.execute(
            """
            INSERT INTO coverage (sequence, scope_id, customer_id, is_complete, as_of, provenance, stated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, sequence, scope, customer, coverage.level == .complete, coverage.asOf, coverage.provenance, now)
        return sequence
    }
}
