import ArgumentParser
import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("commands in the documents")
struct DocumentCommandTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let guides = ["marketing", "support", "ios", "catalog", "cases"]

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: "docs/\(name).md"), encoding: .utf8)
    }

    /// The lines of code blocks, each with the lines that follow it up to the next command or the block's end.
    private static func commands(_ name: String) throws -> [(command: String, output: String)] {
        try text(name).matches(of: #/```[a-z]*\n(?<code>(?:.*\n)*?)```/#).flatMap { block in
            var found: [(command: String, output: String)] = []
            let code = block.output.code.replacing(#/\\\n +/#, with: "")
            for line in code.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let bare = line.hasPrefix("$ ") ? line.dropFirst(2) : line
                if bare.hasPrefix("offerctl ") {
                    found.append((String(bare.dropFirst("offerctl ".count)), ""))
                } else if !found.isEmpty {
                    found[found.count - 1].output += line + "\n"
                }
            }
            return found
        }
    }

    @Test("every offerctl command line is one that the program takes", arguments: guides)
    func parse(_ name: String) throws {
        for (command, _) in try Self.commands(name) {
            // A pipe goes on with another program, and the shell puts in the date.
            let own = command.prefix(upTo: command.firstRange(of: " | ")?.lowerBound ?? command.endIndex)
                .replacing(#/\$\(date [^)]*\+%FT00:00:00Z\)/#, with: "2026-12-24T00:00:00Z")
                .replacing(#/\$\(date [^)]*\+%F\)/#, with: "2026-12-24")
            #expect(throws: Never.self, "\(command)") { try Offerctl.parseAsRoot(ShellWords.split(String(own))) }
        }
    }

    @Test("every command takes --json and has its shape in the support guide, unless it exports")
    func shapes() throws {
        let rows = try Self.text("support").split(separator: "\n").drop { !$0.hasPrefix("| Command with `-o json` |") }
            .prefix { $0.hasPrefix("|") }
        let documented = rows.flatMap { row -> [[String]] in
            let names = row.split(separator: "|")[0].matches(of: #/`([a-z -]+)`/#).map {
                $0.output.1.split(separator: " ")
            }
            return names.map { ($0.count == 1 && names[0].count == 2 ? [names[0][0]] + $0 : $0).map(String.init) }
        }
        let commands = CommandTree.leaves(Offerctl.self).filter { $0.last != "export" }
        #expect(Set(documented.filter { $0 != ["-o", "json"] }) == Set(commands))
        for command in commands {
            #expect(try Fixture.text("help/\(HelpTests.file(command))").contains("\n  --json "), "\(command)")
        }
    }

    @Test("a guide's output of `catalog validate` is the real one", arguments: ["marketing", "catalog"])
    func validate(_ name: String) async throws {
        let directory = try TemporaryDirectory()
        let catalog = try Self.text(name).firstMatch(of: #/```yaml\n(?<text>bundleId(?:.*\n)+?)```/#)
        if let catalog { try directory.write(String(catalog.output.text), to: "catalog.yaml") }
        try FileManager.default.createSymbolicLink(
            at: directory.url.appending(path: "Examples"), withDestinationURL: Self.root.appending(path: "Examples"))
        let shown = try Self.commands(name).filter { $0.command.hasPrefix("catalog validate") && !$0.output.isEmpty }
        #expect(!shown.isEmpty)
        for (command, output) in shown {
            let run = try await OfferctlProcess.run(ShellWords.split(command), directory: directory.url)
            #expect(run.errorText + run.text == output)
        }
    }

    @Test("a guide's output of a command with a server is that of a script", arguments: ["marketing"])
    func scripted(_ name: String) throws {
        let examples = try Self.text(name).matches(
            of: #/<!-- script: (?<script>\S+) -->\n```text\n\$ offerctl (?<command>.*)\n(?<text>(?:.*\n)*?)```/#)
        #expect(!examples.isEmpty)
        for example in examples {
            let script = try TerminalScript(String(example.output.script), in: TerminalScript.folder)
            #expect(ShellWords.split(example.output.command) == script.command)
            #expect(String(example.output.text) == script.output + script.errorText)
        }
    }
}
