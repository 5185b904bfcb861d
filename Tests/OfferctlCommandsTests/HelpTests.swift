import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("help and completion")
struct HelpTests {
    static let commands = CommandTree.all(Offerctl.self)

    static func file(_ path: [String]) -> String { (["offerctl"] + path).joined(separator: "-") + ".txt" }

    @Test("the help of every command is its golden file, has an example, and ends with 0", arguments: commands)
    func help(_ path: [String]) async throws {
        let run = try await OfferctlProcess.run(path + ["--help"])
        #expect(run.status == 0)
        #expect(run.errorText.isEmpty)
        #expect(HelpExamples.broken(in: run.text) == [])
        #expect(run.text.contains("\nExample:\n") && run.text.contains("\n  offerctl \(path.joined(separator: " "))"))
        #expect(try run.text == Fixture.text("help/\(Self.file(path))"))
    }

    @Test("an example that goes on in the next line without a backslash is found")
    func brokenExamples() {
        func broken(_ examples: String) -> [String] { HelpExamples.broken(in: "Example:\n\(examples)\n\nUSAGE: x\n") }
        #expect(broken("  offerd serve --config\nofferd.yaml") == ["offerd.yaml"])
        #expect(broken("  offerd serve\n    --config a") == ["    --config a"])
        #expect(broken("  offerd serve \\\n--config a") == ["--config a"])
        #expect(broken("  offerd serve \\\n  offerd init") == ["  offerd serve \\"])
        #expect(broken("  offerd serve \\") == ["  offerd serve \\"])
        #expect(broken("  offerd serve \\\n    --config a\n  offerctl test b") == [])
    }

    @Test("no golden file of a help is left over")
    func noneLeftOver() throws {
        let folder = Bundle.module.bundleURL.appending(path: "Fixtures/help")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(Self.commands.map(Self.file)))
    }

    @Test("a completion script is printed for every shell and names every command", arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) async throws {
        let run = try await OfferctlProcess.run(["--generate-completion-script", shell])
        #expect(run.status == 0)
        #expect(run.errorText.isEmpty)
        for word in Self.commands.compactMap(\.last) {
            #expect(run.text.contains(word), "\(word) is not completed")
        }
        guard shell == "bash" else { return }
        let check = try Command.run("bash", ["-n"], input: run.output)
        #expect(check.status == 0, "\(check.errorText)")
    }
}
