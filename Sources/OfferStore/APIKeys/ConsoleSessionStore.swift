public import OfferModel

/// A person signed in to the console with an API key, or a link that signs one in.
public struct ConsoleSession: Sendable, Hashable {
    /// SHA-256 of the secret in the browser's cookie, in lower-case hexadecimal; of a link, that of its code with a prefix.
    public var digest: String
    public var apiKeyId: String
    /// The name that the person gave, if any.
    public var person: String?
    public var createdAt: Instant
    public var expiresAt: Instant

    public init(digest: String, apiKeyId: String, person: String?, createdAt: Instant, expiresAt: Instant) {
        self.digest = digest
        self.apiKeyId = apiKeyId
        self.person = person
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

extension ConsoleSession: TableRow {
    static let blank = ConsoleSession(
        digest: "", apiKeyId: "", person: nil, createdAt: .distantPast, expiresAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("digest", &digest, .key("CHECK (length(digest) = 64)"))
        try columns("api_key_id", &apiKeyId, "REFERENCES api_key (id)")
        try columns("person", &person)
        try columns("created_at", &createdAt)
        try columns("expires_at", &expiresAt)
    }
}

/// The sessions of the console, which all servers of a database share.
public struct ConsoleSessionStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Keeps a new session, and removes those whose time is over.
    public func insert(_ session: ConsoleSession) throws {
        try transaction.execute("DELETE FROM console_session WHERE expires_at <= ?1", session.createdAt)
        try transaction.insert(session, into: .consoleSession)
    }

    /// A session with its key, also a revoked or expired one, and the latest instant a transaction was committed at.
    public func session(
        _ digest: String
    ) throws -> (session: ConsoleSession, key: StoredAPIKey, lastInstant: Instant?)? {
        let found: ConsoleSession? = try transaction.first(
            "SELECT \(ConsoleSession.list()) FROM console_session WHERE digest = ?1", digest)
        guard let found, let (key, lastInstant) = try APIKeyStore(transaction).key(found.apiKeyId) else { return nil }
        return (found, key, lastInstant)
    }

    /// - Returns: whether it was there.
    public func remove(_ digest: String) throws -> Bool {
        try transaction.changes(by: "DELETE FROM console_session WHERE digest = ?1", digest) > 0
    }
}
