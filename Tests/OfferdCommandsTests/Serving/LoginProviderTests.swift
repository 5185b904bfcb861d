import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Login providers of a running server")
struct LoginProviderTests {
    private static func configuration(_ keys: String, _ more: String = "") -> String {
        """
        listen: 127.0.0.1:0
        database: offers.sqlite
        keys: keys.yaml
        rateLimits: { customer: off }
        customerTokens:
          issuer: \(LoginProvider.issuer)
          audience: \(LoginProvider.audience)
          keys: \(keys)
        \(more)
        """
    }

    private static func token(_ provider: LoginProvider, _ key: String) throws -> String {
        try provider.token(LoginProvider.claims("user-1", at: Int64(Date().timeIntervalSince1970)), key: key)
    }

    @Test("keys come from the URL, from the start on, and the log never has a token")
    func url() async throws {
        let (installation, provider) = (try await Installation(), try LoginProvider())
        try await AppleServer.run(answering: [.answer(200, try provider.keySet("ec"))]) { jwks in
            try installation.directory.write(Self.configuration(jwks.address), to: "offerd.yaml")
            let server = try await RunningServer.start(installation)
            let client = HTTPClient(configuration: HTTPClient.Configuration())
            try await until("the keys are fetched without any request") { jwks.seen.count == 1 }
            let body = "{\(try installation.lapsedCustomer(1))}"
            func ask(_ token: String) async throws -> RunningServer.Answer {
                try await server.ask(
                    "POST", "/v1/transactions", token: try installation.token(.app), body: body,
                    headers: ["Customer-Token": token], client: client)
            }
            let token = try Self.token(provider, "ec")
            #expect(try await ask(token).status == 200)
            let other = try Self.token(provider, "rsa")
            let refused = try await ask(other)
            #expect(refused.status == 403 && refused.json["code"] as? String == "customer-token-refused")
            #expect(jwks.seen.count == 1, "it was asked within the last minute")
            try await client.shutdown()
            #expect(await server.stop() == 0)
            let log = try installation.logs().joined()
            for part in [token, other].flatMap({ $0.split(separator: ".") }) { #expect(!log.contains(part)) }
            #expect(log.contains("problem=customer-token-refused"))
        }
    }

    @Test("a provider that cannot be reached is named in the log, and an unusable one refuses no other request")
    func unreachable() async throws {
        let (installation, provider) = (try await Installation(), try LoginProvider())
        try installation.directory.write(
            Self.configuration("http://127.0.0.1:9/jwks?secret=1"), to: "offerd.yaml")
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await until("the log says so") {
            try installation.logs().joined().contains("the keys of a login provider could not be fetched")
        }
        let body = "{\(try installation.lapsedCustomer(1))}"
        let app = try installation.token(.app)
        let early = try await server.ask(
            "POST", "/v1/transactions", token: app, body: body,
            headers: ["Customer-Token": try Self.token(provider, "ec")], client: client)
        #expect(early.status == 503)
        let plain = try await server.ask("POST", "/v1/transactions", token: app, body: body, client: client)
        #expect(plain.status == 200)
        try await client.shutdown()
        #expect(await server.stop() == 0)
        #expect(try !installation.logs().joined().contains("secret=1"))
    }

    @Test("a file of keys is read again when it changes; one with a mistake keeps the keys that are in use")
    func file() async throws {
        let (installation, provider) = (try await Installation(), try LoginProvider())
        let directory = installation.directory
        try directory.write(try provider.keySet("ec"), to: "jwks.json")
        try directory.write(Self.configuration("jwks.json"), to: "offerd.yaml")
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let body = "{\(try installation.lapsedCustomer(1))}"
        func status(_ key: String) async throws -> Int {
            try await server.ask(
                "POST", "/v1/transactions", token: try installation.token(.app), body: body,
                headers: ["Customer-Token": try Self.token(provider, key)], client: client
            ).status
        }
        #expect(try await status("ec") == 200)
        #expect(try await status("rsa") == 403)
        try directory.write("{}", to: "jwks.json")
        try await until("the log names the mistake") { try installation.logs().joined().contains("jwks.json") }
        #expect(try await status("ec") == 200)
        try directory.write(try provider.keySet("rsa"), to: "jwks.json")
        try await until("the new key counts") { try await status("rsa") == 200 }
        #expect(try await status("ec") == 403)
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test(
        "a server does not start with an unusable file of keys or a provider of an unknown app, and doctor says so",
        arguments: [
            ("missing.json", "", "there is no such file"), ("empty.json", "", "it has no key with a `kid`"),
            ("https://login.example.com/jwks", "  app: com.example.unknown", "which keys.yaml does not have"),
        ])
    func mistakes(keys: String, more: String, message: String) async throws {
        let installation = try await Installation()
        try installation.directory.write("{\"keys\":[]}", to: "empty.json")
        try installation.directory.write(Self.configuration(keys, more), to: "offerd.yaml")
        let result = try await Installation.offerd.run(
            ["serve", "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(result.status == 2)
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(result.errorText.contains("hint:") || keys == "missing.json", "\(result.errorText)")
        let doctor = try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(doctor.status == 1)
        #expect(doctor.text.contains(message), "\(doctor.text)")
    }
}
