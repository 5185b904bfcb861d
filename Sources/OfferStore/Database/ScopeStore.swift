public import OfferModel

/// The store's own number of one app in one environment; every row belongs to one.
public struct ScopeNumber: RawRepresentable, Sendable, Hashable, Storable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

public struct ScopeStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The number of a scope; `nil` if nothing was ever stored in it.
    public func number(of scope: Scope) throws -> ScopeNumber? {
        try transaction.first(
            "SELECT id FROM scope WHERE bundle_id = ?1 AND environment = ?2", scope.bundleId, scope.environment)
    }

    /// The number of a scope, which is added if it is new. Needs a writing transaction.
    public func findOrAdd(_ scope: Scope) throws -> ScopeNumber {
        if let known = try number(of: scope) { return known }
        try transaction.execute(
            """
            INSERT INTO scope (bundle_id, environment, generation) VALUES (?1, ?2, 0)
            ON CONFLICT (bundle_id, environment) DO NOTHING
            """, scope.bundleId, scope.environment)
        guard let added = try number(of: scope) else { throw StoreError.corrupt("a new row of `scope` is missing") }
        return added
    }

    /// Every scope in which something was stored.
    public func all() throws -> [ScopeNumber] {
        try transaction.all("SELECT id FROM scope ORDER BY id")
    }

    public func scope(_ number: ScopeNumber) throws -> Scope {
        let scope = try Statement("SELECT bundle_id, environment FROM scope WHERE id = ?1", number)
            .first(in: transaction) { Scope(bundleId: try $0.next(), environment: try $0.next()) }
        guard let scope else { throw StoreError.corrupt("scope \(number.rawValue) is missing") }
        return scope
    }

    /// A number that changes with the catalog and the pauses of a scope (docs/design.md#issuing).
    public func generation(of scope: ScopeNumber) throws -> Int64 {
        if let known = transaction.memory?.contents.generations[scope] { return known }
        let generation: Int64? = try transaction.first("SELECT generation FROM scope WHERE id = ?1", scope)
        guard let generation else { throw StoreError.corrupt("scope \(scope.rawValue) is missing") }
        transaction.memory?.contents.generations[scope] = generation
        return generation
    }

    public func advanceGeneration(of scope: ScopeNumber) throws {
        try transaction.execute("UPDATE scope SET generation = generation + 1 WHERE id = ?1", scope)
        transaction.memory?.contents.generations[scope] = nil
    }

    public func presentState(around scope: Scope) throws -> PresentState {
        if let known = transaction.memory?.snapshot?.presentStates[scope] { return known }
        let statement = Statement(Self.presentStateSQL, scope.bundleId, scope.environment)
        let state = try statement.first(in: transaction) { row in
            var state = PresentState(
                marks: ClockMarks(lastInstant: try row.next(), newestSignedDate: try row.next()),
                newestSequence: try row.next())
            if let number: ScopeNumber = try row.next() {
                state.scope = PresentState.OfScope(
                    number: number, generation: try row.next(), catalogRevision: try row.next(),
                    hasPauses: try row.next())
            }
            return state
        }
        guard let state else { throw StoreError.corrupt("the row of `store_state` is missing") }
        transaction.memory?.snapshot?.presentStates[scope] = state
        return state
    }

    private static let presentStateSQL = """
        SELECT state.last_instant, state.newest_signed_date, state.sequence, scope.id, scope.generation,
            COALESCE((
                SELECT revision FROM catalog_revision WHERE scope_id = scope.id ORDER BY revision DESC LIMIT 1
            ), 0),
            EXISTS (SELECT 1 FROM pause WHERE scope_id = scope.id AND resumed_at IS NULL)
        FROM store_state AS state LEFT JOIN scope ON scope.bundle_id = ?1 AND scope.environment = ?2
        WHERE state.id = 1
        """
}

/// Inputs of every decision besides the customer, as of one snapshot.
public struct PresentState: Sendable, Hashable {
    public struct OfScope: Sendable, Hashable {
        public var number: ScopeNumber
        public var generation: Int64
        /// The number of the catalog revision in force; 0 before the first was applied.
        public var catalogRevision: Int64
        public var hasPauses: Bool
    }

    public var marks: ClockMarks
    public var newestSequence: Int64
    /// Absent if nothing was ever stored in the scope.
    public var scope: OfScope?
}
