/// A page of docs, cut into its sections.
struct CitedPage {
    /// By the anchor of each heading, the significant words of its section; a section includes those below it.
    let sections: [String: Set<String>]
    /// In how many sections each word is, apart from those below them.
    private let frequencies: [String: Int]

    init(_ text: String) {
        var sections: [String: Set<String>] = [:]
        var own: [String: Set<String>] = [:]
        var open: [(level: Int, anchor: String)] = []
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            let level = line.prefix { $0 == "#" }.count
            if level > 0, !isCode, line.dropFirst(level).first == " " {
                open.removeAll { $0.level >= level }
                open.append((level, Self.anchor(of: line.dropFirst(level + 1))))
            }
            let words = Self.words(line)
            for section in open { sections[section.anchor, default: []].formUnion(words) }
            if let section = open.last { own[section.anchor, default: []].formUnion(words) }
        }
        self.sections = sections
        frequencies = own.values.joined().reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// The anchor that a heading has on a rendered page.
    static func anchor(of heading: Substring) -> String {
        let kept = heading.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
        return kept.replacing(" ", with: "-")
    }

    /// Whether a comment and the section that it cites have a topic in common: a significant word of the section's
    /// heading, or one that less than half of the page's sections have.
    func fits(_ comment: String, to anchor: String) -> Bool {
        guard let section = sections[anchor] else { return false }
        let heading = Self.words(Substring(anchor.replacing("-", with: " ")))
        return Self.words(Substring(comment)).contains { word in
            if heading.contains(word) { return true }
            return section.contains(word) && frequencies[word, default: 0] * 2 < sections.count
        }
    }

    /// The words of at least four letters that are not about everything, without their endings; the words of
    /// `camelCase` are several.
    static func words(_ text: Substring) -> Set<String> {
        var words: Set<String> = []
        var word = ""
        func end() {
            let lower = word.lowercased()
            if lower.count > 3, !common.contains(lower) { words.insert(stem(lower)) }
            word = ""
        }
        for character in text {
            if !character.isLetter || character.isUppercase && word.last?.isLowercase == true { end() }
            if character.isLetter { word.append(character) }
        }
        end()
        return words
    }

    private static func stem(_ word: String) -> String {
        let endings = word.count > 4 ? ["ies", "ied", "ing", "ed", "es", "s", "e", "y"] : ["s"]
        return endings.first(where: word.hasSuffix).map { String(word.dropLast($0.count)) } ?? word
    }

    private static let common: Set<String> = [
        "about", "above", "after", "again", "against", "also", "because", "been", "before", "being", "below", "between",
        "both", "cannot", "docs", "does", "each", "even", "every", "from", "have", "here", "into", "itself", "just",
        "made", "make", "makes", "many", "more", "most", "much", "must", "need", "needs", "never", "none", "nothing",
        "once", "only", "other", "otherwise", "over", "same", "should", "since", "some", "such", "than", "that",
        "their", "them", "then", "there", "these", "they", "this", "those", "through", "under", "until", "upon", "very",
        "what", "when", "where", "whether", "which", "while", "whose", "will", "with", "within", "without",
    ]
}

/// A comment that cites a section of a page: `docs/PAGE.md#ANCHOR`.
struct Citation {
    let page: String
    let anchor: String
    /// The whole comment, without its citations.
    let comment: String

    /// The citations in the comments of Swift code.
    static func all(in code: String) -> [Citation] {
        guard code.contains("docs/") else { return [] }
        var comments: [String] = []
        var continues = false
        for line in code.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let mark = line.firstRange(of: "//") else {
                continues = false
                continue
            }
            // A comment behind code is one of its own.
            let isAlone = line[..<mark.lowerBound].allSatisfy { $0 == " " }
            let text = String(line[mark.upperBound...])
            if continues, isAlone { comments[comments.count - 1] += "\n" + text } else { comments.append(text) }
            continues = isAlone
        }
        return comments.flatMap(citations)
    }

    private static func citations(_ comment: String) -> [Citation] {
        let pattern = /(docs\/[a-z0-9\/-]+\.md)#([a-z0-9_-]+)/
        let matches = comment.matches(of: pattern)
        guard !matches.isEmpty else { return [] }
        let rest = comment.replacing(pattern, with: "")
        return matches.map { match in
            Citation(page: String(match.output.1), anchor: String(match.output.2), comment: rest)
        }
    }
}
