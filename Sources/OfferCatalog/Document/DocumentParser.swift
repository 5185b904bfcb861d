import Yams

/// Text → ``DocumentNode``: one YAML (or JSON) document, read strictly.
enum DocumentParser {
    /// - Throws: the one issue that keeps the document from being read.
    static func parse(_ bytes: [UInt8]) throws(DocumentRefusal) -> DocumentNode {
        let document = try DocumentText(bytes)
        try SyntaxScreen.check(document.text)
        var repeated = RepeatedKeys(text: document.text)
        while true {
            do {
                let node = try Yams.compose(yaml: repeated.text, .basic, .default, .utf8)
                return try root(node, repeated)
            } catch let error as YamlError {
                guard try repeated.markFirst(of: error) else { throw YAMLSyntax.refusal(error, in: document.text) }
            } catch let refusal as DocumentRefusal {
                throw refusal
            } catch {
                throw DocumentRefusal(.syntax, at: .start, "the document cannot be read")
            }
        }
    }

    private static func root(_ node: Node?, _ repeated: RepeatedKeys) throws(DocumentRefusal) -> DocumentNode {
        guard let node else { throw empty }
        let root = try convert(node, repeated, depth: 0, owner: .start)
        if case .empty = root.content { throw empty }
        return root
    }

    private static var empty: DocumentRefusal {
        DocumentRefusal(.emptyDocument, at: .start, "the document is empty")
    }

    private static func convert(
        _ node: Node, _ repeated: RepeatedKeys, depth: Int, owner: DocumentPosition
    ) throws(DocumentRefusal) -> DocumentNode {
        let position = node.mark.map { DocumentPosition(line: $0.line, column: $0.column) } ?? owner
        guard depth <= DocumentLimits.depth else {
            throw DocumentRefusal(
                .tooDeep, at: position, "the document is nested deeper than \(DocumentLimits.depth) levels")
        }
        guard node.anchor == nil else {
            throw DocumentRefusal(.unsupportedSyntax, at: position, "anchors and aliases are not accepted")
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
            throw DocumentRefusal(.unsupportedSyntax, at: position, "anchors and aliases are not accepted")
        }
    }

    private static func convert(
        _ scalar: Node.Scalar, at position: DocumentPosition, owner: DocumentPosition
    ) throws(DocumentRefusal) -> DocumentNode {
        switch scalar.style {
        case .literal, .folded:
            throw DocumentRefusal(.unsupportedSyntax, at: position, "text over several lines is not accepted")
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
    ) throws(DocumentRefusal) -> DocumentNode.Entry {
        let position = key.mark.map { DocumentPosition(line: $0.line, column: $0.column) } ?? owner
        guard case .scalar(let scalar) = key, key.anchor == nil else {
            throw DocumentRefusal(
                .unsupportedSyntax, at: position, "complex keys are not accepted", hint: "write `key: value`")
        }
        guard scalar.string != "<<" else {
            throw DocumentRefusal(
                .unsupportedSyntax, at: position, "merge keys are not accepted", hint: "write the keys out")
        }
        let node = try convert(value, repeated, depth: depth, owner: position)
        return DocumentNode.Entry(key: scalar.string, keyPosition: position, value: node)
    }
}
