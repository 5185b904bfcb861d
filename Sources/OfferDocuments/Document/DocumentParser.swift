import Yams

/// The frame of every reader: bytes → document → value, with one log.
enum DocumentReading {
    static func read<Value: Sendable>(
        _ bytes: [UInt8], _ body: (Field) -> Value?
    ) throws(InvalidDocument) -> ValidDocument<Value> {
        let log = IssueLog()
        let root = try DocumentParser.parse(bytes)
        return try log.outcome(body(Field(node: root, path: "", log: log)))
    }
}

/// Text → ``DocumentNode``: one YAML (or JSON) document, read strictly.
enum DocumentParser {
    /// - Throws: the one issue that keeps the document from being read, or as many repeated keys as are reported.
    static func parse(_ bytes: [UInt8]) throws(InvalidDocument) -> DocumentNode {
        let repeated: [RepeatedKey]
        do throws(DocumentIssue) {
            let document = try DocumentText(bytes)
            repeated = try SyntaxScreen.check(document.text)
            if repeated.count <= DocumentLimits.issues { return try compose(document.text, repeated) }
        } catch {
            throw InvalidDocument(errors: [error], warnings: [])
        }
        let log = IssueLog()
        for key in repeated { log.refuse(key.issue) }
        throw log.refusal
    }

    private static func compose(_ text: String, _ repeated: [RepeatedKey]) throws(DocumentIssue) -> DocumentNode {
        let distinct = DistinctKeys(text, renaming: repeated)
        do {
            guard let node = try Yams.compose(yaml: distinct.text, .basic, .default, .utf8) else { throw empty }
            let root = try convert(node, distinct, depth: 0, owner: .start)
            if case .empty = root.content { throw empty }
            return root
        } catch let error as YamlError {
            throw YAMLSyntax.refusal(error, in: text)
        } catch let issue as DocumentIssue {
            throw issue
        } catch {
            throw DocumentIssue(.syntax, at: .start, "the document cannot be read")
        }
    }

    private static var empty: DocumentIssue {
        DocumentIssue(.emptyDocument, at: .start, "the document is empty")
    }

    private static func convert(
        _ node: Node, _ keys: DistinctKeys, depth: Int, owner: DocumentPosition
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
                items.append(try convert(item, keys, depth: depth + 1, owner: position))
            }
            return DocumentNode(position: position, content: .sequence(items))
        case .mapping(let mapping):
            var entries: [DocumentNode.Entry] = []
            for (key, value) in mapping {
                let entry = try convert(key: key, value: value, keys, depth: depth + 1, owner: position)
                entries.append(entry)
            }
            return DocumentNode(position: position, content: .mapping(keys.restored(entries)))
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
        key: Node, value: Node, _ keys: DistinctKeys, depth: Int, owner: DocumentPosition
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
        let node = try convert(value, keys, depth: depth, owner: position)
        return DocumentNode.Entry(key: scalar.string, keyPosition: position, value: node)
    }
}

/// The library's complaints in our words.
enum YAMLSyntax {
    static func refusal(_ error: YamlError, in text: String) -> DocumentIssue {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            refusal(problem: problem, context: context, mark: mark, text: text)
        case .duplicatedKeysInMapping(let keys, let context):
            // Only one that is written with escapes, which the screen does not read.
            DocumentIssue(
                .duplicateKey, at: DocumentPosition(line: context.mark.line, column: context.mark.column),
                "key \(keys.first.map(quoted) ?? "") is given twice", hint: "the first one is here; keep one")
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
