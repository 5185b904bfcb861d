import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("what a login saves")
struct LoginTests {
    private static let token = "offerd_support_test_0123456789abcdef_5ec2e7"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func offerctl(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Command {
        try await OfferctlProcess.run(
            arguments, ["XDG_CONFIG_HOME": directory.path("settings")].merging(environment) { $1 },
            directory: directory.url)
    }

    private static func replies(_ scope: String = "com.example.pro/Sandbox") -> [String: ScriptedServer.Reply] {
        [
            "GET /v1/catalog": .problem(403, "forbidden", "no", headers: [("Offerd-Scope", scope)]),
            "GET /v1/offers": .json(200, #"{"items":[]}"#, [("Offerd-Scope", scope)]),
            "POST /v1/offers/pause": .json(
                200, #"{"changed":true,"everyOfferPaused":true,"paused":true}"#, [("Offerd-Scope", scope)]),
        ]
    }

    private var contexts: String {
        get throws { try String(contentsOfFile: directory.path("settings/offerd/contexts.yaml"), encoding: .utf8) }
    }

    @Test(
        "a command that could not be read back is not saved, and the contexts stay",
        arguments: [
            (["echo", token, ""], "error: `` is not a word of a command at contexts[1].tokenCommand[2]"),
            (["echo", token, "a\nb"], "error: `a\\u{a}b` is not a word of a command at contexts[1].tokenCommand[2]"),
            (
                ["sh", "-c", "echo \(token)"] + Array(repeating: "x", count: 62),
                "error: these are 65 words; at most 64 are accepted at contexts[1].tokenCommand"
            ),
        ])
    func unreadable(_ words: [String], _ error: String) async throws {
        try await ScriptedServer.run(Self.replies()) { server in
            let first = ["login", "a", "--server", server.address]
            #expect(try await offerctl(first, ["OFFERCTL_TOKEN": Self.token]).status == 0)
            let saved = try contexts
            // More words than the token would not be a token.
            let program = try directory.write("#!/bin/sh\necho \(Self.token)\n", to: "print", permissions: 0o700)
            let command = words.first == "echo" ? [program] + words.dropFirst() : words
            let login = try await offerctl(["login", "b", "--server", server.address, "--token-command"] + command)
            #expect(login.status == 2)
            #expect(login.errorText.contains(error + "\n"), "\(login.errorText)")
            let after = try contexts
            #expect(after == saved)
            #expect(try await offerctl(["offers", "list"]).status == 0)
        }
    }

    @Test("a server that announces no app is not saved", arguments: ["a b", "", "com.é"])
    func announced(_ app: String) async throws {
        try await ScriptedServer.run(Self.replies(app + "/Production")) { server in
            let login = try await offerctl(["login", "--server", server.address], ["OFFERCTL_TOKEN": Self.token])
            #expect(login.status == 3)
            #expect(login.errorText.contains("does not say which app and environment the key is for"))
        }
    }

    @Test("a second login replaces the kept token, and one from the kept file itself leaves it")
    func keptToken() async throws {
        try await ScriptedServer.run(Self.replies()) { server in
            let login = ["login", "desk", "--server", server.address]
            let folder = directory.path("settings/offerd/tokens")
            func kept() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
            #expect(try await offerctl(login, ["OFFERCTL_TOKEN": Self.token]).status == 0)
            let first = try kept()
            #expect(try await offerctl(login, ["OFFERCTL_TOKEN": Self.token]).status == 0)
            let second = try kept()
            #expect(second.count == 1 && second != first)
            let file = try #require(second.first)
            try FileManager.default.createSymbolicLink(
                atPath: directory.path("link"), withDestinationPath: "\(folder)/\(file)")
            for path in ["\(folder)/\(file)", directory.path("link")] {
                #expect(try await offerctl(login + ["--token-file", path]).status == 0)
                let left = try kept()
                #expect(left == second)
            }
            #expect(try await offerctl(["offers", "list"]).status == 0)
        }
    }

    @Test("another key for a context is checked by the context's server, with its authorities, unless another is named")
    func sameServer() async throws {
        try await ScriptedServer.run(Self.replies()) { server in
            let first = ["login", "desk", "--server", server.address, "--ca-file", "ca.pem"]
            let token = ["OFFERCTL_TOKEN": Self.token]
            #expect(try await offerctl(first, token).status == 0)
            let again = try await offerctl(["login", "desk"], token)
            #expect(again.status == 0 && again.text.contains(" at \(server.address)\n"), "\(again.errorText)")
            let saved = try contexts
            #expect(saved.contains("caFile: \"\(directory.path("ca.pem"))\""), "\(saved)")
            let elsewhere = try await offerctl(["login", "desk", "--server", "http://127.0.0.1:1"], token)
            #expect(elsewhere.status == 3, "\(elsewhere.errorText)")
            #expect(try contexts == saved && server.seen.count == 2)
        }
    }

    @Test("logins at the same time lose no context")
    func together() async throws {
        try await ScriptedServer.run(Self.replies()) { server in
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 1...8 {
                    group.addTask {
                        try await offerctl(
                            ["login", "c\(number)", "--server", server.address], ["OFFERCTL_TOKEN": Self.token]
                        ).status
                    }
                }
                for try await status in group { #expect(status == 0) }
            }
            let saved = try contexts
            for number in 1...8 { #expect(saved.contains("name: c\(number)"), "\(saved)") }
        }
    }

    @Test("a token of another app than that of the login changes nothing")
    func otherApp() async throws {
        let file = try directory.write(Self.token, to: "desk.token", permissions: 0o600)
        try await ScriptedServer.run(Self.replies()) { server in
            let login = ["login", "desk", "--server", server.address, "--token-file", file]
            let runs = [try await offerctl(login), try await offerctl(["offers", "pause", "--all", "--confirm"])]
            #expect(runs.map(\.status) == [0, 0], "\(runs.map(\.errorText))")
        }
        try await ScriptedServer.run(Self.replies("com.example.other/Sandbox")) { server in
            let yaml = try contexts.replacing(#/http:\/\/127.0.0.1:[0-9]+/#, with: server.address)
            try directory.write(yaml, to: "settings/offerd/contexts.yaml", permissions: 0o600)
            for command in [["offers", "pause", "--all", "--confirm"], ["offers", "list"]] {
                let run = try await offerctl(command)
                #expect(run.status == 2)
                #expect(
                    run.errorText.contains(
                        "error: the token of context `desk` is for com.example.other in Sandbox, not for com.example.pro in Sandbox\n"
                    ), "\(run.errorText)")
            }
            #expect(server.seen.allSatisfy { $0.method == "GET" })
        }
    }

    @Test("a token without a server is not sent to the selected context's")
    func ownToken() async throws {
        try await ScriptedServer.run(Self.replies()) { server in
            let login = ["login", "desk", "--server", server.address]
            #expect(try await offerctl(login, ["OFFERCTL_TOKEN": Self.token]).status == 0)
            _ = try await offerctl(["offers", "list"], ["OFFERCTL_TOKEN": "offerd_3"])
            #expect(server.seen.count == 1)
        }
    }

    @Test("what is no login is refused with words for it, and never quotes a token")
    func refused() async throws {
        let empty = try await offerctl(["login", "--token-command"])
        #expect(empty.status == 2)
        #expect(empty.errorText.hasPrefix("error: `--token-command` needs the words of a command\n"))
        let nothing = try await offerctl(["login"])
        #expect(nothing.errorText.contains("hint: set OFFERCTL_TOKEN, or use `--token-file` or `--token-command`\n"))
        try #require(mkfifo(directory.path("pipe"), 0o600) == 0)
        let pipe = try await offerctl(["login", "--token-file", "pipe", "--timeout", "1"])
        #expect(pipe.status == 2)
        #expect(pipe.errorText.hasPrefix("error: token file `\(directory.path("pipe"))` is not a regular file\n"))
    }

    @Test("a token instead of a name is called a token, and not quoted", arguments: ["", " ", "Bearer "])
    func tokenAsName(_ before: String) async throws {
        for command in [["login"], ["contexts", "use"], ["contexts", "remove"], ["offers", "list", "--context"]] {
            let run = try await offerctl(command + [before + Self.token])
            #expect(run.status == 2)
            #expect(run.errorText.hasPrefix("error: what is given for the context is a token, not a name\n"))
            #expect(!run.errorText.contains("0123456789abcdef"), "\(run.errorText)")
        }
        // The name of a context that was written by hand.
        try directory.write(
            """
            contexts:
              - { name: offerd_1, server: "http://127.0.0.1:1", app: com.example.pro, environment: Sandbox, tokenFile: /t }

            """, to: "settings/offerd/contexts.yaml", permissions: 0o600)
        let own = try await offerctl(["contexts", "use", "offerd_1"])
        #expect(own.status == 0, "\(own.errorText)")
    }

    @Test(
        "no message has the secret of a token that was given in the wrong place",
        arguments: [
            ["login", "desk", token], ["login", "--token-file", token], ["login", "--token-command", token],
            ["login", "--server", token], ["offers", "list", token], ["offers", "show", "--server", token],
            ["offers", "list", "--ca-file", token, "--server", "https://127.0.0.1:1", "--token", "x"], [token],
            ["login", "--token-command", "sh", "-c", "echo \(token) >&2; exit 1"],
        ])
    func misplaced(_ command: [String]) async throws {
        let run = try await offerctl(command)
        #expect(run.status != 0)
        #expect(!(run.text + run.errorText).contains("5ec2e7"), "\(run.errorText)")
    }

    @Test("a link that leads nowhere is not taken for no contexts", arguments: ["settings", "offerd", "contexts.yaml"])
    func brokenLink(_ place: String) async throws {
        let path = ["settings": "settings", "offerd": "settings/offerd"][place] ?? "settings/offerd/contexts.yaml"
        let link = directory.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/no/such/disk")
        let error = "error: `\(link.path)` is a link that leads nowhere\n"
        for command in [["contexts"], ["contexts", "use", "desk"], ["offers", "list"]] {
            let run = try await offerctl(command)
            #expect(run.status == 2)
            #expect(run.errorText.hasPrefix(error), "\(run.errorText)")
        }
    }

    @Test("contexts of another user are not used, and the user is named", .enabled(if: geteuid() == 0))
    func foreign() async throws {
        let file = try directory.write(
            "contexts: []\n", to: "settings/offerd/contexts.yaml", permissions: 0o600)
        try #require(chown(file, 65_534, 65_534) == 0)
        let run = try await offerctl(["contexts"])
        #expect(run.errorText.hasPrefix("error: contexts file `\(file)` belongs to `nobody`\n"), "\(run.errorText)")
    }

    @Test("a signal at the question for the token leaves the terminal showing what is typed", arguments: [2, 15])
    func interrupted(_ signal: Int) throws {
        // The other end of the terminal stays open, so that its state can be read afterwards.
        let script = """
            import os, pty, sys, termios
            terminal, own = pty.openpty()
            pid = os.fork()
            if pid == 0:
                os.login_tty(own)
                os.execv(sys.argv[2], [sys.argv[2], "login"])
            shown = b""
            while not shown.endswith(b"token: "): shown += os.read(terminal, 4096)
            hidden = not termios.tcgetattr(own)[3] & termios.ECHO
            os.kill(pid, int(sys.argv[1]))
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            print(hidden, status, bool(termios.tcgetattr(own)[3] & termios.ECHO))
            """
        let environment = BuiltProgram.base.merging(["XDG_CONFIG_HOME": directory.path("settings")]) { $1 }
        let run = try Command.run(
            "python3", ["-c", script, String(signal), BuiltProgram("offerctl").path], environment: environment,
            patience: 60)
        #expect(run.text == "True -\(signal) True\n", "\(run.errorText)")
    }
}
