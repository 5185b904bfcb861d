public import OfferModel

/// What every decision rests on beside the customer, as of one snapshot.
public struct PresentState: Sendable, Hashable {
    /// Of one app and environment.
    public struct OfScope: Sendable, Hashable {
        /// The store's number of it.
        public var number: ScopeNumber
        /// See ``ScopeStore/generation(of:)``.
        public var generation: Int64
        /// The number of the catalog revision in force; 0 before the first was applied.
        public var catalogRevision: Int64
        /// Whether any pause is in force.
        public var hasPauses: Bool
    }

    /// What the wall clock must not be far behind.
    public var marks: ClockMarks
    /// The number of the newest event.
    public var newestSequence: Int64
    /// Absent if nothing was ever stored in the scope.
    public var scope: OfScope?
}

extension ScopeStore {
    /// The state around a scope, in one statement.
    ///
    /// - Throws: ``StoreError``.
    public func presentState(around scope: Scope) throws -> PresentState {
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
