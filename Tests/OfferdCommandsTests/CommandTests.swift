import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("offerd commands")
struct CommandTests {
    private func offerd(
        _ arguments: String..., environment: [String: String] = [:], in directory: TemporaryDirectory
    ) async throws -> Command {
        try await Installation.offerd.run(arguments, environment: environment, directory: directory.url)
    }

    @Test("`keys generate` writes a key that only its owner can read, and the openssl tool reads it as P-256")
    func generate() async throws {
        let directory = try TemporaryDirectory()
        let made = try await offerd(
            "keys", "generate", "--out", "k.p8", "--key-id", "LOCALTEST1", "--public-key", "k.pub", in: directory)
        #expect(made.status == 0)
        #expect(made.text.hasPrefix("made key LOCALTEST1 in k.p8\npublic key SHA-256 "))
        #expect(!made.text.contains("PRIVATE"))
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("k.p8"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let judge = try Command.run("openssl", ["pkey", "-in", directory.path("k.p8"), "-noout", "-text"])
        #expect(judge.text.contains("prime256v1"))
        let derived = try Command.run("openssl", ["pkey", "-in", directory.path("k.p8"), "-pubout"])
        #expect(derived.text == (try String(contentsOfFile: directory.path("k.pub"), encoding: .utf8)))
    }

    @Test("`keys generate` never overwrites a key")
    func neverOverwrites() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "k.p8")
        let refused = try await offerd("keys", "generate", "--out", "k.p8", "--key-id", "A1", in: directory)
        #expect(refused.status == 2)
        #expect(refused.errorText.hasPrefix("error: "))
        #expect(refused.errorText.contains("`k.p8`"))
        #expect(try String(contentsOfFile: directory.path("k.p8"), encoding: .utf8) == "precious")
    }

    @Test("`keys check` tells each bad key apart and never shows it (invariant 9)")
    func check() async throws {
        let directory = try TemporaryDirectory()
        let good = try await offerd(
            "keys", "generate", "--out", "SubscriptionKey_AB12.p8", "--key-id", "AB12", in: directory)
        #expect(good.status == 0)
        let checked = try await offerd("keys", "check", "SubscriptionKey_AB12.p8", in: directory)
        #expect(checked.status == 0)
        #expect(checked.text.hasPrefix("ok: SubscriptionKey_AB12.p8 is a P-256 key, key id AB12\n"))
        let pem = try String(contentsOfFile: directory.path("SubscriptionKey_AB12.p8"), encoding: .utf8)
        try directory.write(pem, to: "open.p8", permissions: 0o644)
        try directory.write(String(pem.prefix(90)), to: "short.p8", permissions: 0o600)
        try directory.write("", to: "empty.p8", permissions: 0o600)
        var messages: Set<String> = []
        for file in ["open.p8", "short.p8", "empty.p8", "none.p8", "."] {
            let refused = try await offerd("keys", "check", file, in: directory)
            #expect(refused.status == 2, "\(file)")
            #expect(refused.text.isEmpty)
            let lines = refused.errorText.split(separator: "\n")
            #expect(lines.count == 2, "\(refused.errorText)")
            #expect(lines.first?.hasPrefix("error: ") == true)
            #expect(lines.last?.hasPrefix("hint: ") == true)
            #expect(!refused.errorText.contains(pem.split(separator: "\n")[1].prefix(16)))
            messages.insert(lines.first.map { $0.replacingOccurrences(of: file, with: "FILE") } ?? "")
        }
        #expect(messages.count == 5)
    }

    @Test(
        "usage errors end with 2, help and version with 0",
        arguments: [
            (["serve"], 2), (["frobnicate"], 2), (["keys", "check"], 2), (["--help"], 0), (["--version"], 0),
            (["serve", "--help"], 0), (["api-keys", "create", "--role", "boss"], 2),
        ] as [([String], Int32)])
    func usage(arguments: [String], status: Int32) async throws {
        let directory = try TemporaryDirectory()
        let command = try await Installation.offerd.run(arguments, directory: directory.url)
        #expect(command.status == status)
        #expect(command.text.isEmpty == (status == 2))
        #expect(command.errorText.isEmpty == (status == 0))
    }

    @Test("a configuration with mistakes names every line, and ends with 2")
    func wrongConfiguration() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("listn: 127.0.0.1:0\ndatabase: d.sqlite\nkeys: keys.yaml\n", to: "offerd.yaml")
        let refused = try await offerd("serve", "--config", "offerd.yaml", in: directory)
        #expect(refused.status == 2)
        #expect(
            refused.errorText == """
                error: unknown key `listn` (offerd.yaml:1)
                hint: did you mean `listen`?

                """)
    }

    @Test("a missing configuration is named, and ends with 2")
    func missingConfiguration() async throws {
        let refused = try await offerd("migrate", "--config", "nowhere.yaml", in: try TemporaryDirectory())
        #expect(refused.status == 2)
        #expect(
            refused.errorText.hasPrefix("error: configuration `nowhere.yaml` cannot be read: there is no such file\n"))
    }

    @Test("`serve` refuses a database that was never migrated, and says what to run")
    func notMigrated() async throws {
        let installation = try await Installation()
        let refused = try await offerd(
            "serve", "--config", "offerd.yaml", "--database", "other.sqlite", in: installation.directory)
        #expect(refused.status == 2)
        #expect(refused.errorText.contains("other.sqlite"))
        #expect(refused.errorText.contains("hint: run `offerd migrate`"))
    }

    @Test("a flag wins over the environment, and the environment over the file")
    func precedence() async throws {
        let installation = try await Installation()
        let byEnvironment = try await offerd(
            "migrate", "--config", "offerd.yaml", environment: ["OFFERD_DATABASE": "env.sqlite"],
            in: installation.directory)
        #expect(byEnvironment.text.contains("env.sqlite is now up to date"))
        let byFlag = try await offerd(
            "migrate", "--config", "offerd.yaml", "--database", "flag.sqlite",
            environment: ["OFFERD_DATABASE": "env.sqlite"], in: installation.directory)
        #expect(byFlag.text.contains("flag.sqlite is now up to date"))
        let again = try await offerd("migrate", "--config", "offerd.yaml", in: installation.directory)
        #expect(again.status == 0)
        #expect(again.text.hasSuffix("offers.sqlite is up to date\n"))
    }

    @Test("`api-keys create` prints the token alone, and refuses an app or environment that keys.yaml has not")
    func apiKeys() async throws {
        let installation = try await Installation()
        let token = try installation.token(.client)
        #expect(token.wholeMatch(of: /offerd_client_test_[0-9a-f]{16}_[0-9a-f]{64}/) != nil)
        let otherApp = try await offerd(
            "api-keys", "create", "--app", "com.example.other", "--environment", "LocalTesting", "--role", "client",
            "--config", "offerd.yaml", in: installation.directory)
        #expect(otherApp.status == 2)
        #expect(
            otherApp.errorText == """
                error: keys.yaml has no app `com.example.other`
                hint: it has `com.example.pro`

                """)
        let otherEnvironment = try await offerd(
            "api-keys", "create", "--app", "com.example.pro", "--environment", "Production", "--role", "client",
            "--config", "offerd.yaml", in: installation.directory)
        #expect(otherEnvironment.status == 2)
        let listed = try await offerd("api-keys", "list", "--config", "offerd.yaml", in: installation.directory)
        #expect(listed.text.split(separator: "\n").count == 1 + Role.allCases.count)
        for token in installation.tokens.values {
            #expect(listed.text.contains(token.split(separator: "_")[3]))
            #expect(!listed.text.contains(token.split(separator: "_")[4]))
        }
    }

    @Test("a leaked token may be given whole to `api-keys revoke`, and is never shown again")
    func revokeByToken() async throws {
        let installation = try await Installation()
        let token = try installation.token(.client)
        let parts = token.split(separator: "_")
        for _ in 0..<2 {
            let command = try await offerd(
                "api-keys", "revoke", token, "--config", "offerd.yaml", in: installation.directory)
            #expect(!command.text.contains(parts[4]) && !command.errorText.contains(parts[4]))
        }
        let unknown = try await offerd(
            "api-keys", "revoke", token + "0", "--config", "offerd.yaml", in: installation.directory)
        #expect(unknown.status == 1)
        #expect(!unknown.errorText.contains(parts[4]))
        let listed = try await offerd("api-keys", "list", "--config", "offerd.yaml", in: installation.directory)
        let row = try #require(listed.text.split(separator: "\n").first { $0.hasPrefix(parts[3]) })
        #expect(row.contains("revoked") && row.contains("never"))
    }

    @Test("a token that nobody can get is an error that names the key to revoke, not a crash")
    func fullDisk() async throws {
        let installation = try await Installation()
        let program = Installation.offerd.path
        let command = try Command.run(
            "sh",
            [
                "-c",
                "\"$0\" api-keys create --app com.example.pro --environment LocalTesting --role client "
                    + "--config offerd.yaml > /dev/full", program,
            ], directory: installation.directory.url)
        #expect(command.status == 1)
        let lines = command.errorText.split(separator: "\n")
        #expect(lines.first == "error: standard output cannot be written")
        let id = try #require(lines.last?.split(separator: " ").last)
        let revoked = try await offerd(
            "api-keys", "revoke", String(id), "--config", "offerd.yaml", in: installation.directory)
        #expect(revoked.status == 0)
    }

    @Test("a root certificate that is none is named by `keys check` as by `serve`")
    func wrongRoot() async throws {
        let installation = try await Installation()
        try installation.directory.write("not a certificate", to: "root/root.der")
        for arguments in [["keys", "check"], ["serve"]] {
            let command = try await Installation.offerd.run(
                arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
            #expect(command.status == 2)
            #expect(command.errorText.hasPrefix("error: root certificate `"))
            #expect(command.errorText.contains("root/root.der`"))
        }
    }

    @Test("a variable set to nothing says nothing, and a label is one line")
    func emptyVariable() async throws {
        let installation = try await Installation()
        let migrated = try await offerd(
            "migrate", "--config", "offerd.yaml", environment: ["OFFERD_KEYS": "", "OFFERD_DATABASE": ""],
            in: installation.directory)
        #expect(migrated.status == 0)
        let label = try await offerd(
            "api-keys", "create", "--app", "com.example.pro", "--environment", "LocalTesting", "--role", "client",
            "--label", "a\nb", "--config", "offerd.yaml", in: installation.directory)
        #expect(label.status == 2)
        #expect(label.errorText.hasPrefix("error: a label has 1 to 100 characters on one line\nhint: "))
    }

    @Test("what `dev sign` prints of the example scenarios is posted as it is, and so is each of its notifications")
    func developmentSign() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/scenarios")
        for (name, transactions, notifications) in [
            ("new", 0, 0), ("subscriber", 5, 5), ("lapsed", 4, 6), ("year", 10, 19),
        ] {
            let arguments = [
                "dev", "sign", "--root", "root", "--scenario", examples.appending(path: "\(name).yaml").path,
            ]
            let signed = try await Installation.offerd.run(arguments, directory: installation.directory.url)
            #expect(signed.status == 0, "\(signed.errorText)")
            let stored = try await server.ask(
                "POST", "/v1/transactions", token: try installation.token(.client), body: signed.text, client: .shared)
            #expect(stored.status == 200, "\(name): \(stored.json)")
            let json = try JSONSerialization.jsonObject(with: Data(signed.output)) as? [String: Any]
            #expect((json?["signedTransactions"] as? [String])?.count == transactions)
            #expect(json?["signedAppTransaction"] is String)
            #expect(json?["historyComplete"] as? Bool == true)
            let account = try #require((json?["customer"] as? [String: String])?["appAccountToken"])
            let found = try await server.ask(
                "GET", "/v1/customers?appAccountToken=\(account)", token: try installation.token(.support),
                client: .shared)
            #expect(found.status == 200, "\(name): \(found.json)")
            let sent = try await Installation.offerd.run(
                arguments + ["--notifications"], directory: installation.directory.url)
            #expect(sent.status == 0, "\(sent.errorText)")
            let lines = sent.text.split(separator: "\n")
            #expect(lines.count == notifications, "\(name)")
            for line in lines.prefix(2) {
                let received = try await server.ask(
                    "POST", "/v1/app-store/com.example.pro/LocalTesting/notifications", token: "", body: String(line),
                    client: .shared)
                #expect(received.status == 200, "\(name): \(received.json)")
            }
        }
        #expect(await server.stop() == 0)
    }

    @Test("a scenario with a mistake names its line")
    func wrongScenario() async throws {
        let installation = try await Installation()
        try installation.directory.write(
            """
            bundleId: com.example.pro
            environment: Production
            customer: { appTransactionId: "1" }
            steps: []
            """, to: "wrong.yaml")
        let refused = try await offerd(
            "dev", "sign", "--root", "root", "--scenario", "wrong.yaml", in: installation.directory)
        #expect(refused.status == 1)
        #expect(
            refused.errorText.hasPrefix("error: a scenario is never for Production at environment (wrong.yaml:2)\n"))
    }

    @Test("an address in use is named, and ends with 1, because it may soon be free")
    func addressInUse() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let address = server.url.dropFirst("http://".count)
        let refused = try await offerd(
            "serve", "--config", "offerd.yaml", "--listen", String(address), in: installation.directory)
        #expect(refused.status == 1)
        #expect(refused.errorText.contains("error: `\(address)` (`listen`) is in use by another program\n"))
        #expect(await server.stop() == 0)
    }
}
