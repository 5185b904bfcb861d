import Yams

/// The frame of every reader: bytes → document → value, with one log.
enum DocumentReading {
    static func read<Value: Sendable>(
        _ bytes: [UInt8], _ body: (Field) -> Value?
    ) throws(InvalidDocument) -> ValidDocument<Value> {
        let log = IssueLog()
        let root: DocumentNode
        do throws(DocumentIssue) {
            root = try DocumentParser.parse(bytes)
        } catch {
            throw InvalidDocument(errors: [error], warnings: [])
        }
        return try log.outcome(body(Field(node: root, path: "", log: log)))
    }
}

/// Text → ``DocumentNode``: one YAML (or JSON) document, read strictly.
enum DocumentParser {
    /// - Throws: the one issue that keeps the document from being read.
    static func parse(_ bytes: [UInt8]) throws(DocumentIssue) -> DocumentNode {
        let document = try DocumentText(bytes)
        try SyntaxScreen.check(document.text)
        var repeated = RepeatedKeys(text: document.text)
        while true {
            do {
                let node = try Yams.compose(yaml: repeated.text, .basic, .default, .utf8)
                return try root(node, repeated)
            } catch let error as YamlError {
                guard try repeated.markFirst(of: error) else { throw YAMLSyntax.refusal(error, in: document.text) }
            } catch let issue as DocumentIssue {
                throw issue
            } catch {
                throw DocumentIssue(.syntax, at: .start, "the document cannot be read")
            }
        }
    }

    private static func root(_ node: Node?, _ repeated: RepeatedKeys) throws(DocumentIssue) -> DocumentNode {
        guard let node else { throw empty }
        let root = try convert(node, repeated, depth: 0, owner: .start)
        if case .empty = root.content { throw empty }
        return root
    }

    private static var empty: DocumentIssue {
        DocumentIssue(.emptyDocument, at: .start, "the document is empty")
    }

    private static func convert(
        _ node: Node, _ repeated: RepeatedKeys, depth: Int, owner: DocumentPosition
    ) throws(DocumentIssue) -> DocumentNode {
        let position = node.mark.map { DocumentPosition(line: $0.line, column: $0.column) } ?? owner
        guard depth <= DocumentLimits.depth else {
            throw DocumentIssue(
                .tooDeep, at: position, "the document is nested deeper than \(DocumentLimits.depth) levels")
        }
        guard node.anchor == nil else {
            throw DocumentIssue(.unsupportedSyntax, at: position, "anchors and aliases are not accepted")
        }
        switch node {
        case .scalar(let scalar):
            return try convert(scalar, at: position, owner: owner)
        case .sequence(let sequence):
            var items: [DocumentNode] = []
            for item in sequence {
                items.append(try convert(item, repeated, depth: depth + 1, owner: position))
            }
            return DocumentNode(position: position, content: .sequence(items))
        case .mapping(let mapping):
            var entries: [DocumentNode.Entry] = []
            for (key, value) in mapping {
                let entry = try convert(key: key, value: value, repeated, depth: depth + 1, owner: position)
                entries.append(entry)
            }
            return DocumentNode(position: position, content: .mapping(repeated.resolve(entries)))
        case .alias:
            throw DocumentIssue(.unsupportedSyntax, at: position, "anchors and aliases are not accepted")
        }
    }

    private static func convert(
        _ scalar: Node.Scalar, at position: DocumentPosition, owner: DocumentPosition
    ) throws(DocumentIssue) -> DocumentNode {
        switch scalar.style {
        case .literal, .folded:
            throw DocumentIssue(.unsupportedSyntax, at: position, "text over several lines is not accepted")
        case .singleQuoted, .doubleQuoted:
            return DocumentNode(position: position, content: .scalar(scalar.string, isQuoted: true))
        case .plain, .any:
            let isNull = scalar.string.isEmpty || scalar.string == "~" || scalar.string.lowercased() == "null"
            guard isNull else {
                return DocumentNode(position: position, content: .scalar(scalar.string, isQuoted: false))
            }
            return DocumentNode(position: scalar.string.isEmpty ? owner : position, content: .empty)
        }
    }

    private static func convert(
        key: Node, value: Node, _ repeated: RepeatedKeys, depth: Int, owner: DocumentPosition
    ) throws(DocumentIssue) -> DocumentNode.Entry {
        let position = key.mark.map { DocumentPosition(line: $0.line, column: $0.column) } ?? owner
        guard case .scalar(let scalar) = key, key.anchor == nil else {
            throw DocumentIssue(
                .unsupportedSyntax, at: position, "complex keys are not accepted", hint: "write `key: value`")
        }
        guard scalar.string != "<<" else {
            throw DocumentIssue(
                .unsupportedSyntax, at: position, "merge keys are not accepted", hint: "write the keys out")
        }
        let node = try convert(value, repeated, depth: depth, owner: position)
        return DocumentNode.Entry(key: scalar.string, keyPosition: position, value: node)
    }
}

