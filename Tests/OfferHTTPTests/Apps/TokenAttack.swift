import Foundation
import OfferModel
import OfferTestSupport
import Testing

/// The values that an attacker sends as `Customer-Token` with a publishable key.
struct TokenAttack: Sendable, CustomTestStringConvertible {
    let title: String
    let status: Int
    let code: String
    /// The expected answer.
    let detail: String
    /// The values of the header.
    let tokens: @Sendable (LoginProvider, Int64) throws -> [String]
    var role = Role.app
    /// Further members of the request.
    var members = ""

    var testDescription: String { title }

    private init(
        _ title: String, _ detail: String, status: Int = 403, code: String = "customer-token-refused",
        role: Role = .app, members: String = "",
        _ tokens: @escaping @Sendable (LoginProvider, Int64) throws -> [String]
    ) {
        (self.title, self.detail, self.status, self.code) = (title, detail, status, code)
        (self.role, self.members, self.tokens) = (role, members, tokens)
    }

    /// Claims that the provider signed.
    private static func signed(
        _ title: String, _ detail: String, key: String = "rsa", _ changes: [String: String?]
    ) -> TokenAttack {
        TokenAttack(title, detail) { [try $0.token(LoginProvider.claims("user-1", at: $1, changes), key: key)] }
    }

    /// Claims that are right, under a header of the attacker's.
    private static func header(_ title: String, _ detail: String, key: String = "rsa", _ header: String) -> TokenAttack
    {
        TokenAttack(title, detail) { [try $0.token(LoginProvider.claims("user-1", at: $1), key: key, header: header)] }
    }

    static let all = headers + forms + claims + senders

    private static let unsupported = "its `alg` is neither `RS256` nor `ES256`"

