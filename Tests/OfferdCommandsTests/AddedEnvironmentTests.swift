import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("An installation that grows")
struct AddedEnvironmentTests {
    private static let key = "SubscriptionKey_2X9R4HXF34.p8"
    private static let issuer = "67246542-96fe-1a63-e053-0824d011072a"

    private func offerd(_ arguments: String..., in directory: TemporaryDirectory) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: directory.url)
    }

    private func shell(_ script: String, in directory: TemporaryDirectory) throws -> Command {
        try Command.run(
            "bash", ["-c", script], environment: BuiltProgram.base.merging(["offerd": Installation.offerd.path]) { $1 },
            directory: directory.url)
    }

    /// A trial, and the key from App Store Connect beside it.
    private func trial() async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", in: directory).status == 0)
        let made = try await offerd("keys", "generate", "--out", Self.key, "--key-id", "2X9R4HXF34", in: directory)
        #expect(made.status == 0)
        return directory
    }

    /// Every file but the database and what may grow, with its content.
    private func contents(_ directory: TemporaryDirectory) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
        return names.filter { !$0.hasPrefix("offers.sqlite") }.reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: directory.path(name))
        }
    }

    @Test("a trial becomes real in the same folder, step by step, and nothing that was there changes")
    func trialToReal() async throws {
        let directory = try await trial()
        // What an operator writes into it stays.
        let text = try String(contentsOfFile: directory.path("keys.yaml"), encoding: .utf8)
        try directory.write(text + "# our own words\n", to: "keys.yaml", permissions: 0o640)
        var before = try contents(directory)
        let steps = [
            ["--environment", "Sandbox", "--key", Self.key, "--issuer-id", Self.issuer],
            ["--environment", "Production", "--app-apple-id", "1234567890"],
            ["--environment", "LocalTesting"],
        ]
        for step in steps {
            let run = try await Installation.offerd.run(
                ["init", "--app", "com.example.shop"] + step, directory: directory.url)
            #expect(run.status == 0, "\(run.errorText)")
            let after = try contents(directory)
            for (name, content) in before where name != "keys.yaml" { #expect(after[name] == content, "\(name)") }
            before = after
        }
        #expect(
            try String(contentsOfFile: directory.path("keys.yaml"), encoding: .utf8) == """
                # The apps that are served, and where their keys are. keys.example shows every setting.
                apps:
                  - bundleId: com.example.pro
                    issuerId: 57246542-96fe-1a63-e053-0824d011072a # an example: Production and Sandbox need yours
                    environments: [LocalTesting]
                    keys:
                      - { keyId: "LOCALTEST1", privateKey: keys/SubscriptionKey_LOCALTEST1.p8, use: signing, environments: [LocalTesting] }
                    trustedRoots: { LocalTesting: [root/root.der] }
                  - bundleId: com.example.shop
                    appAppleId: 1234567890
                    issuerId: 67246542-96fe-1a63-e053-0824d011072a
                    environments: [Sandbox, Production, LocalTesting]
                    keys:
                      - { keyId: "2X9R4HXF34", privateKey: keys/SubscriptionKey_2X9R4HXF34.p8, use: signing, environments: [Sandbox, Production] }
                      - { keyId: "LOCALTEST1", privateKey: keys/SubscriptionKey_LOCALTEST1.p8, use: signing, environments: [LocalTesting] }
                    trustedRoots: { LocalTesting: [root/root.der] }
                audit: { privateKey: keys/audit.p8, digestKey: keys/digest.key }
                # our own words

                """)
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path("keys.yaml"))[.posixPermissions]
        #expect(mode as? Int == 0o640)
        #expect(try await offerd("keys", "check", in: directory).status == 0)
        let token = try String(
            contentsOfFile: directory.path("tokens/com.example.shop-Production-app"), encoding: .utf8)
        #expect(token.hasPrefix("offerd_app_live_"))
        #expect(try await offerd("api-keys", "list", in: directory).text.split(separator: "\n").count == 1 + 3 * 4)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(!names.contains { $0.hasPrefix(".offerd-init") })
    }

    @Test("an app of one's own gets its issuer instead of the example's")
    func sameApp() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "--app", "com.example.shop", in: directory).status == 0)
        #expect(
            try await offerd("keys", "generate", "--out", Self.key, "--key-id", "2X9R4HXF34", in: directory).status
                == 0)
        let run = try await offerd(
            "init", "--environment", "Production", "--environment", "Sandbox", "--key", Self.key, "--issuer-id",
            Self.issuer, "--app-apple-id", "7", in: directory)
        #expect(run.status == 0, "\(run.errorText)")
        let text = try String(contentsOfFile: directory.path("keys.yaml"), encoding: .utf8)
        #expect(
            text.contains(
                """
                  - bundleId: com.example.shop
                    appAppleId: 7
                    issuerId: 67246542-96fe-1a63-e053-0824d011072a
                    environments: [LocalTesting, Production, Sandbox]
                    keys:
                      - { keyId: "LOCALTEST1", privateKey: keys/SubscriptionKey_LOCALTEST1.p8, use: signing, environments: [LocalTesting] }
                      - { keyId: "2X9R4HXF34", privateKey: keys/SubscriptionKey_2X9R4HXF34.p8, use: signing, environments: [Production, Sandbox] }

                """), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: directory.path("catalog-com.example.shop.yaml")))
    }

    @Test(
        "what contradicts the installation is refused, and changes nothing",
        arguments: [
            (["--environment", "Sandbox", "--key", key, "--issuer-id", issuer], "Sandbox needs `--app`"),
            (["--key", key], "`com.example.pro` has keys for these environments already"),
            (["--app", "my app"], "`my app` is not a bundle identifier"),
            (["--app", "com.example.shop", "--environment", "Sandbox", "--key", key], "Sandbox needs `--issuer-id`"),
            (["--app", "com.example.shop", "--environment", "Xcode"], "`offerd init` makes no installation for Xcode"),
            (
                [
                    "--app", "com.example.shop", "--environment", "Sandbox", "--key",
                    "keys/SubscriptionKey_LOCALTEST1.p8",
                    "--key-id", "2X9R4HXF34", "--issuer-id", issuer,
                ], "key file `keys/SubscriptionKey_LOCALTEST1.p8` is by its name the key `LOCALTEST1`, not `2X9R4HXF34`"
            ),
        ])
    func contradictions(_ options: [String], _ message: String) async throws {
        let directory = try await trial()
        let before = try contents(directory)
        let run = try await Installation.offerd.run(["init"] + options, directory: directory.url)
        #expect(run.status == 2)
        #expect(run.errorText.hasPrefix("error: \(message)"), "\(run.errorText)")
        #expect(try contents(directory) == before)
    }

    @Test("another key under the name of the new one, a token in the way and a link stay as they are")
    func inTheWay() async throws {
        let options = [
            "init", "--app", "com.example.shop", "--environment", "Sandbox", "--key", Self.key, "--issuer-id",
            Self.issuer,
        ]
        for (preparation, message) in [
            ("echo other >keys/\(Self.key)", "`keys/\(Self.key)` exists already and holds another key"),
            ("mv keys.yaml ours.yaml; ln -s ours.yaml keys.yaml", "`./keys.yaml` changes meanwhile, or is a link"),
        ] {
            let directory = try await trial()
            #expect(try shell(preparation, in: directory).status == 0)
            let before = try contents(directory)
            let run = try await Installation.offerd.run(options, directory: directory.url)
            #expect(run.status == 1)
            #expect(run.errorText.hasPrefix("error: \(message)"), "\(run.errorText)")
            #expect(try contents(directory) == before)
        }
        let directory = try await trial()
        try directory.write("mine", to: "tokens/com.example.shop-Sandbox-app", permissions: 0o600)
        let run = try await Installation.offerd.run(options, directory: directory.url)
        #expect(run.status == 1)
        #expect(
            run.errorText.hasPrefix(
                "error: `tokens/com.example.shop-Sandbox-app` is in the way of the token of a new `app` key\n"))
        #expect(
            FileManager.default.contents(atPath: directory.path("tokens/com.example.shop-Sandbox-app"))
                == Data("mine".utf8))
        #expect(try shell("mv tokens/com.example.shop-Sandbox-app mine", in: directory).status == 0)
        let again = try await Installation.offerd.run(options, directory: directory.url)
        #expect(again.status == 0, "\(again.errorText)")
        #expect(again.text.contains("\n  tokens/com.example.shop-Sandbox-app"), "\(again.text)")
    }

    @Test("the same command goes on with its key, and with no other")
    func sameCommand() async throws {
        let directory = try await trial()
        let app = ["init", "--app", "com.example.shop", "--issuer-id", Self.issuer]
        let sandbox = ["--environment", "Sandbox", "--key", Self.key]
        #expect(try await Installation.offerd.run(app + sandbox, directory: directory.url).status == 0)
        #expect(try shell("mkdir other", in: directory).status == 0)
        let before = try contents(directory)
        let again = try await Installation.offerd.run(app + sandbox, directory: directory.url)
        #expect(again.status == 0 && again.text.hasPrefix("`com.example.shop` is in the installation"), "\(again.text)")
        let generated = try await offerd(
            "keys", "generate", "--out", "other/\(Self.key)", "--key-id", "2X9R4HXF34", in: directory)
        #expect(generated.status == 0)
        for (options, status, message) in [
            (
                ["--environment", "Sandbox", "--key", "other/\(Self.key)"], 1,
                "`keys/\(Self.key)` exists already and holds another key than `other/\(Self.key)`"
            ),
            (
                ["--environment", "LocalTesting", "--environment", "Sandbox", "--key", "other/\(Self.key)"], 1,
                "`keys/\(Self.key)` exists already and holds another key than `other/\(Self.key)`"
            ),
            (
                sandbox + ["--key-id", "3X9R4HXF34"], 2, "`com.example.shop` has keys for these environments already"
            ),
        ] {
            let run = try await Installation.offerd.run(app + options, directory: directory.url)
            #expect(run.status == status)
            #expect(run.errorText.hasPrefix("error: \(message)\n"), "\(run.errorText)")
        }
        try FileManager.default.removeItem(atPath: directory.path("other"))
        #expect(try contents(directory) == before)
    }

    @Test("an addition that was interrupted before it changed keys.yaml is made by the next run")
    func interrupted() async throws {
        let directory = try await trial()
        let made = try shell("mkdir -m 700 .offerd-init.part && cp -p \(Self.key) keys/", in: directory)
        #expect(made.status == 0)
        let run = try await offerd(
            "init", "--app", "com.example.shop", "--environment", "Sandbox", "--key", Self.key, "--issuer-id",
            Self.issuer, in: directory)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.text.contains("\n  keys/\(Self.key)      kept as it was\n"), "\(run.text)")
        #expect(try await offerd("keys", "check", in: directory).status == 0)
    }

    @Test("a running server serves the new environment, to which the new tokens belong")
    func served() async throws {
        let directory = try await trial()
        let script = """
            set -e
            mkfifo line; (exec "$offerd" serve --listen 127.0.0.1:0 >line) & server=$!; exec 3<line; IFS= read -r first <&3
            trap 'kill -TERM $server; cat <&3 >/dev/null; wait $server' EXIT
            "$offerd" init --app com.example.shop --environment LocalTesting >/dev/null
            token=$(cat tokens/com.example.shop-LocalTesting-client)
            for _ in $(seq 600); do
                status=$(curl -s -o body -w '%{http_code}' "${first#listening on }/v1/decisions" \\
                    -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"customer": {"customerId": "u"}}')
                if ! grep -q unknown-app body && [ "$status" -lt 500 ]; then break; fi
                sleep 0.1
            done
            echo "$status"; cat body
            """
        let run = try shell(script, in: directory)
        #expect(run.text.hasPrefix("200\n") || run.text.hasPrefix("404\n"), "\(run.text)\(run.errorText)")
        #expect(run.status == 0, "\(run.errorText)")
    }

    @Test("an installation without keys and their folder gets both, and no key whose token could not be written")
    func lostTokens() async throws {
        let directory = try await trial()
        #expect(try shell("rm -r tokens offers.sqlite*; touch tokens", in: directory).status == 0)
        let refused = try await offerd("init", in: directory)
        #expect(refused.status == 1)
        #expect(refused.errorText.hasPrefix("error: `tokens/LocalTesting-client` cannot be written\n"))
        #expect(refused.errorText.hasSuffix("the same command again makes the API keys\n"), "\(refused.errorText)")
        #expect(try shell("rm tokens", in: directory).status == 0)
        let run = try await offerd("init", in: directory)
        #expect(run.status == 0, "\(run.errorText)")
        let modes = try shell("stat --format '%a %n' tokens tokens/*; ls -A | grep -c offerd-init", in: directory).text
        #expect(
            modes == """
                700 tokens
                600 tokens/LocalTesting-app
                600 tokens/LocalTesting-client
                600 tokens/LocalTesting-marketing
                0

                """)
        let keys = try await offerd("api-keys", "list", in: directory).text.split(separator: "\n").dropFirst()
        #expect(keys.count == 4 && keys.count { $0.contains("  revoked  ") } == 1, "\(keys)")
        let again = try await offerd("init", in: directory)
        #expect(again.status == 0 && !again.text.contains("tokens/LocalTesting-client"), "\(again.text)")
    }

    @Test("as root it asks for the service's user before it adds keys", .enabled(if: geteuid() == 0))
    func owner() async throws {
        guard getpwnam("daemon") != nil else { return }
        let directory = try TemporaryDirectory()
        #expect(try shell("chmod 755 .", in: directory).status == 0)
        #expect(try await offerd("init", "shop", "--owner", "daemon", in: directory).status == 0)
        let refused = try await offerd("init", "shop", "--app", "com.example.two", in: directory)
        #expect(refused.status == 2)
        #expect(
            refused.errorText.hasPrefix(
                "error: the service that reads `shop/offerd.yaml` could not use files that belong to root\n"))
        // Nothing is to be added, but what it would make again belongs to the service's user, too.
        #expect(try shell("rm -r shop/tokens shop/offers.sqlite*", in: directory).status == 0)
        let nothing = try await offerd("init", "shop", in: directory)
        #expect(
            nothing.status == 2 && nothing.errorText.hasSuffix("such as `--owner offerd`\n"), "\(nothing.errorText)")
        #expect(try await offerd("init", "shop", "--owner", "daemon", in: directory).status == 0)
        let run = try await offerd("init", "shop", "--app", "com.example.two", "--owner", "daemon", in: directory)
        #expect(run.status == 0, "\(run.errorText)")
        let shown = try Command.run(
            "stat",
            [
                "--format", "%a %U:%G %n", "shop/keys.yaml", "shop/catalog-com.example.two.yaml",
                "shop/tokens", "shop/tokens/LocalTesting-client", "shop/tokens/com.example.two-LocalTesting-client",
                "shop/offers.sqlite",
            ], directory: directory.url)
        #expect(
            shown.text == """
                640 root:daemon shop/keys.yaml
                640 root:daemon shop/catalog-com.example.two.yaml
                700 daemon:daemon shop/tokens
                600 daemon:daemon shop/tokens/LocalTesting-client
                600 daemon:daemon shop/tokens/com.example.two-LocalTesting-client
                600 daemon:daemon shop/offers.sqlite

                """)
    }
}

@Suite("The configuration that is found")
struct ConfigurationFileTests {
    @Test("the first place that has a file is taken; without one both are named")
    func search() throws {
        let directory = try TemporaryDirectory()
        let places = ["here.yaml", "there.yaml"].map(directory.path)
        #expect(throws: CommandFailure.self) { try ConfigurationFile.search(places) }
        try directory.write("", to: "there.yaml")
        #expect(try ConfigurationFile.search(places) == places[1])
        try directory.write("", to: "here.yaml")
        #expect(try ConfigurationFile.search(places) == places[0])
        #expect(ConfigurationFile.places == ["offerd.yaml", "/etc/offerd/offerd.yaml"])
        #expect(try ConfigurationFile.path("given.yaml") == "given.yaml")
    }
}
