import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("contexts of offerctl")
struct ContextTests {
    private static let token = "offerd_support_test_0123456789abcdef_5ec2e7"
    private static let scope = ("Offerd-Scope", "com.example.pro/Sandbox")
    private static let offers = ScriptedServer.Reply.json(200, #"{"items":[]}"#, [scope])
    private static let replies = [
        "GET /v1/offers": offers,
        "GET /v1/catalog": .problem(403, "forbidden", "the API key has the role `client`", headers: [scope]),
    ]

    private func offerctl(
        _ arguments: [String], _ environment: [String: String] = [:], in directory: TemporaryDirectory
    ) async throws -> Command {
        try await OfferctlProcess.run(
            arguments, ["XDG_CONFIG_HOME": directory.path("settings")].merging(environment) { $1 },
            directory: directory.url)
    }

    /// Writes one context with the name `desk`.
    private func write(
        _ server: String, _ token: String, environment: String = "Sandbox", in directory: TemporaryDirectory,
        permissions: Int = 0o600
    ) throws {
        try directory.write(
            """
            current: desk
            contexts:
              - { name: desk, server: "\(server)", app: com.example.pro, environment: \(environment), \(token) }

            """, to: "settings/offerd/contexts.yaml", permissions: permissions)
    }

    /// The files of tokens that `login` keeps.
    private func kept(in directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path("settings/offerd/tokens"))
    }

