package import OfferModel
import OfferStore

/// The sessions of people at the console: an API key, exchanged for a secret that a browser keeps.
///
/// A session is worth what its key is worth: the key is read again for each request, so a session ends at once when its
/// key is revoked or expires, and it is good only from the key's networks. Only the digest of the secret is stored.
package struct ConsoleSessions: Sendable {
    /// How long a session lasts, in milliseconds: a day's work.
    package static let life = 12 * Instant.Duration.hour
    /// How long a link signs in, in milliseconds: time enough to go from a terminal to a browser.
    package static let linkLife = 10 * Instant.Duration.minute
    private static let secretLength = 64

    let database: Ledger
    let apiKeys: APIKeys
    let digest: any Digest
    let random: any RandomSource
    let clock: RequestClock

    /// Begins a session of the holder of a key.
    ///
    /// - Returns: the secret, which is stored nowhere: 64 lower-case hexadecimal digits of 256 random bits.
    package func begin(for caller: Caller, person: String?) async throws -> String {
        let secret = try newSecret()
        try await keep(digest(of: secret), for: caller, person: person, life: Self.life)
        return secret
    }

    /// Makes the code of a link that signs the holder of a key in once, where the key is of LocalTesting.
    ///
    /// - Returns: the code, which is stored nowhere and is no session's secret: it has a digest of its own kind.
    package func link(for caller: Caller) async throws -> String {
        let code = try newSecret()
        try await keep(digest(ofLink: code), for: caller, person: nil, life: Self.linkLife)
        return code
    }

    /// Who the code of a link signs in, which is worth nothing from then on; `nil` if it is unknown, used or over, is
    /// sent from another machine, or is of a key that is not of LocalTesting or not valid.
    ///
    /// - Throws: `rateLimited`, `addressNotAllowed`.
    package func caller(forLink code: String, from address: IPAddress?) async throws -> Caller? {
        let digest = digest(ofLink: code)
        guard address?.isLoopback == true,
            let (link, key, last) = try await database.readInline({ try ConsoleSessionStore($0).session(digest) }),
            key.scope.environment == .localTesting
        else {
            try apiKeys.rates.noteFailure(from: address)
            return nil
        }
        let now = clock.tolerantInstant(after: last)
        guard link.expiresAt > now, let caller = try apiKeys.holder(of: key, from: address, at: now),
            // Of several requests at once, one removes it.
            try await database.write(by: caller.author, { try ConsoleSessionStore($0).remove(digest) })
        else { return nil }
        try apiKeys.rates.take(key: caller.apiKeyId, caller.role, from: address)
        return caller
    }

    private func newSecret() throws -> String { Hexadecimal.lowercase(try random.bytes(Self.secretLength / 2)) }

    private func keep(_ digest: String, for caller: Caller, person: String?, life: Int64) async throws {
        try await database.write(by: caller.author) { transaction in
            let now = try clock.tolerantInstant(transaction)
            try ConsoleSessionStore(transaction).insert(
                ConsoleSession(
                    digest: digest, apiKeyId: caller.apiKeyId, person: person, createdAt: now,
                    expiresAt: now.adding(milliseconds: life)))
        }
    }

    /// Who a secret is of; `nil` if it is unknown, or if its session or its key is over.
    ///
    /// An unknown secret counts as a failed attempt of its address, like an unknown token.
    ///
    /// - Throws: `rateLimited`, `addressNotAllowed`.
    package func caller(forSecret secret: String, from address: IPAddress?) async throws -> Caller? {
        let digest = digest(of: secret)
        guard secret.utf8.count == Self.secretLength,
            let (session, key, last) = try await database.readInline({ try ConsoleSessionStore($0).session(digest) })
        else {
            try apiKeys.rates.noteFailure(from: address)
            return nil
        }
        let now = clock.tolerantInstant(after: last)
        guard session.expiresAt > now, var caller = try apiKeys.holder(of: key, from: address, at: now) else {
            return nil
        }
        try apiKeys.rates.take(key: caller.apiKeyId, caller.role, from: address)
        caller.person = session.person
        return caller
    }

    /// Who a trusted proxy says is at a browser, as the holder of a key; `nil` if that is unknown, revoked or expired.
    ///
    /// - Returns: with what the tokens of the person's forms follow from, in place of a session's secret: neither the
    ///   browser nor another page can know it, and all servers of a database do.
    /// - Throws: `rateLimited`, `addressNotAllowed`.
    package func caller(
        ofProxyUser person: String, key id: String, from address: IPAddress?
    ) async throws -> (caller: Caller, secret: String)? {
        guard let (key, last) = try await database.readInline({ try APIKeyStore($0).key(id) }),
            var caller = try apiKeys.holder(of: key, from: address, at: clock.tolerantInstant(after: last))
        else { return nil }
        try apiKeys.rates.take(key: caller.apiKeyId, caller.role, from: address)
        caller.person = person
        return (caller, "\(Hexadecimal.lowercase(key.secretDigest))\n\(person)")
    }

    package func end(_ secret: String, by caller: Caller) async throws {
        let digest = digest(of: secret)
        _ = try await database.write(by: caller.author) { try ConsoleSessionStore($0).remove(digest) }
    }

    /// What each form of a session carries, so that no other page can send it: it follows from the secret, which other
    /// pages cannot read.
    package func formToken(of secret: String) -> String {
        Hexadecimal.lowercase(digest.sha256(Array("offerd-console-form\n\(secret)".utf8)))
    }

    package func isFormToken(_ given: String, of secret: String) -> Bool {
        digest.areEqual(Array(given.utf8), Array(formToken(of: secret).utf8))
    }

    private func digest(ofLink code: String) -> String { digest(of: "offerd-console-link\n\(code)") }

    private func digest(of secret: String) -> String { Hexadecimal.lowercase(digest.sha256(Array(secret.utf8))) }
}