    private static let headers = [
        TokenAttack("`alg` none, without a signature", unsupported) {
            let header = LoginProvider.base64(Array(#"{"alg":"none","kid":"rsa"}"#.utf8))
            return ["\(header).\(LoginProvider.base64(Array(LoginProvider.claims("user-1", at: $1).utf8)))."]
        },
        header("`alg` none, with a signature", unsupported, #"{"alg":"none","kid":"rsa"}"#),
        TokenAttack("HS256 with the public key as the secret", unsupported) {
            [
                try LoginProvider.symmetricToken(
                    LoginProvider.claims("user-1", at: $1), header: #"{"alg":"HS256","kid":"rsa"}"#,
                    secret: try $0.pem("rsa"))
            ]
        },
        TokenAttack("RS256 with an HMAC under the public key", "its signature is not valid") {
            [
                try LoginProvider.symmetricToken(
                    LoginProvider.claims("user-1", at: $1), header: #"{"alg":"RS256","kid":"rsa"}"#,
                    secret: try $0.pem("rsa"))
            ]
        },
        header("RS384", unsupported, #"{"alg":"RS384","kid":"rsa"}"#),
        header("PS256", unsupported, #"{"alg":"PS256","kid":"rsa"}"#),
        header("`alg` in lower case", unsupported, #"{"alg":"rs256","kid":"rsa"}"#),
        header(
            "the `kid` of the P-256 key with RS256", "its `alg` is not that of its key", #"{"alg":"RS256","kid":"ec"}"#),
        header(
            "the `kid` of the RSA key with ES256", "its `alg` is not that of its key", key: "ec",
            #"{"alg":"ES256","kid":"rsa"}"#),
        header("no `kid`", "it has no `kid`", #"{"alg":"RS256"}"#),
        header("an unknown `kid`", "the login provider has no key of its `kid`", #"{"alg":"RS256","kid":"other"}"#),
        header("`alg` twice in the header", "it is not a signed JWT", #"{"alg":"RS256","alg":"none","kid":"rsa"}"#),
        header("`kid` twice in the header", "it is not a signed JWT", #"{"alg":"RS256","kid":"rsa","kid":"rsa"}"#),
        header(
            "a critical extension", "it is not a signed JWT", #"{"alg":"RS256","kid":"rsa","crit":["b64"],"b64":false}"#
        ),
        TokenAttack("a key of the attacker's own, in the header", "its signature is not valid") {
            try $0.make("own", .rsa(bits: 2_048))
            return [
                try $0.token(
                    LoginProvider.claims("user-1", at: $1), key: "own",
                    header: #"{"alg":"RS256","kid":"rsa","jwk":\#(try $0.jwk("own", name: "rsa"))}"#)
            ]
        },
    ]

    private static let forms = [
        TokenAttack("no JWT", "it is not a signed JWT") { _, _ in ["secret-text"] },
        TokenAttack("an empty token", "it is not a signed JWT") { _, _ in [""] },
        TokenAttack("two tokens", "it is given twice") { provider, now in
            let token = try provider.token(LoginProvider.claims("user-1", at: now), key: "rsa")
            return [token, token]
        },
        TokenAttack("two tokens in one header", "it is not a signed JWT") { provider, now in
            let token = try provider.token(LoginProvider.claims("user-1", at: now), key: "rsa")
            return ["\(token), \(token)"]
        },
        TokenAttack("a changed payload", "its signature is not valid") { provider, now in
            let parts = try provider.token(LoginProvider.claims("user-1", at: now), key: "rsa").split(separator: ".")
            let other = LoginProvider.base64(Array(LoginProvider.claims("user-2", at: now).utf8))
            return ["\(parts[0]).\(other).\(parts[2])"]
        },
        TokenAttack("a changed payload under ES256", "its signature is not valid") { provider, now in
            let parts = try provider.token(LoginProvider.claims("user-1", at: now), key: "ec").split(separator: ".")
            let other = LoginProvider.base64(Array(LoginProvider.claims("user-2", at: now).utf8))
            return ["\(parts[0]).\(other).\(parts[2])"]
        },
        TokenAttack("an empty signature", "its signature is not valid") { provider, now in
            let parts = try provider.token(LoginProvider.claims("user-1", at: now), key: "ec").split(separator: ".")
            return ["\(parts[0]).\(parts[1])."]
        },
        TokenAttack("an ES256 signature of zeros", "its signature is not valid") { provider, now in
            let parts = try provider.token(LoginProvider.claims("user-1", at: now), key: "ec").split(separator: ".")
            return ["\(parts[0]).\(parts[1]).\(LoginProvider.base64(Array(repeating: 0, count: 64)))"]
        },
        TokenAttack("a payload that is no object", "its payload does not have the form of a JWT's") { provider, _ in
            [try provider.token("[]", key: "rsa")]
        },
        TokenAttack("`sub` twice", "its payload does not have the form of a JWT's") { provider, now in
            let claims = LoginProvider.claims("user-1", at: now).dropLast() + #","sub":"user-2"}"#
            return [try provider.token(String(claims), key: "rsa")]
        },
    ]

    private static let claims = [
        signed("another issuer", "its `iss` is not", ["iss": "\"https://evil.example.com/\""]),
        signed("the issuer without its last slash", "its `iss` is not", ["iss": "\"https://login.example.com\""]),
        signed("no issuer", "its `iss` is not", ["iss": nil]),
        signed("another audience", "its `aud` does not name", ["aud": "\"other-app\""]),
        signed("several other audiences", "its `aud` does not name", ["aud": #"["other-app","example-app2"]"#]),
        signed("no audience", "its `aud` does not name", ["aud": nil]),
        signed("an empty list of audiences", "its `aud` does not name", ["aud": "[]"]),
        signed("expired since 2001", "it has expired", ["exp": "1000000000"]),
        signed("an expired token under ES256", "it has expired", key: "ec", ["exp": "1000000000"]),
        signed("no `exp`", "it has no `exp`", ["exp": nil]),
        signed("`exp` null", "it has no `exp`", ["exp": "null"]),
        signed("`exp` as text", "its payload does not have the form", ["exp": "\"4000000000\""]),
        signed("`nbf` in the future", "its `nbf` is in the future", ["nbf": "4000000000"]),
        signed("`iat` in the future", "its `iat` is in the future", ["iat": "4000000000"]),
        signed("no `sub`", "it has no `sub`", ["sub": nil]),
        signed("an empty `sub`", "its `sub` cannot be a `customerId`", ["sub": "\"\""]),
        signed(
            "a `sub` of 256 characters", "its `sub` cannot be a `customerId`",
            ["sub": "\"\(String(repeating: "s", count: 256))\""]),
        signed("a `sub` with a control character", "its `sub` cannot be a `customerId`", ["sub": #""a\u0000b""#]),
        signed("a number as `sub`", "its payload does not have the form", ["sub": "17"]),
    ]

    private static let senders =
        [
            TokenAttack(
                "a token for another customer than the request states", "is not that of the customer token",
                code: "unproven-customer", members: #","customer":{"customerId":"anna"}"#
            ) { [try $0.token(LoginProvider.claims("user-1", at: $1), key: "rsa")] },
            TokenAttack(
                "a token that names the customer as the backend does, for another's data", "is not that of",
                code: "unproven-customer", members: #","customer":{"customerId":"user-1"}"#
            ) { [try $0.token(LoginProvider.claims("anna", at: $1), key: "rsa")] },
        ]
        + [Role.client, .admin].map { role in
            TokenAttack(
                "a token with a `\(role.rawValue)` key", "sends no customer token", status: 400,
                code: "invalid-request", role: role
            ) { [try $0.token(LoginProvider.claims("user-1", at: $1), key: "rsa")] }
        }
}