    private func mode(_ name: String, in directory: TemporaryDirectory) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
    }

    @Test("after a login commands need neither variables nor options, until the context is removed")
    func login() async throws {
        let directory = try TemporaryDirectory()
        try await ScriptedServer.run(Self.replies) { server in
            let login = try await offerctl(
                ["login", "desk", "--server", server.address], ["OFFERCTL_TOKEN": Self.token], in: directory)
            #expect(login.status == 0, "\(login.errorText)")
            #expect(
                login.text
                    == "context `desk` is saved and selected: support of com.example.pro in Sandbox at \(server.address)\n"
            )
            #expect(!(login.text + login.errorText).contains("5ec2e7"))
            let list = try await offerctl(["offers", "list"], in: directory)
            #expect(list.status == 0, "\(list.errorText)")
            #expect(server.seen.map(\.headers["authorization"]) == Array(repeating: "Bearer \(Self.token)", count: 2))
            #expect(try mode("settings/offerd", in: directory) == 0o700)
            #expect(try mode("settings/offerd/contexts.yaml", in: directory) == 0o600)
            let token = try kept(in: directory).first ?? ""
            #expect(token.hasPrefix("desk."))
            #expect(try mode("settings/offerd/tokens/\(token)", in: directory) == 0o600)
            let saved = try String(contentsOfFile: directory.path("settings/offerd/contexts.yaml"), encoding: .utf8)
            #expect(!saved.contains("5ec2e7"))
            #expect(try await offerctl(["contexts", "remove", "desk"], in: directory).status == 0)
            let left = try kept(in: directory)
            #expect(left.isEmpty)
            let after = try await offerctl(["offers", "list"], in: directory)
            #expect(
                after.status == 2 && after.errorText.hasPrefix("error: no API key is given\n"), "\(after.errorText)")
        }
    }

    @Test("a token comes from another command, or is typed at a terminal that does not show it")
    func typed() async throws {
        for isTyped in [false, true] {
            let directory = try TemporaryDirectory()
            try await ScriptedServer.run(Self.replies) { server in
                let arguments = ["login", "--server", server.address]
                let environment = ["XDG_CONFIG_HOME": directory.path("settings"), "TERM": "dumb"]
                let program = BuiltProgram("offerctl")
                let run =
                    try await isTyped
                    ? program.runAtTerminal(arguments, answers: [Self.token], environment: environment)
                    : Command.run(
                        program.path, arguments, input: Array("\(Self.token)\n".utf8),
                        environment: BuiltProgram.base.merging(environment) { $1 })
                #expect(run.status == 0, "\(run.text)\(run.errorText)")
                #expect(run.text.contains("context `sandbox` is saved and selected: support of com.example.pro"))
                #expect(!run.text.contains("5ec2e7"), "\(run.text)")
                #expect(server.seen.map(\.headers["authorization"]) == ["Bearer \(Self.token)"])
            }
        }
    }

    @Test("options and variables go before the selected context, and before a named one with a word about it")
    func precedence() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.token + "\n", to: "desk.token", permissions: 0o600)
        try await ScriptedServer.run(Self.replies) { server in
            try write(server.address, "tokenFile: \(directory.path("desk.token"))", in: directory)
            func sent(_ options: [String], _ environment: [String: String] = [:]) async throws -> (String?, String) {
                let run = try await offerctl(["offers", "list"] + options, environment, in: directory)
                return (server.seen.last?.headers["authorization"], run.errorText)
            }
            #expect(try await sent([]).0 == "Bearer \(Self.token)")
            #expect(try await sent(["--context", "desk"]).0 == "Bearer \(Self.token)")
            let both = ["OFFERCTL_TOKEN": "offerd_3", "OFFERCTL_SERVER": server.address]
            #expect(try await sent(["--token", "offerd_2"], both).0 == "Bearer offerd_2")
            let variable = try await sent([], both)
            #expect(variable.0 == "Bearer offerd_3" && variable.1 == "com.example.pro in Sandbox\n")
            let named = try await sent(["--context", "desk"], ["OFFERCTL_TOKEN": "offerd_3"])
            #expect(named.0 == "Bearer offerd_3")
            #expect(named.1.hasPrefix("hint: OFFERCTL_TOKEN in the environment wins over context `desk`\n"))
        }
    }

    @Test("a context's token is sent to its own server only")
    func otherServer() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.token, to: "desk.token", permissions: 0o600)
        try write("https://offers.example.com/", "tokenFile: \(directory.path("desk.token"))", in: directory)
        try await ScriptedServer.run(Self.replies) { server in
            for (options, variables) in [
                (["--server", server.address], [:]), ([], ["OFFERCTL_SERVER": server.address]),
                (["--context", "desk", "--server", server.address], [:]),
            ] as [([String], [String: String])] {
                let run = try await offerctl(["offers", "list"] + options, variables, in: directory)
                #expect(run.status == 2)
                #expect(
                    run.errorText == """
                        error: no API key is given for `\(server.address)`
                        hint: the token of context `desk` is sent to `https://offers.example.com/` only
                        hint: set OFFERCTL_TOKEN or use `--token`

                        """)
            }
            #expect(server.seen.isEmpty)
        }
    }

    @Test("a key of Production is not used in a context of another environment, nor the other way")
    func otherKind() async throws {
        for (environment, kind, words) in [("Sandbox", "live", ""), ("Production", "test", "not ")] {
            let directory = try TemporaryDirectory()
            try directory.write("offerd_admin_\(kind)_1_2", to: "desk.token", permissions: 0o600)
            try await ScriptedServer.run(Self.replies) { server in
                try write(
                    server.address, "tokenFile: \(directory.path("desk.token"))", environment: environment,
                    in: directory)
                let run = try await offerctl(["offers", "pause", "--all", "--confirm"], in: directory)
                #expect(run.status == 2)
                #expect(run.errorText.hasPrefix("error: the token of context `desk` is \(words)for Production\n"))
                #expect(server.seen.isEmpty)
            }
        }
    }

    @Test("a token file is for its owner alone", arguments: [0o600, 0o400, 0o640, 0o604, 0o660, 0o777])
    func tokenFile(_ permissions: Int) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Self.token, to: "desk.token", permissions: permissions)
        try await ScriptedServer.run(Self.replies) { server in
            try write(server.address, "tokenFile: \(file)", in: directory)
            let run = try await offerctl(["offers", "list"], in: directory)
            guard permissions & 0o077 != 0 else {
                #expect(run.status == 0, "\(run.errorText)")
                return
            }
            #expect(run.status == 2)
            #expect(
                run.errorText == """
                    error: token file `\(file)` has mode `0\(String(permissions, radix: 8))`: the group or others have access to it
                    hint: chmod 600 \(file)

                    """)
            #expect(server.seen.isEmpty)
        }
    }

    @Test("contexts that others could change are not used, because they name programs to run")
    func changeable() async throws {
        let directory = try TemporaryDirectory()
        for permissions in [0o620, 0o602] {
            try write("http://127.0.0.1:1", "tokenCommand: [true]", in: directory, permissions: permissions)
            let run = try await offerctl(["offers", "list"], in: directory)
            #expect(run.status == 2)
            #expect(run.errorText.hasPrefix("error: others can change `\(directory.path("settings/offerd/"))"))
        }
    }

    @Test("without a folder for settings there are no contexts, and the variables still work")
    func nowhere() async throws {
        try await ScriptedServer.run(Self.replies) { server in
            let environment = ["OFFERCTL_SERVER": server.address, "OFFERCTL_TOKEN": Self.token]
            #expect(try await OfferctlProcess.run(["offers", "list"], environment).status == 0)
            let login = try await OfferctlProcess.run(["login"], environment)
            #expect(login.status == 2)
            #expect(login.errorText.hasPrefix("error: there is no folder for contexts"))
        }
    }

    @Test("the tokens of a home without XDG_CONFIG_HOME are below .config; a relative XDG_CONFIG_HOME is none")
    func home() throws {
        #expect(ContextsFile(["HOME": "/people/kim"])?.path == "/people/kim/.config/offerd/contexts.yaml")
        #expect(ContextsFile(["HOME": "/h", "XDG_CONFIG_HOME": "/x"])?.path == "/x/offerd/contexts.yaml")
        #expect(ContextsFile(["HOME": "/h", "XDG_CONFIG_HOME": "x"])?.path == "/h/.config/offerd/contexts.yaml")
        #expect(ContextsFile(["HOME": "", "XDG_CONFIG_HOME": ""]) == nil)
    }
}

