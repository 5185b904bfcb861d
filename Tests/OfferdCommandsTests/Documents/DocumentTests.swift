import Foundation
import OfferTestSupport
import Testing

@Suite("The commands of the documents")
struct DocumentTests {
    /// A document and whether it begins where `Scripts/run` ends, or with an empty server.
    struct Document: Sendable, CustomTestStringConvertible {
        var path: String
        var withExamples: Bool

        var testDescription: String { path }
    }

    @Test(
        "each can be run as it stands, in order, and prints what the document shows",
        arguments: [
            Document(path: "README.md", withExamples: true), Document(path: "docs/http.md", withExamples: true),
            Document(path: "docs/campaign.md", withExamples: true),
            Document(path: "docs/marketing.md", withExamples: false),
            Document(path: "docs/support.md", withExamples: true),
            Document(path: "docs/testing-with-apple.md", withExamples: false),
        ])
    func commands(_ document: Document) async throws {
        let faults = try await withCheckedThrowingContinuation { continuation in
            // Waiting for the shell must not take a thread from the tests that run beside it.
            Thread.detachNewThread { continuation.resume(with: Result { try Self.faults(of: document) }) }
        }
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test("every quickstart is one of those that Scripts/quickstarts follows, and has commands")
    func quickstarts() throws {
        let docs = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "docs").path)
        let pages = docs.filter { $0.hasPrefix("quickstart-") }.sorted()
        let script = try String(contentsOf: Self.root.appending(path: "Scripts/quickstarts"), encoding: .utf8)
        let followed = try #require(script.firstMatch(of: #/names=\(([a-z ]+)\); fi/#)?.1).split(separator: " ")
        #expect(pages == followed.map { "quickstart-\($0).md" }.sorted())
        for page in pages {
            let text = try String(contentsOf: Self.root.appending(path: "docs/\(page)"), encoding: .utf8)
            #expect(DocumentedSession(text).commands.count > 5, "\(page)")
        }
    }

    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func faults(of document: Document) throws -> [String] {
        let text = try String(contentsOf: Self.root.appending(path: document.path), encoding: .utf8)
        let session = DocumentedSession(text)
        guard !session.commands.isEmpty else { return ["\(document.path) has no command in a console block"] }
        let shell = try DocumentShell(files: session.files, withExamples: document.withExamples)
        defer { shell.stop() }
        var comparison = PrintedText()
        var faults = [String]()
        for command in session.commands {
            let place = "\(document.path):\(command.line): `\(command.text)`"
            let run = try shell.run(
                comparison.current(command.text).replacing(
                    #/https?:\/\/(127\.0\.0\.1:8080|offers\.example\.com)/#, with: "$url"))
            if let shown = command.output {
                faults += comparison.differences(shown: shown, printed: run.output).map { "\(place): \($0)" }
            } else if run.status != 0 {
                faults.append("\(place): status \(run.status): \(run.output)")
            }
        }
        return faults
    }
}
