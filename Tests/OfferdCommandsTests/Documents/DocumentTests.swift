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

    private static func faults(of document: Document) throws -> [String] {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: document.path), encoding: .utf8)
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
