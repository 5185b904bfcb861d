import Foundation
import Testing

/// One run of the program as a text file under `Fixtures/scripts/`:
///
///     what it shows, in a sentence
///     $ catalog plan catalog.yaml --exit-code
///     --- file catalog.yaml
///     …
///     --- reply GET /v1/catalog 200 application/yaml ETag="3"
///     …
///     --- asked
///     PUT /v1/catalog?dryRun=true If-Match="3"
///     --- stdout
///     --- stderr
///     --- exit 1
struct TerminalScript: Sendable, CustomTestStringConvertible {
    let name: String
    private(set) var command: [String] = []
    private(set) var files: [String: String] = [:]
    private(set) var replies: [String: [ScriptedServer.Reply]] = [:]
    private(set) var asked = ""
    private(set) var output = ""
    private(set) var errorText = ""
    private(set) var status: Int32 = 0

    var testDescription: String { name }

    /// Every script, by name.
    static let all: [TerminalScript] = {
        let folder = Bundle.module.bundleURL.appending(path: "Fixtures/scripts")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { try? TerminalScript(String($0.dropLast(4))) }
    }()

    init(_ name: String) throws {
        self.name = name
        let text = try Fixture.text("scripts/\(name).txt")
        let sections = text.split(separator: "\n--- ", omittingEmptySubsequences: false)
        for line in sections.first?.split(separator: "\n") ?? [] where line.hasPrefix("$ ") {
            command = ShellWords.split(line.dropFirst(2))
        }
        for section in sections.dropFirst() {
            let parts = section.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let words = parts[0].split(separator: " ").map(String.init)
            read(words, parts.count < 2 || parts[1].isEmpty ? "" : String(parts[1]).line)
        }
    }

    private mutating func read(_ words: [String], _ body: String) {
        switch words.first {
        case "file": files[words[1]] = body
        case "reply": replies["\(words[1]) \(words[2])", default: []].append(Self.reply(words, body))
        case "asked": asked = body
        case "stdout": output = body
        case "stderr": errorText = body
        case "exit": status = Int32(words[1]) ?? -1
        default: errorText = "the script has an unknown section \(words)"
        }
    }

    private static func reply(_ words: [String], _ body: String) -> ScriptedServer.Reply {
        let status = Int(words[3]) ?? 0
        var headers: [(String, String)] = []
        var mediaType = status < 400 ? "application/json" : "application/problem+json"
        for word in words.dropFirst(4) {
            if let equals = word.firstIndex(of: "=") {
                headers.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
            } else {
                mediaType = word
            }
        }
        return ScriptedServer.Reply(status: status, headers: [("Content-Type", mediaType)] + headers, body: body)
    }
}

extension ScriptedServer.Request {
    /// The request as scripts write it: a condition, and a body if it is JSON.
    var line: String {
        let condition = headers["if-match"].map { " If-Match=\($0)" } ?? ""
        let content = headers["content-type"] == "application/json" && !body.isEmpty ? " " + body : ""
        return "\(method) \(uri)\(condition)\(content)"
    }
}

/// The words of a command line as documents write it.
enum ShellWords {
    /// Splits at blanks outside of `"…"` and `'…'`.
    static func split(_ line: some StringProtocol) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch character {
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil:
                quote = character
                word = word ?? ""
            case " " where quote == nil:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}

extension String {
    /// With the line break that separated it from the next section.
    fileprivate var line: String { self + "\n" }
}
