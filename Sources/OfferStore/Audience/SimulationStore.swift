public import OfferModel

public enum SimulationState: String, Sendable, Hashable, CaseIterable, Storable {
    case running, done, cancelled, failed
}

/// A count of an offer's audience that was asked for, with how far it is or what came of it.
public struct StoredSimulation: Sendable, Hashable {
    public var id: LowercaseUUID
    var scope: ScopeNumber
    public var apiKeyId: String
    public var state = SimulationState.running
    public var done = 0
    public var of = 0
    /// The result as JSON. Of customers it has only the store's numbers, so an erasure leaves nothing of theirs in it, but
    /// for a condition that named one, which is kept for a day.
    public var result: String?
    /// Why it failed, for people.
    public var failure: String?
    public var createdAt: Instant
    /// When its server last wrote of it.
    public var updatedAt: Instant

    public init(id: LowercaseUUID, scope: ScopeNumber, apiKeyId: String, at now: Instant) {
        self.id = id
        self.scope = scope
        self.apiKeyId = apiKeyId
        createdAt = now
        updatedAt = now
    }
}

extension StoredSimulation: TableRow {
    static let blank = StoredSimulation(id: .blank, scope: .blank, apiKeyId: "", at: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("id", &id, .key("CHECK (length(id) = 36 AND id = lower(id))"))
        try columns("scope_id", &scope, "REFERENCES scope (id)")
        try columns("api_key_id", &apiKeyId)
        try columns("state", &state, "CHECK (state IN ('running', 'done', 'cancelled', 'failed'))")
        try columns("done", &done)
        try columns("total", &of)
        try columns("result", &result)
        try columns("failure", &failure)
        try columns("created_at", &createdAt)
        try columns("updated_at", &updatedAt)
    }
}

/// Counts of audiences, each for a day, so that every server on the database can tell of them and a restart loses no
/// result. Not part of the audited ledger: nothing is decided by them.
public struct SimulationStore {
    /// How long one is kept, in milliseconds.
    public static let life = Instant.Duration.day
    /// How long a running one may go without a word of its server, in milliseconds.
    public static let silence = 60 * Instant.Duration.second

    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Adds one, and removes those whose day is over.
    public func add(_ simulation: StoredSimulation) throws {
        _ = try clear(at: simulation.createdAt)
        try transaction.insert(simulation, into: .simulation)
    }

    /// - Returns: how many were removed.
    @discardableResult
    public func clear(at now: Instant) throws -> Int {
        try transaction.changes(
            by: "DELETE FROM simulation WHERE created_at <= ?1", now.adding(milliseconds: -Self.life))
    }

    /// One as it is known now; `nil` if there is none in the scope, or its day is over. One whose server has been silent
    /// for too long has failed.
    public func simulation(_ id: LowercaseUUID, at now: Instant, in scope: ScopeNumber) throws -> StoredSimulation? {
        let found: StoredSimulation? = try transaction.first(
            "SELECT \(StoredSimulation.list()) FROM simulation WHERE id = ?1 AND scope_id = ?2 AND created_at > ?3", id,
            scope, now.adding(milliseconds: -Self.life))
        guard var found, found.state == .running, found.updatedAt < now.adding(milliseconds: -Self.silence) else {
            return found
        }
        found.state = .failed
        found.failure = "the server that counted has ended"
        return found
    }

    /// Notes how far one is, which also says that its server lives.
    public func note(_ id: LowercaseUUID, done: Int, of total: Int, at now: Instant) throws {
        try transaction.execute(
            "UPDATE simulation SET done = ?2, total = ?3, updated_at = ?4 WHERE id = ?1 AND state = 'running'", id,
            done,
            total, now)
    }

    /// Ends one; what has ended stays as it is.
    public func finish(
        _ id: LowercaseUUID, as state: SimulationState, done: Int, of total: Int, result: String? = nil,
        failure: String? = nil, at now: Instant
    ) throws {
        try transaction.execute(
            """
            UPDATE simulation SET state = ?2, done = ?3, total = ?4, result = ?5, failure = ?6, updated_at = ?7
            WHERE id = ?1 AND state = 'running'
            """, id, state, done, total, result, failure, now)
    }

    /// Whether one is still wanted: its server asks this while it counts, because another may have cancelled it.
    public func isRunning(_ id: LowercaseUUID) throws -> Bool {
        let state: SimulationState? = try transaction.first("SELECT state FROM simulation WHERE id = ?1", id)
        return state == .running
    }
}
