public import OfferModel
public import OfferStore

public struct APIKeys: Sendable {
    private let database: Ledger
    private let digest: any Digest
    private let random: any RandomSource
    private let clock: RequestClock
    private let author: AuditAuthor
    let rates: RequestRates
    private let known = KnownAPIKeys()
    private let uses = APIKeyUses()

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
    /// A revocation by another process holds for the next request: the key is read again each time.
    ///
    /// From an address with too many failures, a token whose id is unknown is rejected before it is looked up; the
    /// holder of a valid key is not affected.
    ///
    /// - Parameter bytes: how long the request's body is.
    /// - Throws: `rateLimited`, `addressNotAllowed`.
    public func caller(
        forToken text: String, from address: IPAddress? = nil, body bytes: Int = 0
    ) async throws -> Caller? {
        if let caller = try await holder(of: text, from: address) {
            try rates.take(key: caller.apiKeyId, caller.role, from: address, body: bytes)
            return caller
        }
        try rates.noteFailure(from: address)
        return nil
    }

    private func holder(of text: String, from address: IPAddress?) async throws -> Caller? {
        guard let token = APIToken(text) else { return nil }
        try rates.requireToken(ofKey: token.id)
        if rates.hasTooManyFailures(address) {
            guard try await known.contain(token.id, at: rates.now, in: database) else { return nil }
        }
        guard let (key, lastInstant) = try await database.readOnce({ try APIKeyStore($0).key(token.id) }) else {
            return nil
        }
        let given = token.secretDigest(digest)
        // A key that has expired stays so, however the clock is set.
        let now = clock.tolerantInstant(after: lastInstant)
        guard digest.areEqual(given, key.secretDigest), token.kind == APIToken.Kind(key.scope, key.role) else {
            return nil
        }
        return try holder(of: key, from: address, at: now)
    }

    /// Who holds a key that a request has proven; `nil` if it is revoked or expired.
    ///
    /// - Throws: `addressNotAllowed`.
    func holder(of key: StoredAPIKey, from address: IPAddress?, at now: Instant) throws -> Caller? {
        guard key.isValid(at: now) else { return nil }
        guard key.isAccepted(from: address) else {
            try rates.noteFailure(from: address)
            throw RequestError.addressNotAllowed(address)
        }
        uses.note(key.id, at: now)
        return Caller(apiKeyId: key.id, scope: key.scope, role: key.role)
    }

    /// Makes a key and gives its token, which is stored nowhere.
    public func create(
        scope: Scope, role: Role, label: String? = nil, expiresAt: Instant? = nil, networks: [IPNetwork] = []
    ) async throws -> APIToken {
        let token = try APIToken(APIToken.Kind(scope, role), random: random)
        let key = StoredAPIKey(
            id: token.id, scope: scope, role: role, secretDigest: token.secretDigest(digest), label: label,
            createdAt: clock.wallClock(), expiresAt: expiresAt, networks: networks)
        try await database.write(by: author) { try APIKeyStore($0).insert(key) }
        return token
    }

    /// Makes a key like another one, which is accepted for a while longer.
    ///
    /// - Parameters:
    ///   - overlap: how long both keys are accepted, unless the old one expires sooner.
    ///   - lifetime: how long the new key is valid; `nil` for as long as the old one was.
    /// - Throws: ``APIKeyNotActive``; `clockBehind`, because an end that is set by a clock that ran ahead would come
    ///   too late.
    public func rotate(
        _ id: String, overlap: Period, lifetime: Period? = nil
    ) async throws -> (token: APIToken, oldKeyEndsAt: Instant) {
        return try await database.write(by: author) { transaction in
            let keys = APIKeyStore(transaction)
            let now = try clock.instant(transaction)
            let found = try keys.key(id)?.key
            guard let old = found, old.state(at: now) == .active else {
                throw APIKeyNotActive(state: found?.state(at: now))
            }
            let token = try APIToken(APIToken.Kind(old.scope, old.role), random: random)
            let expiresAt =
                lifetime.map { now.adding($0) }
                ?? old.expiresAt.map { now.adding(milliseconds: $0.milliseconds(since: old.createdAt)) }
            try keys.insert(
                StoredAPIKey(
                    id: token.id, scope: old.scope, role: old.role, secretDigest: token.secretDigest(digest),
                    label: old.label, createdAt: now, expiresAt: expiresAt, networks: old.networks),
                replacing: id)
            let end = min(now.adding(overlap), old.expiresAt ?? .distantFuture)
            _ = try keys.end(id, from: end, at: now)
            return (token, end)
        }
    }