@Suite("authorities of a server")
struct AuthorityTests {
    private static let untrusted = "no trusted TLS connection"

    @Test("a private authority is trusted by option, variable or context, and nothing else then")
    func trusted() async throws {
        let server = try SelfSignedServer()
        let other = try SelfSignedServer()
        let directory = try TemporaryDirectory()
        try directory.write("offerd_1_2", to: "token", permissions: 0o600)
        let given = ["OFFERCTL_SERVER": server.address, "OFFERCTL_TOKEN": "offerd_1_2"]
        func context(_ file: String) throws -> [String: String] {
            try directory.write(
                """
                current: desk
                contexts:
                  - name: desk
                    server: \(server.address)
                    app: com.example.pro
                    environment: Sandbox
                    tokenFile: \(directory.path("token"))
                    caFile: \(file)

                """, to: "offerd/contexts.yaml", permissions: 0o600)
            return ["XDG_CONFIG_HOME": directory.url.path]
        }
        func run(_ options: [String], _ environment: [String: String]) async throws -> String {
            try await OfferctlProcess.run(["offers", "list"] + options, environment).errorText
        }
        // The server of this test knows no call; to be refused by it, its certificate must be trusted.
        let answered = "error: the answer of `\(server.address)` is not one that offerd gives"
        for (options, environment) in [
            (["--ca-file", server.certificate], given),
            ([], given.merging(["SSL_CERT_FILE": server.certificate]) { $1 }),
            (["--ca-file", server.certificate], given.merging(["SSL_CERT_FILE": other.certificate]) { $1 }),
            ([], try context(server.certificate)),
        ] {
            let text = try await run(options, environment)
            #expect(text.hasPrefix(answered), "\(text)")
        }
        for (options, environment) in [
            ([], given), (["--ca-file", other.certificate], given),
            ([], given.merging(["SSL_CERT_FILE": other.certificate]) { $1 }), ([], try context(other.certificate)),
        ] {
            let text = try await run(options, environment)
            #expect(text.contains(Self.untrusted), "\(text)")
        }
        let wrong = try await run(["--ca-file", directory.path("token")], given)
        #expect(wrong.hasPrefix("error: CA file `\(directory.path("token"))` has no certificate in PEM form\n"))
        let missing = try await run([], given.merging(["SSL_CERT_FILE": "/no/such.pem"]) { $1 })
        #expect(missing == "error: CA file `/no/such.pem` cannot be read: there is no such file\n")
    }
}
