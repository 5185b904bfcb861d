import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("offerctl at a terminal")
struct ScriptTests {
    private static func environment(_ server: ScriptedServer, _ directory: TemporaryDirectory) -> [String: String] {
        [
            "OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address,
            "XDG_CONFIG_HOME": directory.url.path,
        ]
    }

    @Test("a scripted command asks, prints and ends as its file says", arguments: TerminalScript.all)
    func script(_ script: TerminalScript) async throws {
        let directory = try TemporaryDirectory()
        #expect(script.kinds.isSubset(of: ["file", "reply", "asked"]))
        try script.writeFiles(into: directory)
        try await ScriptedServer.run(sequences: script.replies) { server in
            let run = try await OfferctlProcess.run(
                script.command, Self.environment(server, directory), directory: directory.url)
            #expect(
                run.text.replacing(server.address, with: "http://SERVER")
                    .replacing(directory.url.path, with: "DIR") == script.output)
            #expect(
                run.errorText.replacing(server.address, with: "http://SERVER")
                    .replacing(directory.url.path, with: "DIR") == script.errorText)
            #expect(run.status == script.status)
            #expect(server.seen.map { $0.line + "\n" }.joined() == script.asked)
        }
    }

    @Test(
        "a command that calls a server says first in which app and environment, whatever it prints then",
        arguments: TerminalScript.all.filter { !$0.asked.isEmpty && !$0.saysScope })
    func scope(_ script: TerminalScript) async throws {
        let directory = try TemporaryDirectory()
        try script.writeFiles(into: directory)
        let replies = script.replies.mapValues { replies in
            replies.map { reply in
                var reply = reply
                reply.headers.append(("Offerd-Scope", "com.example.pro/Production"))
                return reply
            }
        }
        try await ScriptedServer.run(sequences: replies) { server in
            let run = try await OfferctlProcess.run(
                script.command, Self.environment(server, directory), directory: directory.url)
            #expect(run.errorText.hasPrefix("com.example.pro in PRODUCTION\n"), "\(run.errorText)")
            #expect(run.errorText.split(separator: "\n").count { $0.contains("PRODUCTION") } == 1)
            #expect(run.status == script.status)
        }
    }

    @Test("every command has a script that succeeds and one that fails")
    func everyCommand() {
        for command in CommandTree.leaves(Offerctl.self) {
            let scripts = TerminalScript.all.filter { $0.command.starts(with: command) }
            #expect(scripts.contains { $0.status == 0 }, "\(command) has no success")
            #expect(scripts.contains { $0.status != 0 }, "\(command) has no failure")
        }
    }

    @Test("an exported catalog is in its file, byte for byte, and messages go to stderr")
    func exported() async throws {
        let directory = try TemporaryDirectory()
        let document = "bundleId: com.example.pro # ü\noffers: []"
        let reply = ScriptedServer.Reply(
            status: 200, headers: [("Content-Type", "application/json"), ("ETag", "\"7\"")], body: document)
        try await ScriptedServer.run(["GET /v1/catalog": reply]) { server in
            let run = try await OfferctlProcess.run(
                ["catalog", "export", "-o", "out.json"],
                ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address], directory: directory.url)
            #expect(run.status == 0)
            #expect(run.text.isEmpty)
            #expect(run.errorText == "revision 7 is in `out.json`\n")
            #expect(server.seen.map(\.headers["accept"]) == ["application/json"])
        }
        #expect(try Command.run("cat", ["out.json"], directory: directory.url).text == document)
    }
}
