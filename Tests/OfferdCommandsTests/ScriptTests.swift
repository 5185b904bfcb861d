import Foundation
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("offerd at a terminal")
struct ScriptTests {
    static let scripts = TerminalScript.all(in: Fixture.folder.appending(path: "scripts"))

    @Test("a scripted command prints and ends as its file says", arguments: scripts)
    func script(_ script: TerminalScript) async throws {
        let (run, directory) = try await ScriptRun.run(script)
        let output = run.text.replacing(directory, with: "DIR")
        let errorText = run.errorText.replacing(directory, with: "DIR")
        #expect(try TerminalPattern(script.output).matches(output), "stdout was:\n\(output)")
        #expect(try TerminalPattern(script.errorText).matches(errorText), "stderr was:\n\(errorText)")
        #expect(run.status == script.status)
    }

    @Test("every command has a script that succeeds and one that fails")
    func everyCommand() {
        for command in CommandTree.leaves(Offerd.self) {
            let scripts = Self.scripts.filter { $0.command.starts(with: command) }
            #expect(scripts.contains { $0.status == 0 }, "\(command) has no success")
            #expect(scripts.contains { $0.status != 0 }, "\(command) has no failure")
        }
    }

    @Test("every wrong end names what is wrong in one line, and each line says what it is")
    func messages() {
        for script in Self.scripts where script.status != 0 {
            let lines = script.errorText.split(separator: "\n")
            #expect(lines.first?.hasPrefix("error: ") == true, "\(script.name)")
            #expect(lines.allSatisfy { $0.hasPrefix("error: ") || $0.hasPrefix("hint: ") }, "\(script.name)")
            #expect(script.output.isEmpty, "\(script.name)")
        }
    }
}