    /// Every key, the earliest first; their secrets are not stored.
    ///
    /// - Parameter withUnstoredUses: whether uses count that this process has yet to store.
    public func list(withUnstoredUses: Bool = false) async throws -> [APIKeySummary] {
        try await database.read { transaction in
            let now = try clock.tolerantInstant(transaction)
            let store = APIKeyStore(transaction)
            var uses = try store.lastUses()
            if withUnstoredUses {
                let hour = now.startOfHour
                uses.merge(self.uses.unstored.mapValues { min($0, hour) }, uniquingKeysWith: max)
            }
            return try store.keys().map { APIKeySummary($0, lastUsedAt: uses[$0.id], at: now) }
        }
    }

    /// Stores in which hours keys were used since the last time. A request does not: it would need a commit.
    public func storeUses() async throws {
        let unstored = uses.takeUnstored()
        guard !unstored.isEmpty else { return }
        do {
            try await database.write(by: author) { transaction in
                // An hour ahead was read from a clock that has been set right since.
                let hour = try clock.tolerantInstant(transaction).startOfHour
                try APIKeyStore(transaction).noteUses(unstored.mapValues { min($0, hour) })
            }
        } catch {
            uses.restore(unstored)
            throw error
        }
    }

    /// - Returns: whether there is such a key that was not revoked before.
    public func revoke(_ id: String) async throws -> Bool {
        return try await database.write(by: author) {
            try APIKeyStore($0).revoke(id, at: try clock.tolerantInstant($0))
        }
    }
}

public struct APIKeySummary: Sendable, Hashable {
    public var id: String
    public var scope: Scope
    public var role: Role
    /// The name that its owner gave it.
    public var label: String?
    public var createdAt: Instant
    /// From when it is not accepted, because it expires or another key replaces it.
    public var expiresAt: Instant?
    public var networks: [IPNetwork]
    /// The beginning of the hour in which it was last used, as far as it is stored; in the hour of its creation, that.
    public var lastUsedAt: Instant?
    /// By the same instant as a request's.
    public var state: APIKeyState

    init(_ key: StoredAPIKey, lastUsedAt: Instant?, at now: Instant) {
        id = key.id
        scope = key.scope
        role = key.role
        label = key.label
        createdAt = key.createdAt
        expiresAt = key.end
        networks = key.networks
        self.lastUsedAt = lastUsedAt.map { max($0, key.createdAt) }
        state = key.state(at: now)
    }
}

/// Why a key cannot be rotated.
public struct APIKeyNotActive: Error, Sendable, Hashable {
    /// `nil` if there is no such key.
    public var state: APIKeyState?
}

/// A bearer token, `offerd_<role>_<live|test>_<id>_<secret>`: the role and `live` for Production say at a glance, and to
/// scanners for secrets, what a token may do; the id finds the key, the secret proves it.
///
/// Only the secret's SHA-256 is stored. The secret is 256 random bits, so a plain digest is enough: there is nothing to
/// guess that a slow hash would protect.
public struct APIToken: Sendable, Equatable {
    /// What a token says about its key.
    public struct Kind: Sendable, Hashable {
        public let role: Role
        /// Whether it is for Production.
        public let isLive: Bool

        init(role: Role, isLive: Bool) {
            self.role = role
            self.isLive = isLive
        }

