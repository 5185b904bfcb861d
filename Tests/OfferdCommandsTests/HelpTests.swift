import Foundation
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("offerd's help")
struct HelpTests {
    static let commands = CommandTree.all(Offerd.self)

    private static func file(_ path: [String]) -> String { (["offerd"] + path).joined(separator: "-") + ".txt" }

    @Test("the help of every command is its golden file, has an example, and ends with 0", arguments: commands)
    func help(_ path: [String]) async throws {
        let run = try await Installation.offerd.run(path + ["--help"])
        #expect(run.status == 0)
        #expect(run.errorText.isEmpty)
        #expect(HelpExamples.broken(in: run.text) == [])
        #expect(run.text.contains("\nExample:\n") && run.text.contains("\n  offerd \(path.joined(separator: " "))"))
        #expect(try run.text == Fixture.text("help/\(Self.file(path))"))
    }

    @Test("no golden file of a help is left over")
    func noneLeftOver() throws {
        let folder = Fixture.folder.appending(path: "help")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(Self.commands.map(Self.file)))
    }
}
