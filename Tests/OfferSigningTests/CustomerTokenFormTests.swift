import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("The form of a customer token")
struct CustomerTokenFormTests {
    private static let now = Instant(milliseconds: 1_780_000_000_000)
    private static let provider = Result { try LoginProvider() }

    private static func subject(_ token: String, _ key: any CustomerTokenKey) throws -> CustomerId {
        try CustomerToken(parsing: token).subject(
            signedBy: key, issuer: LoginProvider.issuer, audience: LoginProvider.audience, at: now)
    }

    @Test("a token with any one character changed, left out or added is refused", arguments: ["rsa", "ec"])
    func changed(name: String) throws {
        let provider = try Self.provider.get()
        let key = try #require(try JSONWebKeySet.keys(Array(try provider.keySet(name).utf8))[name])
        let token = try provider.token(LoginProvider.claims("user-1", at: Self.now.seconds), key: name)
        #expect(try Self.subject(token, key) == "user-1")
        let characters = Array(token)
        for place in characters.indices {
            for other in ["A", "_", ".", "=", " ", ""] where String(characters[place]) != other {
                var edited = characters.map(String.init)
                edited[place] = other
                #expect(throws: CustomerTokenRefusal.self, "\(place) \(other)") {
                    try Self.subject(edited.joined(), key)
                }
            }
        }
        for edited in [token + "A", token + ".", token + "=", "." + token, token + "\n", " " + token] {
            #expect(throws: CustomerTokenRefusal.self) { try Self.subject(edited, key) }
        }
    }

    @Test("a token has at most 16 KiB")
    func length() throws {
        let provider = try Self.provider.get()
        let key = try #require(try JSONWebKeySet.keys(Array(try provider.keySet("ec").utf8))["ec"])
        func token(padding: Int) throws -> String {
            let more = ["pad": "\"\(String(repeating: "p", count: padding))\""]
            return try provider.token(LoginProvider.claims("user-1", at: Self.now.seconds, more), key: "ec")
        }
        let short = try token(padding: 0).utf8.count
        let fitting = (CustomerToken.longest - short) / 4 * 3 - 16
        #expect(try Self.subject(try token(padding: fitting), key) == "user-1")
        let refusal = #expect(throws: CustomerTokenRefusal.self) {
            try Self.subject(try token(padding: fitting + 64), key)
        }
        #expect(refusal?.detail == "it has more than 16384 bytes")
    }
}