        init(_ scope: Scope, _ role: Role) {
            self.init(role: role, isLive: scope.environment == .production)
        }

        fileprivate static let all = Role.allCases.flatMap { role in
            [true, false].map { Kind(role: role, isLive: $0) }
        }

        fileprivate var prefix: String { "offerd_\(role.rawValue)_\(isLive ? "live" : "test")_" }
    }

    public let kind: Kind
    /// The public part: 16 lower-case hexadecimal digits.
    public let id: String
    /// The secret part: 64 lower-case hexadecimal digits.
    let secret: String

    private static let kinds = Kind.all.map { (prefix: Array($0.prefix.utf8), kind: $0) }
    private static let idLength = 16
    private static let secretLength = 64

    init(_ kind: Kind, random: some RandomSource) throws {
        self.kind = kind
        id = Hexadecimal.lowercase(try random.bytes(Self.idLength / 2))
        secret = Hexadecimal.lowercase(try random.bytes(Self.secretLength / 2))
    }

    /// Reads a token; `nil` if it has not the form of one.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let (prefix, kind) = Self.kinds.first(where: { bytes.starts(with: $0.prefix) }) else { return nil }
        let id = bytes.dropFirst(prefix.count).prefix(Self.idLength)
        let secret = bytes.suffix(Self.secretLength)
        guard bytes.count == prefix.count + Self.idLength + 1 + Self.secretLength,
            bytes[id.endIndex] == UInt8(ascii: "_"), Self.isHexadecimal(id), Self.isHexadecimal(secret)
        else { return nil }
        self.kind = kind
        self.id = String(decoding: id, as: UTF8.self)
        self.secret = String(decoding: secret, as: UTF8.self)
    }

    /// The whole token: shown once, at its making.
    public var text: String { "\(kind.prefix)\(id)_\(secret)" }

    func secretDigest(_ digest: some Digest) -> [UInt8] {
        digest.sha256(Array(secret.utf8))
    }

    private static func isHexadecimal(_ text: ArraySlice<UInt8>) -> Bool {
        text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension APIToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(kind.prefix)\(id)_…" }

    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// Who calls: the holder of one API key.
public struct Caller: Sendable, Hashable {
    /// The key, for records; never its secret.
    public var apiKeyId: String
    public var scope: Scope
    public var role: Role
    public var requestId: LowercaseUUID?
    /// The account of the app that a customer token proves; only with an `app` key.
    public var account: CustomerId?
    /// The name that a person gave when they signed in to the console with the key.
    public var person: String?

    public init(apiKeyId: String, scope: Scope, role: Role, requestId: LowercaseUUID? = nil) {
        self.apiKeyId = apiKeyId
        self.scope = scope
        self.role = role
        self.requestId = requestId
    }

    var author: AuditAuthor { AuditAuthor(actor: actor, requestId: requestId) }

    /// As records name the caller: the key, with the name of a person.
    var actor: String { person.map { "\(apiKeyId) (\($0))" } ?? apiKeyId }
}

/// The `actor` of a record in its parts: a key or a command, and the person who used the key.
struct RecordedActor {
    let key: String
    let person: String?

    /// Taken apart by bytes: a name may begin with an accent, which is one character with the bracket before it.
    init(_ actor: String) {
        let bytes = Array(actor.utf8)
        guard let start = bytes.firstRange(of: Array(" (".utf8)), bytes.last == UInt8(ascii: ")") else {
            (key, person) = (actor, nil)
            return
        }
        key = String(decoding: bytes[..<start.lowerBound], as: UTF8.self)
        person = String(decoding: bytes[start.upperBound...].dropLast(), as: UTF8.self)
    }

    /// The records of a key that a person used, whatever their name, for SQL's `LIKE`: a key's id is of digits and letters.
    static func pattern(ofPersonsWith key: String) -> String { "\(key) (%" }

    /// For a sentence: the key, and the person after a comma.
    var words: String { key + (person.map { ", \($0)" } ?? "") }
}
