public import OfferModel

public struct StoredAPIKey: Sendable, Hashable {
    public var id: String
    public var scope: Scope
    public var role: Role
    public var secretDigest: [UInt8]
    public var label: String?
    public var createdAt: Instant
    /// From when it is not accepted.
    public var expiresAt: Instant?
    /// Where it may be used from; everywhere if empty.
    public var networks: [IPNetwork]
    /// From when it is not accepted because another key replaces it.
    public var endsAt: Instant?
    /// Not accepted from the commit of the revocation on, whatever the clock says.
    public var revokedAt: Instant?

    public init(
        id: String, scope: Scope, role: Role, secretDigest: [UInt8], label: String? = nil, createdAt: Instant,
        expiresAt: Instant? = nil, networks: [IPNetwork] = [], endsAt: Instant? = nil, revokedAt: Instant? = nil
    ) {
        self.id = id
        self.scope = scope
        self.role = role
        self.secretDigest = secretDigest
        self.label = label
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.networks = networks
        self.endsAt = endsAt
        self.revokedAt = revokedAt
    }

    public func isValid(at now: Instant) -> Bool {
        switch state(at: now) {
        case .active, .ends: true
        case .expired, .revoked: false
        }
    }

    public func state(at now: Instant) -> APIKeyState {
        if revokedAt != nil { return .revoked }
        guard let end else { return .active }
        if end <= now { return .expired }
        return endsAt == nil ? .active : .ends(end)
    }

    /// - Parameter address: `nil` for a caller without one.
    public func isAccepted(from address: IPAddress?) -> Bool {
        networks.isEmpty || address.map { address in networks.contains { $0.contains(address) } } ?? false
    }

    /// When it expires or its replacement takes over, whichever is first.
    public var end: Instant? { [expiresAt, endsAt].compactMap(\.self).min() }
}

public enum APIKeyState: Sendable, Hashable {
    case active
    /// Another key replaces it, and it is accepted until then.
    case ends(Instant)
    case expired
    case revoked
}

