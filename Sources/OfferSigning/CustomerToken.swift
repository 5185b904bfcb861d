import JSON
public import OfferModel

/// A JWT by which a login provider states who uses the app (RFC 7519), taken apart but not verified.
public struct CustomerToken: Sendable {
    public enum Algorithm: String, Sendable, Hashable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    /// The longest token, in bytes.
    public static let longest = 16 * 1_024
    /// How far the provider's clock may be ahead, in seconds.
    private static let leeway = 60.0
    private static let form = JSONForm.Limits(
        depth: 32, nameLength: 255, numberLength: 64, allowsRepeatedMembers: false)

    /// The provider's name for the key.
    public let keyId: String
    public let algorithm: Algorithm
    private let jws: CompactJWS

    public init(parsing text: String) throws(CustomerTokenRefusal) {
        guard text.utf8.count <= Self.longest else {
            throw CustomerTokenRefusal("it has more than \(Self.longest) bytes")
        }
        guard let jws = try? CompactJWS(parsing: text) else { throw CustomerTokenRefusal("it is not a signed JWT") }
        guard let algorithm = jws.header.alg.flatMap({ Algorithm(rawValue: $0) }) else {
            throw CustomerTokenRefusal("its `alg` is neither `RS256` nor `ES256`")
        }
        guard let keyId = jws.header.kid else { throw CustomerTokenRefusal("it has no `kid`") }
        (self.jws, self.algorithm, self.keyId) = (jws, algorithm, keyId)
    }

    /// The `sub` of the token, if the provider signed it for this service and it is valid now.
    ///
    /// - Parameter key: the provider's key of the name ``keyId``.
    public func subject(
        signedBy key: any CustomerTokenKey, issuer: String, audience: String, at now: Instant
    ) throws(CustomerTokenRefusal) -> CustomerId {
        try require(key.algorithm == algorithm, "its `alg` is not that of its key")
        try require(key.isValid(jws.signature, of: jws.signingInput), "its signature is not valid")
        guard let members = try? JSONObject(jws.payload, Self.form), let claims = try? Claims(members) else {
            throw CustomerTokenRefusal("its payload does not have the form of a JWT's")
        }
        try require(
            claims.iss?.hasSameBytes(as: issuer) == true, "its `iss` is not `customerTokens.issuer` of offerd.yaml")
        try require(
            claims.aud.contains { $0.hasSameBytes(as: audience) },
            "its `aud` does not name `customerTokens.audience` of offerd.yaml")
        let seconds = Double(now.milliseconds) / 1_000
        guard let exp = claims.exp else { throw CustomerTokenRefusal("it has no `exp`") }
        try require(seconds < exp, "it has expired", hint: "send a fresh token of the login provider")
        for (name, date) in [("nbf", claims.nbf), ("iat", claims.iat)] {
            try require(
                (date ?? 0) <= seconds + Self.leeway, "its `\(name)` is in the future", hint: "check the clocks")
        }
        guard let sub = claims.sub else { throw CustomerTokenRefusal("it has no `sub`") }
        return CustomerId(sub)
    }

    private func require(
        _ condition: Bool, _ detail: String, hint: String? = nil
    ) throws(CustomerTokenRefusal) {
        guard condition else { throw CustomerTokenRefusal(detail, hint: hint) }
    }

    private struct Claims {
        let iss: String?
        let aud: [String]
        let sub: String?
        /// In seconds since 1970, like the others.
        let exp: Double?
        let nbf: Double?
        let iat: Double?

        init(_ members: JSONObject) throws {
            iss = try members.text("iss")
            // One text or a list of them.
            aud = try (try? members.text("aud")).map { [$0] } ?? members.texts("aud") ?? []
            sub = try members.text("sub")
            exp = try members.double("exp")
            nbf = try members.double("nbf")
            iat = try members.double("iat")
        }
    }
}

/// A login provider's public key that signs customer tokens.
public protocol CustomerTokenKey: Sendable {
    var algorithm: CustomerToken.Algorithm { get }

    /// Whether the key signed the message, by the signature as a JWS has it (RFC 7518 §3.3, §3.4).
    func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool
}

/// Why a customer token is not accepted. It never quotes the token.
public struct CustomerTokenRefusal: Error, Sendable, Hashable {
    /// The fault of the token, in words that begin with "it".
    public let detail: String
    public let hint: String?

    public init(_ detail: String, hint: String? = nil) {
        self.detail = detail
        self.hint = hint
    }
}
