/// A place in a document; both counted from 1.
struct DocumentPosition: Sendable, Hashable {
    var line: Int
    var column: Int

    static let start = DocumentPosition(line: 1, column: 1)
}

/// A document as it is written: nothing is interpreted, so a reader decides by the type it wants.
struct DocumentNode: Sendable {
    var position: DocumentPosition
    var content: Content

    indirect enum Content: Sendable {
        /// Nothing: a key without a value.
        case empty
        /// A text; only a plain one may mean a number or a boolean.
        case scalar(String, isQuoted: Bool)
        case sequence([DocumentNode])
        case mapping([Entry])
    }

    struct Entry: Sendable {
        var key: String
        var keyPosition: DocumentPosition
        var value: DocumentNode
        /// Whether an entry before this one has the same key.
        var isRepeated = false
    }

    /// What it is, for an error: `a list`.
    var kind: String {
        switch content {
        case .empty: "nothing"
        case .scalar(let text, let isQuoted): isQuoted ? "text" : PlainScalar(text).kind
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
