import Foundation
import Testing

@Suite("Plain English")
struct ProseTests {
    /// How often each folder may use words of ``Prose/words``, as `FOLDER COUNT`. A number may only fall; one that is
    /// not there is 0.
    private static let ceilings = "Tests/Goldens/words.txt"

    @Test("no folder has more words to avoid than Tests/Goldens/words.txt allows")
    func ceilings() throws {
        let repository = Repository()
        let lines = try #require(repository.file(Self.ceilings)).text.split(separator: "\n")
        let allowed = lines.reduce(into: [String: Int]()) { allowed, line in
            let words = line.split(separator: " ")
            allowed[String(words[0])] = words.count == 2 ? Int(words[1]) : nil
        }
        #expect(allowed.count == lines.count)
        let found = Prose.counts(in: try repository.everything())
        for (folder, count) in found.sorted(by: { $0.key < $1.key }) {
            #expect(count <= allowed[folder, default: 0], "\(folder): \(Prose.words.joined(separator: ", "))")
        }
        guard ProcessInfo.processInfo.environment["RECORD_GOLDENS"] != nil else { return }
        let lower = found.map { "\($0.key) \(min($0.value, allowed[$0.key, default: 0]))" }.sorted()
        let text = lower.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: repository.root.appending(path: Self.ceilings))
    }

    @Test("a word is found in any case and over the end of a line, and not within another")
    func finds() {
        for text in ["Whoever asks", "gives\nso   many", "    /// It tells\n    /// of it.", "# what\n# became of it"] {
            #expect(Prose.uses(in: text).count == 1, "\(text)")
        }
        #expect(Prose.uses(in: "nobody and somebody") == ["nobody", "somebody"])
        for text in ["understands", "so much, many", "let nobodyKnows = 1", "a_whom"] {
            #expect(Prose.uses(in: text).isEmpty, "\(text)")
        }
    }

    @Test("a file counts for its target, docs/decisions apart from docs")
    func folders() {
        let paths = ["Sources/A/B/C.swift", "Tests/A/B.swift", "docs/a.md", "docs/decisions/b.md", "README.md"]
        let counts = Prose.counts(in: paths.map { SourceFile(path: $0, text: "anew, whom") })
        #expect(counts == ["Sources/A": 2, "Tests/A": 2, "docs": 2, "docs/decisions": 2, "README.md": 2])
    }
}

/// Words that a reader stumbles over. Name the actor instead (caller, customer, operator, process), or the number.
enum Prose {
    static let words = [
        "whoever", "nobody", "somebody", "anybody", "everybody", "whom", "anew", "so many", "stands", "tells of",
        "made ready", "in the place of", "takes the place", "what became of", "nothing is known", "mended",
        "for good", "nothing to say",
    ]

    /// The words in a text.
    static func uses(in text: String) -> [String] {
        let gap = #"(?:[ \t]+|[ \t]*\n[ \t]*(?:///?|#)?[ \t]*)"#
        let pattern = words.map { $0.replacing(" ", with: gap) }.joined(separator: "|")
        guard let regex = try? NSRegularExpression(pattern: #"(?i)\b(?:\#(pattern))\b"#) else { return [] }
        let whole = text as NSString
        return regex.matches(in: text, range: NSRange(location: 0, length: whole.length))
            .map { whole.substring(with: $0.range) }
    }

    /// How many words each folder has; a target of `Sources` or `Tests` is a folder.
    static func counts(in files: [SourceFile]) -> [String: Int] {
        files.reduce(into: [:]) { counts, file in
            let isOurs = !file.path.hasSuffix("/ProseTests.swift") && !file.path.hasPrefix("Tests/Goldens/")
            let count = isOurs ? uses(in: file.text).count : 0
            guard count > 0 else { return }
            counts[folder(of: file.path), default: 0] += count
        }
    }

    private static func folder(of path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        let isDeep = ["Sources", "Tests"].contains(parts[0]) || path.hasPrefix("docs/decisions/")
        return parts.prefix(isDeep && parts.count > 2 ? 2 : 1).joined(separator: "/")
    }
}
