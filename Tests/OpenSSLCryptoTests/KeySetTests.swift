import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("A login provider's key set")
struct KeySetTests {
    private static let provider = Result { try LoginProvider() }

    private static func keys(_ text: String) throws -> [String: any CustomerTokenKey] {
        try JSONWebKeySet.keys(Array(text.utf8))
    }

    @Test("RSA keys are for RS256 and keys on P-256 for ES256, by their `kid`")
    func algorithms() throws {
        let keys = try Self.keys(try Self.provider.get().keySet("rsa", "ec"))
        #expect(keys.mapValues(\.algorithm) == ["rsa": .rs256, "ec": .es256])
    }

    @Test("keys for something else, or of another kind, are left out and spoil no other")
    func leftOut() throws {
        let provider = try LoginProvider()
        try provider.make("weak", .rsa(bits: 1_024))
        try provider.make("long", .p384)
        let entries = [
            try provider.jwk("rsa", name: "encryption", ["use": "enc"]), try provider.jwk("weak"),
            try provider.jwk("long"), try provider.jwk("rsa", name: "rs512", ["alg": "RS512"]),
            try provider.jwk("rsa", name: "mixed", ["alg": "ES256"]),
            try provider.jwk("ec", name: "curve", ["crv": "P-384"]),
            // Not a point of the curve.
            try provider.jwk("ec", name: "off", ["y": LoginProvider.base64(Array(repeating: 1, count: 32))]),
            try provider.jwk("ec", name: "short", ["x": "AQ"]), try provider.jwk("rsa", name: "one", ["e": "AQ"]),
            try provider.jwk("rsa", name: "even", ["e": "AQAA"]), try provider.jwk("rsa", name: "text", ["n": "+/="]),
            try provider.jwk("rsa", name: "empty", ["n": ""]), try provider.jwk("rsa", ["kid": nil]),
            #"{"kty":"oct","kid":"secret","k":"c2VjcmV0"}"#, #"{"kty":"RSA","kid":7}"#, "null", "[]",
            #"{"kty":"RSA","kid":"signs","n":"AQAB","e":"AQAB","key_ops":["sign"]}"#,
            try provider.jwk("rsa", name: "plain", ["use": nil, "alg": nil]), try provider.jwk("ec"),
            // The first of two is the key of the name.
            try provider.jwk("rsa", name: "ec"),
        ]
        let keys = try Self.keys("{\"keys\":[\(entries.joined(separator: ","))],\"more\":1}")
        #expect(keys.mapValues(\.algorithm) == ["plain": .rs256, "ec": .es256])
    }

    @Test(
        "a set without a usable key, of too many keys or bytes, or of another form is refused",
        arguments: [
            ("{\"keys\":[]}", "no key"), ("{}", "not a JSON Web Key Set"), ("[]", "not a JSON Web Key Set"),
            ("", "not a JSON Web Key Set"), ("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\"}]}", "no key"),
            ("{\"keys\":[\(Array(repeating: "{}", count: 101).joined(separator: ","))]}", "more than 100 keys"),
            ("{\"keys\":[]}" + String(repeating: " ", count: 65_536), "more than 65536 bytes"),
            (String(repeating: "[", count: 60_000), "not a JSON Web Key Set"),
        ])
    func refused(text: String, detail: String) throws {
        let error = #expect(throws: InvalidKeySet.self) { try Self.keys(text) }
        #expect(error?.detail.contains(detail) == true, "\(error?.detail ?? "")")
    }
}
