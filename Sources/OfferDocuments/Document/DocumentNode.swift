import JSON

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
    /// Behind a scalar or the closing bracket; `nil` for what is written in lines.
    var end: DocumentPosition?

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

        /// The error of a repeated one, in the mapping at a path.
        func repetition(at path: String) -> DocumentIssue {
            DocumentIssue(
                .duplicateKey, at: keyPosition, path: path, "key \(quoted(key)) is given twice", hint: "keep one")
        }
    }

    /// Its kind, for an error: `a list`.
    var kind: String {
        switch content {
        case .empty: "nothing"
        case .scalar(let text, let isQuoted): isQuoted ? "text" : PlainScalar(text).kind
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// The meanings of an unquoted scalar in the versions of YAML.
///
/// Where text is wanted, anything that some reader takes for a number, a boolean or nothing must be quoted: `1e5` is a
/// group to one tool and a hundred thousand to the next.
enum PlainScalar {
    case text
    case number
    case boolean
    case null

    init(_ text: String) {
        switch text.lowercased() {
        case "true", "false", "yes", "no", "on", "off": self = .boolean
        case "null", "~": self = .null
        case ".nan", ".inf", "+.inf", "-.inf": self = .number
        default: self = Self.isNumber(text) ? .number : .text
        }
    }

    var kind: String {
        switch self {
        case .text: "text"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "nothing"
        }
    }

    /// A JSON number; `nil` for every other spelling.
    static func number(_ text: String) -> Double? {
        let limits = JSONForm.Limits(depth: 0, nameLength: 0, numberLength: .max, allowsRepeatedMembers: false)
        guard (try? JSONForm.check(Array(text.utf8), limits)) != nil, let number = Double(text), number.isFinite else {
            return nil
        }
        return number
    }

    /// Numbers of YAML 1.1 and 1.2: signs, underscores, other bases, base 60, missing digits around the point.
    private static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else { return false }
        let form = /[-+]?(?:0x[0-9a-f_]+|0[ob][0-7_]+|(?=[0-9.])[0-9_:]*\.?[0-9_:]*(?:e[-+]?[0-9]+)?)/
        return text.contains(where: \.isWholeNumber) && text.lowercased().wholeMatch(of: form) != nil
    }
}

/// The places of a text for issues that are found after reading, such as a conflict with what is stored.
package struct DocumentPlaces {
    private let root: DocumentNode?

    package init(_ text: String) {
        root = try? DocumentParser.parse(Array(text.utf8))
    }

    /// An issue at the deepest part of the path that the document has; at the first line if it has none.
    package func issue(
        _ code: DocumentIssueCode, at path: String, detail: String, hint: String? = nil
    ) -> DocumentIssue {
        DocumentIssue(code, at: root?.descendant(path).position ?? .start, path: path, detail, hint: hint)
    }
}

extension DocumentNode {
    /// The deepest part of a path that exists below this node; a mapping's entry is placed at its key.
    fileprivate func descendant(_ path: String) -> DocumentNode {
        var node = self
        for step in path.split(whereSeparator: { ".[]".contains($0) }) {
            switch node.content {
            case .mapping(let entries):
                guard let entry = entries.first(where: { $0.key == step }) else { return node }
                node = DocumentNode(position: entry.keyPosition, content: entry.value.content)
            case .sequence(let items):
                guard let index = Int(step), items.indices.contains(index) else { return node }
                node = items[index]
            case .scalar, .empty: return node
            }
        }
        return node
    }
}

extension Field {
    /// The place of a path below this one, such as `.all[1].not`.
    func descendant(_ path: String) -> Field {
        Field(node: node.descendant(path), path: self.path + path, log: log)
    }
}