/// Lets a document with keys given twice be read to its end, so that its other errors are found in the same pass.
///
/// The library refuses the whole document at the first such key. The first of the two is then renamed, in the text, to
/// a private character repeated to the same length, which keeps every line and column, and the text is composed again.
struct RepeatedKeys {
    private(set) var text: String
    private var names: [String: String] = [:]

    private static let mostRepairs = 16
    private static let firstPlaceholder: UInt32 = 0xE000

    init(text: String) {
        self.text = text
    }

    /// Renames the first of the keys that the error is about; `false` if the error is about something else.
    ///
    /// - Throws: the error itself, as an issue, where renaming is not possible.
    mutating func markFirst(of error: YamlError) throws(DocumentIssue) -> Bool {
        guard case .duplicatedKeysInMapping(let keys, let context) = error else { return false }
        let position = DocumentPosition(line: context.mark.line, column: context.mark.column)
        guard let name = keys.first, names.count < Self.mostRepairs, rename(name, at: position) else {
            let name = keys.first.map { quoted(names[$0] ?? $0) } ?? "a key"
            throw DocumentIssue(
                .duplicateKey, at: position, "key \(name) is given twice", hint: "the first one is here; keep one")
        }
        return true
    }

    private mutating func rename(_ name: String, at position: DocumentPosition) -> Bool {
        let length = name.unicodeScalars.count
        let value = Self.firstPlaceholder + UInt32(truncatingIfNeeded: names.count)
        guard length > 0, let scalar = Unicode.Scalar(value), let start = index(of: position) else { return false }
        let isQuoted = text.unicodeScalars[start] == "\"" || text.unicodeScalars[start] == "'"
        let first = isQuoted ? text.unicodeScalars.index(after: start) : start
        guard let end = text.unicodeScalars.index(first, offsetBy: length, limitedBy: text.endIndex),
            text.unicodeScalars[first..<end].elementsEqual(name.unicodeScalars)
        else { return false }
        let placeholder = String(repeating: Character(scalar), count: length)
        text.unicodeScalars.replaceSubrange(first..<end, with: placeholder.unicodeScalars)
        names[placeholder] = name
        return true
    }

    private func index(of position: DocumentPosition) -> String.Index? {
        var line = 1
        var index = text.startIndex
        let bytes = text.utf8
        while line < position.line {
            guard let newline = bytes[index...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
            index = bytes.index(after: newline)
            let isPair = bytes[newline] == 0x0D && index < bytes.endIndex && bytes[index] == 0x0A
            if isPair { index = bytes.index(after: index) }
            line += 1
        }
        let scalars = text.unicodeScalars
        guard let found = scalars.index(index, offsetBy: position.column - 1, limitedBy: scalars.endIndex),
            found < scalars.endIndex
        else { return nil }
        return found
    }

    /// The entries under their written keys, every one after the first of its key marked as repeated.
    func resolve(_ entries: [DocumentNode.Entry]) -> [DocumentNode.Entry] {
        guard !names.isEmpty else { return entries }
        var seen: Set<String> = []
        return entries.map { entry in
            var entry = entry
            entry.key = names[entry.key] ?? entry.key
            entry.isRepeated = !seen.insert(entry.key).inserted
            return entry
        }
    }
}

/// The library's complaints in our words.
enum YAMLSyntax {
    static func refusal(_ error: YamlError, in text: String) -> DocumentIssue {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            refusal(problem: problem, context: context, mark: mark, text: text)
        default:
            DocumentIssue(.syntax, at: .start, "the document is not YAML")
        }
    }

    private static func refusal(
        problem: String, context: YamlError.Context?, mark: Mark, text: String
    ) -> DocumentIssue {
        // The library counts a line more at the end of a text without a last line break.
        let lines = text.utf8.count { $0 == 0x0A || $0 == 0x0D } + 1
        let position = DocumentPosition(line: min(mark.line, lines), column: mark.column)
        if problem.hasPrefix("Maximum nesting level") {
            return DocumentIssue(
                .tooDeep, at: position, "the document is nested deeper than \(DocumentLimits.depth) levels")
        }
        if problem.contains("another document") {
            return DocumentIssue(
                .multipleDocuments, at: position, "the file holds more than one document",
                hint: "put each document into a file of its own")
        }
        let situation = context.map { " \($0.text) that began in line \($0.mark.line)" } ?? ""
        return DocumentIssue(
            .syntax, at: position, "not YAML: \(problem)\(situation)",
            hint: "check the indentation, and that brackets and quotes are closed")
    }
}
