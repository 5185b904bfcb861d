import Foundation
import Testing

@Suite("Golden commands")
struct CommandGoldenTests {
    /// The help itself is held by a file per command, which changes with its prose; this list does not.
    @Test("every command with its arguments and options is Tests/Goldens/commands.txt")
    func commands() throws {
        let repository = Repository()
        let folders = ["offerctl", "offerd"].map {
            "Tests/\($0.replacing("offer", with: "Offer"))CommandsTests/Fixtures/help"
        }
        let usages = try folders.flatMap(repository.files(below:)).compactMap { file in
            file.text.split(separator: "\n").first { $0.hasPrefix("USAGE: ") }.map { $0.dropFirst(7) }
        }
        try #require(usages.count > 40, "the help texts were not found")
        let text = usages.joined(separator: "\n") + "\n"
        let golden = repository.root.appending(path: "Tests/Goldens/commands.txt")
        if ProcessInfo.processInfo.environment["RECORD_GOLDENS"] != nil { try Data(text.utf8).write(to: golden) }
        #expect(try String(contentsOf: golden, encoding: .utf8).split(separator: "\n") == text.split(separator: "\n"))
    }
}
