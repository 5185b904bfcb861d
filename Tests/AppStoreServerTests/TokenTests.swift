import AppStoreServer
import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite struct TokenTests {
    private func verified(_ tokens: [String]) throws -> [String] {
        let scratch = try TemporaryDirectory()
        let key = try #require(TestKey.key)
        let pem = try scratch.write(key.publicKey.pem, to: "public.pem")
        let script = try #require(Bundle.module.url(forResource: "Fixtures/verify_jwt", withExtension: "py"))
        let run = try Command.run(
            "python3", [script.path, pem], input: Array(tokens.joined(separator: "\n").utf8))
        #expect(run.status == 0, "\(run.errorText)")
        return run.text.split(separator: "\n").map(String.init)
    }

    @Test("each attempt carries a fresh token that another implementation verifies, for this app alone")
    func tokens() async throws {
        let time = TestTime()
        let tokens = try await AppleServer.run(
            answering: [.error(5_000_001), .answer(200, #"{"signedAppTransactionInfo":"jws"}"#)]
        ) { server in
            try await withClient(of: server, time: time) { _ = try await $0.signedAppTransaction(of: "1") }
            return server.seen.map(\.token)
        }
        let issued = TestTime.start.milliseconds / 1_000
        let later = (TestTime.start.milliseconds + time.elapsedMilliseconds) / 1_000
        let expected = [issued, later].map { iat in
            """
            [{"alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"}, {"aud": "appstoreconnect-v1", \
            "bid": "com.example.pro", "exp": \(iat + 300), "iat": \(iat), "iss": "\(issuerId)"}]
            """
        }
        #expect(try verified(tokens) == expected)
        let parts = try #require(tokens.first).split(separator: ".")
        let changed = "\(parts[0]).\(parts[1]).\(parts[2].hasPrefix("A") ? "B" : "A")\(parts[2].dropFirst())"
        #expect(try verified([changed]) == ["bad signature"])
    }

    @Test("a token lives at most 60 minutes, whatever is asked for", arguments: [(3_601, 3_600), (0, 1), (60, 60)])
    func life(asked: Int64, given: Int64) throws {
        let token = ServerAPIToken(
            issuerId: issuerId, bundleId: "com.example.pro", issuedAt: TestTime.start, lifeSeconds: asked)
        let claims = try JSONDecoder().decode([String: Claim].self, from: Data(try token.claims()))
        let iat = try #require(claims["iat"]?.number)
        #expect(claims["exp"]?.number == iat + given)
    }

    private struct Claim: Decodable {
        let number: Int64?
        init(from decoder: any Decoder) throws { number = try? decoder.singleValueContainer().decode(Int64.self) }
    }

    @Test("a value that cannot be signed is not sent, and is named")
    func unsignable() async throws {
        try await AppleServer.run(answering: [.silence]) { server in
            let key = try #require(TestKey.key)
            let host = try #require(AppStoreServerHost(environment: .production, address: server.address))
            let transport = HTTPTransport()
            let client = AppStoreServerClient(
                access: AppStoreServerAccess(issuerId: "", bundleId: "com.example.pro", key: key),
                home: AppStoreServerClient.Server(host: host), transport: transport, time: TestTime())
            let error = await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "1")
            }
            await transport.shutdown()
            #expect(error?.code == .notSent)
            #expect(
                error?.message == "the request cannot be authorised: `issuerId` is empty and cannot be signed")
            #expect(server.seen.isEmpty)
        }
    }

    @Test("no key and no token is in an error or a dump (invariant 9)")
    func redacted() async throws {
        try await AppleServer.run(answering: [.answer(401, "Unauthenticated")]) { server in
            try await withClient(of: server) { client in
                let error = await failure { () throws(AppStoreServerError) in
                    try await client.signedAppTransaction(of: "1")
                }
                let token = try #require(server.seen.first?.token)
                var text = "\(String(describing: error)) \(String(reflecting: client))"
                dump(error, to: &text)
                dump(client, to: &text)
                #expect(!text.contains(token))
                #expect(!text.contains("PRIVATE" + " KEY"))
                #expect(error?.code == .unauthenticated)
                #expect(
                    error?.message
                        == "Apple does not accept the key `2X9R4HXF34` for `com.example.pro` at `\(server.address)` "
                        + "(status 401)")
                #expect(error?.hint?.contains("In-App Purchase key") == true)
                #expect(error?.attempts == 1)
            }
        }
    }
}