public struct APIKeyStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Keeps a new key; its scope is added if it is new.
    ///
    /// - Parameter replaced: the id of the key that it replaces.
    /// - Throws: ``StoreError/constraint(_:)`` if the id is known or the digest is not 32 bytes.
    public func insert(_ key: StoredAPIKey, replacing replaced: String? = nil) throws {
        let scope = try ScopeStore(transaction).findOrAdd(key.scope)
        let created: AuditValues = ["apiKey": key.id, "role": key.role, "replaces": replaced]
        try transaction.insert(
            .apiKeyCreated, APIKeyRow(key, in: scope), at: key.createdAt, in: scope, after: created.withoutNulls)
    }

    /// One key, also a revoked or expired one, and the latest instant a transaction was committed at: together, because
    /// every request asks for both.
    public func key(_ id: String) throws -> (key: StoredAPIKey, lastInstant: Instant?)? {
        if let known = transaction.memory?.snapshot?.apiKeys[id] { return known }
        let key = try Statement(Self.selectOne, id).first(in: transaction) { reader in
            (key: try APIKeyRow.key(reading: &reader), lastInstant: try reader.next() as Instant?)
        }
        transaction.memory?.snapshot?.apiKeys[id] = key
        return key
    }

    public func ids() throws -> [String] {
        try transaction.all("SELECT id FROM api_key WHERE id > ?1 ORDER BY id", "")
    }

    public func keys() throws -> [StoredAPIKey] {
        try Statement("\(Self.select) ORDER BY k.created_at, k.id").all(in: transaction) {
            try APIKeyRow.key(reading: &$0)
        }
    }

    /// - Returns: whether there is such a key that was not revoked before.
    public func revoke(_ id: String, at now: Instant) throws -> Bool {
        try set("revoked_at", "revokedAt", of: id, to: now, .apiKeyRevoked, at: now)
    }

    /// Sets when a replaced key ends, once.
    ///
    /// - Returns: whether there is such a key whose end was not set before.
    public func end(_ id: String, from end: Instant, at now: Instant) throws -> Bool {
        try set("ends_at", "endsAt", of: id, to: end, .apiKeyRotated, at: now)
    }

    private func set(
        _ column: String, _ member: String, of id: String, to instant: Instant, _ kind: AuditKind, at now: Instant
    ) throws -> Bool {
        let scope: ScopeNumber? = try transaction.first(
            "UPDATE api_key SET \(column) = ?2 WHERE id = ?1 AND \(column) IS NULL RETURNING scope_id", id, instant)
        guard let scope else { return false }
        try transaction.audit().record(
            kind, at: now, in: scope, before: AuditValues([member: .null]),
            after: AuditValues(["apiKey": id.storedValue, member: instant.storedValue]))
        return true
    }

    /// Notes when keys were last used; a later instant stays.
    public func noteUses(_ uses: [String: Instant]) throws {
        for (id, instant) in uses.sorted(by: { $0.key < $1.key }) {
            try transaction.execute(
                """
                INSERT INTO api_key_use (api_key_id, last_used_at) VALUES (?1, ?2)
                ON CONFLICT (api_key_id) DO UPDATE SET last_used_at = excluded.last_used_at
                WHERE api_key_use.last_used_at < excluded.last_used_at
                """, id, instant)
        }
    }

    /// Dates uses in a future that only a wrong clock has seen.
    public func setBackUses(to now: Instant) throws {
        try transaction.execute("UPDATE api_key_use SET last_used_at = ?1 WHERE last_used_at > ?1", now)
    }

    public func lastUses() throws -> [String: Instant] {
        try transaction.dictionary("SELECT api_key_id, last_used_at FROM api_key_use WHERE api_key_id > ?1", "")
    }

    private static let select = """
        SELECT \(APIKeyRow.list("k.")), s.bundle_id, s.environment FROM api_key k JOIN scope s ON s.id = k.scope_id
        """
    private static let selectOne = """
        SELECT \(APIKeyRow.list("k.")), s.bundle_id, s.environment, t.last_instant FROM api_key k \
        JOIN scope s ON s.id = k.scope_id JOIN store_state t ON t.id = 1 WHERE k.id = ?1
        """
}

struct APIKeyRow: LedgerRecord {
    static var ledger: LedgerTable { .apiKey }

    /// All but its scope, which has a table of its own.
    private var key: StoredAPIKey
    private var scope: ScopeNumber

    static let blank = APIKeyRow(
        StoredAPIKey(
            id: "", scope: Scope(bundleId: "", environment: .xcode), role: .client, secretDigest: [],
            createdAt: .distantPast), in: .blank)

    init(_ key: StoredAPIKey, in scope: ScopeNumber) {
        self.key = key
        self.scope = scope
    }

    /// Reads its columns and those of its scope.
    static func key(reading row: inout RowReader) throws -> StoredAPIKey {
        var key = try APIKeyRow(reading: &row).key
        key.scope = Scope(bundleId: try row.next(), environment: try row.next())
        return key
    }

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("id", &key.id, .key("CHECK (length(id) > 0)"))
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns(
            "role", &key.role, .fixed("CHECK (role IN ('client', 'app', 'support', 'marketing', 'admin'))"))
        try columns("secret_digest", &key.secretDigest, .fixed("CHECK (length(secret_digest) = 32)"))
        try columns("label", &key.label, .erasable)
        try columns("created_at", &key.createdAt, .fixed)
        try columns("expires_at", &key.expiresAt, .fixed)
        var networks = key.networks.isEmpty ? nil : key.networks.map(\.description).joined(separator: " ")
        try columns("networks", &networks, .fixed)
        key.networks = try (networks ?? "").split(separator: " ").map { part in
            guard let network = try? IPNetwork(part) else {
                throw StoreError.corrupt("the networks of an API key cannot be read")
            }
            return network
        }
        try columns("ends_at", &key.endsAt, .state("endsAt"))
        try columns("revoked_at", &key.revokedAt, .state("revokedAt"))
    }
}
