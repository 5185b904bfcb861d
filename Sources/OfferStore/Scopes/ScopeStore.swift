public import OfferModel

/// The store's own number of one app in one environment; every row belongs to one.
public struct ScopeNumber: RawRepresentable, Sendable, Hashable, Storable {
    /// The number.
    public let rawValue: Int64
    /// Wraps a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Apps and environments, and the generation of what decisions in them depend on.
public struct ScopeStore {
    let transaction: any StoreTransaction

    /// The scopes as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The number of a scope; `nil` if nothing was ever stored in it.
    ///
    /// - Throws: ``StoreError``.
    public func number(of scope: Scope) throws -> ScopeNumber? {
        try Statement(
            "SELECT id FROM scope WHERE bundle_id = ?1 AND environment = ?2", scope.bundleId, scope.environment
        ).first(in: transaction) { try $0.next() }
    }

    /// The number of a scope, which is added if it is new. Needs a writing transaction.
    ///
    /// - Throws: ``StoreError``.
    public func findOrAdd(_ scope: Scope) throws -> ScopeNumber {
        if let known = try number(of: scope) { return known }
        try transaction.execute(
            Statement(
                """
                INSERT INTO scope (bundle_id, environment, generation) VALUES (?1, ?2, 0)
                ON CONFLICT (bundle_id, environment) DO NOTHING
                """, scope.bundleId, scope.environment))
        guard let added = try number(of: scope) else { throw StoreError.corrupt("a new row of `scope` is missing") }
        return added
    }

    /// The scope with that number.
    ///
    /// - Throws: ``StoreError``.
    func scope(_ number: ScopeNumber) throws -> Scope {
        let row = try transaction.row(Statement("SELECT bundle_id, environment FROM scope WHERE id = ?1", number))
        guard let row else { throw StoreError.corrupt("scope \(number.rawValue) is missing") }
        return Scope(bundleId: try row.value(0), environment: try row.value(1))
    }

    /// A number that changes with the catalog and the pauses of a scope (docs/design.md#issuing).
    ///
    /// - Throws: ``StoreError``.
    public func generation(of scope: ScopeNumber) throws -> Int64 {
        if let known = transaction.memory?.contents.generations[scope] { return known }
        let row = try transaction.row(Statement("SELECT generation FROM scope WHERE id = ?1", scope))
        guard let row else { throw StoreError.corrupt("scope \(scope.rawValue) is missing") }
        let generation: Int64 = try row.value(0)
        transaction.memory?.contents.generations[scope] = generation
        return generation
    }

    /// Makes decisions in progress look again, because something they depend on has changed.
    ///
    /// - Throws: ``StoreError``.
    public func advanceGeneration(of scope: ScopeNumber) throws {
        try transaction.execute(Statement("UPDATE scope SET generation = generation + 1 WHERE id = ?1", scope))
        transaction.memory?.contents.generations[scope] = nil
    }
}
