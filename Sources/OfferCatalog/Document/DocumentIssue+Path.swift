extension DocumentIssue {
    /// An issue that was found after reading, such as a conflict with what is stored, with its place in the text.
    ///
    /// The place is that of the deepest part of the path that the document has; the first line if it has none.
    ///
    /// - Parameter path: keys and indexes from the root, such as `offers[2].type`.
    public init(code: DocumentIssueCode, path: String, in text: String, detail: String, hint: String? = nil) {
        let position = (try? DocumentParser.parse(Array(text.utf8)))?.position(of: path) ?? .start
        self.init(
            code: code, path: path, line: position.line, column: position.column, detail: detail, hint: hint)
    }
}

extension DocumentNode {
    /// The place of the deepest part of a path that exists below this node; of a mapping's entry, the place of its key.
    fileprivate func position(of path: String) -> DocumentPosition {
        descendant(path).position
    }

    /// The deepest part of a path that exists below this node, placed where a reader would look for it.
    fileprivate func descendant(_ path: String) -> DocumentNode {
        var place = position
        var node = self
        for step in path.split(whereSeparator: { ".[]".contains($0) }) {
            switch node.content {
            case .mapping(let entries):
                guard let entry = entries.first(where: { $0.key == step }) else { return node.placed(at: place) }
                place = entry.keyPosition
                node = entry.value
            case .sequence(let items):
                guard let index = Int(step), items.indices.contains(index) else { return node.placed(at: place) }
                node = items[index]
                place = node.position
            case .scalar, .empty:
                return node.placed(at: place)
            }
        }
        return node.placed(at: place)
    }

    private func placed(at position: DocumentPosition) -> DocumentNode {
        DocumentNode(position: position, content: content)
    }
}

extension Field {
    /// The place of a path below this one, such as `.all[1].not`.
    func descendant(_ path: String) -> Field {
        Field(node: node.descendant(path), path: self.path + path, log: log)
    }
}
