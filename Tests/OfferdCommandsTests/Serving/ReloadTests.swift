import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@Suite("Reloading the configuration")
struct ReloadTests {
    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    private func keys(_ entries: String) -> String {
        """
        apps:
          - bundleId: com.example.pro
            issuerId: \(Self.issuer)
            environments: [LocalTesting]
            keys:
        \(entries)
            trustedRoots: { LocalTesting: [root/root.der] }
        """
    }

    private let rotated = """
              - { keyId: LOCALTEST2, privateKey: second.p8, use: signing }
              - { keyId: LOCALTEST1, privateKey: signing.p8, use: retired }
        """

    private func body(_ installation: Installation, _ customer: Int) throws -> String {
        """
        {"offerId":"comeback","formats":["v1"],"customer":{"originalTransactionId":\
        "\(Installation.originalTransactionId(customer))"},\(try installation.lapsedCustomer(customer))}
        """
    }

    @Test(
        "a key is rotated, the configuration changed and catalogs applied under load: no request fails, and each signature verifies under its key id, at offerd too"
    )
    func rotation() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let made = try await Installation.offerd.run(
            ["keys", "generate", "--out", "second.p8", "--key-id", "LOCALTEST2"], directory: directory.url)
        try #require(made.status == 0)
        for (key, file) in [("LOCALTEST1", "signing"), ("LOCALTEST2", "second")] {
            let derived = try Command.run(
                "openssl",
                ["pkey", "-in", directory.path("\(file).p8"), "-pubout", "-out", directory.path("\(key).pub")])
            try #require(derived.status == 0)
        }
        let token = try installation.token(.client)
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var left = 10
                    while left > 0, let customer = load.nextCustomer() {
                        let answer = try await server.ask(
                            "POST", "/v1/issued-offers", token: token, body: try body(installation, customer),
                            client: client)
                        load.note(answer)
                        // A few more once the new key signs.
                        if Self.signature(answer)?.keyId == "LOCALTEST2" { left -= 1 }
                    }
                }
            }
            group.addTask {
                try await until("the first offers are issued") { load.answers.count >= 20 }
                for revision in 1...3 {
                    try await TestCatalog.apply(
                        installation, server, TestCatalog.yaml + "# \(revision)\n", over: revision, client: client)
                }
                let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
                try directory.write(
                    yaml.replacing("rateLimits: { customer: off }", with: "rateLimits: off"), to: "offerd.yaml")
                try directory.write(self.keys(self.rotated), to: "keys.yaml")
            }
            try await group.waitForAll()
        }
        let all = load.answers
        #expect(all.filter { $0.status != 201 }.map { String(decoding: $0.body, as: UTF8.self) } == [])
        let signatures = all.compactMap(Self.signature)
        #expect(signatures.count == all.count)
        #expect(Set(signatures.map(\.keyId)) == ["LOCALTEST1", "LOCALTEST2"])
        let newest = signatures.suffix(30)
        for signature in signatures.prefix(30) + newest {
            #expect(try verifies(signature, in: directory), "\(signature)")
        }
        for signature in signatures.prefix(3) + signatures.suffix(3) {
            for keyId in ["LOCALTEST1", "LOCALTEST2"] {
                let answer = try await server.ask(
                    "POST", "/v1/signature-checks", token: try installation.token(.support),
                    body: """
                        {"format":"v1","productId":"com.example.pro.monthly","offerIdentifier":"comeback50",\
                        "keyId":"\(keyId)","nonce":"\(signature.nonce)","timestamp":\(signature.timestamp),\
                        "signature":"\(signature.base64)"}
                        """, client: client)
                let codes = (answer.json["causes"] as? [[String: Any]])?.map { $0["code"] as? String }
                #expect(codes == (keyId == signature.keyId ? [] : ["otherKey"]), "\(answer.json)")
            }
        }
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test("a configuration with a mistake changes nothing, is named in the log, and counts once it is right")
    func mistake() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let token = try installation.token(.client)
        // The key that it names does not exist yet.
        try directory.write(keys(rotated), to: "keys.yaml")
        try await until("the log names the missing key") {
            try installation.logs().joined().contains("second.p8")
        }
        let before = try await server.ask(
            "POST", "/v1/issued-offers", token: token, body: try body(installation, 1), client: client)
        #expect(Self.signature(before)?.keyId == "LOCALTEST1")
        let made = try await Installation.offerd.run(
            ["keys", "generate", "--out", "second.p8", "--key-id", "LOCALTEST2"], directory: directory.url)
        try #require(made.status == 0)
        // The file that was missing is watched too.
        var customer = 2
        try await until("the new key signs") {
            customer += 1
            let answer = try await server.ask(
                "POST", "/v1/issued-offers", token: token, body: try body(installation, customer), client: client)
            #expect(answer.status == 201)
            return Self.signature(answer)?.keyId == "LOCALTEST2"
        }
        try await until("the log reports it") {
            try installation.logs().joined().contains("the configuration was reloaded")
        }
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test("the audit's keys stay those of the start until a restart, and none of them becomes an app's")
    func auditKeys() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        for name in ["audit", "other"] {
            let made = try await Installation.offerd.run(
                ["keys", "generate", "--out", "\(name).p8", "--key-id", "AUDIT"], directory: directory.url)
            try #require(made.status == 0)
            try directory.write(
                String(repeating: name == "audit" ? "a1" : "b2", count: 32), to: "\(name).digest", permissions: 0o600)
        }
        func keys(_ audit: String, _ more: String = "") -> String {
            self.keys("      - { keyId: LOCALTEST1, privateKey: signing.p8, use: signing }" + more)
                + "\naudit: { privateKey: \(audit).p8, digestKey: \(audit).digest }\n"
        }
        try directory.write(keys("audit"), to: "keys.yaml")
        let server = try await RunningServer.start(installation)
        func recorded() async throws -> [String] {
            try await installation.reading { transaction in
                try transaction.rows(
                    Statement("SELECT after_change FROM audit_event WHERE kind = 'keys' ORDER BY sequence")
                )
                .map { try $0.value(0, as: String.self) }
            }
        }
        let before = try await recorded()
        try directory.write(keys("other"), to: "keys.yaml")
        try await until("the log names `audit`") { try installation.logs().joined().contains("`audit` has changed") }
        #expect(try await recorded() == before)
        try directory.write(
            keys("other", "\n      - { keyId: AUDIT, privateKey: audit.p8, use: retired }"), to: "keys.yaml")
        try await until("the audit's key is refused as an app's") {
            try installation.logs().joined().contains("the audit's key is the key `AUDIT`")
        }
        #expect(try await recorded() == before)
        #expect(await server.stop() == 0)
    }

    @Test("changed rate limits count at once, and what needs a restart is named")
    func members() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let token = try installation.token(.support)
        try installation.directory.write(
            """
            listen: 127.0.0.1:1
            database: offers.sqlite
            keys: keys.yaml
            rateLimits: { key: { perSecond: 1, burst: 1 } }
            notifications: { recheck: PT1H }

            """, to: "offerd.yaml")
        server.signal(SIGHUP)
        try await until("the key is limited to one request a second") {
            let answer = try await server.ask("GET", "/v1/catalog", token: token, client: client)
            return answer.status == 429
        }
        for name in ["listen", "notifications.recheck"] {
            try await until("the log names `\(name)`") {
                try installation.logs().joined().contains("`\(name)` has changed")
            }
        }
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    /// What clients share that ask at once.
    private final class Load: Sendable {
        private let state = Mutex<(customer: Int, answers: [RunningServer.Answer])>((0, []))

        var answers: [RunningServer.Answer] { state.withLock { $0.answers } }

        /// A customer who has not asked yet; `nil` once the new key should long have signed.
        func nextCustomer() -> Int? {
            state.withLock { state in
                state.customer += 1
                return state.customer < 5_000 ? state.customer : nil
            }
        }

        func note(_ answer: RunningServer.Answer) { state.withLock { $0.answers.append(answer) } }
    }

    private struct Signature {
        let keyId: String
        let nonce: String
        let timestamp: Int64
        let base64: String
    }

    private static func signature(_ answer: RunningServer.Answer) -> Signature? {
        guard let v1 = (answer.json["signatures"] as? [String: [String: Any]])?["v1"],
            let keyId = v1["keyId"] as? String, let nonce = v1["nonce"] as? String,
            let timestamp = v1["timestamp"] as? Int64, let base64 = v1["signature"] as? String
        else { return nil }
        return Signature(keyId: keyId, nonce: nonce, timestamp: timestamp, base64: base64)
    }

    /// Judged by the `openssl` tool with the public key of the id that the answer names.
    private func verifies(_ signature: Signature, in directory: TemporaryDirectory) throws -> Bool {
        let fields = [
            "com.example.pro", signature.keyId, "com.example.pro.monthly", "comeback50", "", signature.nonce,
            "\(signature.timestamp)",
        ]
        let message = try directory.write(fields.joined(separator: "\u{2063}"), to: "message")
        let bytes = try directory.write(try #require(Data(base64Encoded: signature.base64)), to: "signature")
        let judge = try Command.run(
            "openssl",
            ["dgst", "-sha256", "-verify", directory.path("\(signature.keyId).pub"), "-signature", bytes, message])
        return judge.status == 0
    }
}
