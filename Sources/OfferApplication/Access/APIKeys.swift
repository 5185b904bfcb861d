public import OfferModel
public import OfferStore

/// The keys that callers hold.
public struct APIKeys: Sendable {
    private let database: Ledger
    private let digest: any Digest
    private let random: any RandomSource
    private let clock: RequestClock
    private let author: AuditAuthor
    private let rates: RequestRates
    private let known = KnownAPIKeys()

    /// Keys kept in a database.
    ///
    /// - Parameters:
    ///   - author: who makes and revokes keys.
    ///   - rates: limits the requests of a key, and failed authentication.
    public init(
        database: Ledger, digest: any Digest, random: any RandomSource,
        author: AuditAuthor, rates: RequestRates = RequestRates(.off), clock: @escaping @Sendable () -> Instant
    ) {
        self.database = database
        self.digest = digest
        self.random = random
        self.author = author
        self.rates = rates
        self.clock = RequestClock(wallClock: clock)
    }

    /// Who holds a token; `nil` if it is malformed, unknown, revoked or expired.
    ///
    /// A revocation by another process holds for the next request: the key is read anew each time.
    ///
    /// From an address with too many failures, a token whose id is unknown is rejected before it is looked up; the holder
    /// of a valid key is not affected.
    ///
    /// - Throws: ``RequestError/rateLimited(_:)``, and what the store throws.
    public func caller(forToken text: String, from address: PeerAddress = .unknown) async throws -> Caller? {
        if let caller = try await holder(of: text, from: address) {
            try rates.take(key: caller.apiKeyId)
            return caller
        }
        try rates.noteFailure(from: address)
        return nil
    }

    private func holder(of text: String, from address: PeerAddress) async throws -> Caller? {
        guard let token = APIToken(text) else { return nil }
        try rates.requireToken(ofKey: token.id)
        if rates.hasTooManyFailures(address) {
            guard try await known.contain(token.id, at: rates.now, in: database) else { return nil }
        }
        guard let (key, lastInstant) = try await database.readInline({ try APIKeyStore($0).key(token.id) }) else {
            return nil
        }
        let present = clock.wallClock()
        let now = max(present, lastInstant ?? present)
        let given = token.secretDigest(digest)
        // A key that has expired stays so, however the clock is set.
        guard Self.areEqual(given, key.secretDigest), key.isValid(at: now) else { return nil }
        return Caller(apiKeyId: key.id, scope: key.scope, role: key.role)
    }

    /// Makes a key and gives its token, which is stored nowhere.
    ///
    /// - Throws: when the generator has no entropy, and what the store throws.
    public func create(
        scope: Scope, role: Role, label: String? = nil, expiresAt: Instant? = nil
    ) async throws -> APIToken {
        let token = try APIToken(random: random)
        let key = StoredAPIKey(
            id: token.id, scope: scope, role: role, secretDigest: token.secretDigest(digest), label: label,
            createdAt: clock.wallClock(), expiresAt: expiresAt)
        try await database.write(by: author) { try APIKeyStore($0).insert(key) }
        return token
    }

    /// Every key, the earliest first; secrets are not among what is known of them.
    ///
    /// - Throws: what the store throws.
    public func list() async throws -> [APIKeySummary] {
        try await database.read { try APIKeyStore($0).keys() }.map(APIKeySummary.init)
    }

    /// Revokes a key for good.
    ///
    /// - Returns: whether there is such a key that was not revoked before.
    /// - Throws: what the store throws.
    public func revoke(_ id: String) async throws -> Bool {
        let clock = clock
        return try await database.write(by: author) {
            try APIKeyStore($0).revoke(id, at: try clock.instantOfLooking($0))
        }
    }

    /// Compares without telling by its time how much is equal.
    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// What may be shown of an API key.
public struct APIKeySummary: Sendable, Hashable {
    /// The public half of the token.
    public var id: String
    /// The app and environment.
    public var scope: Scope
    /// What it may do.
    public var role: Role
    /// What its owner calls it.
    public var label: String?
    /// When it was made.
    public var createdAt: Instant
    /// From when it is not accepted.
    public var expiresAt: Instant?
    /// When it was revoked.
    public var revokedAt: Instant?

    init(_ key: StoredAPIKey) {
        id = key.id
        scope = key.scope
        role = key.role
        label = key.label
        createdAt = key.createdAt
        expiresAt = key.expiresAt
        revokedAt = key.revokedAt
    }
}
