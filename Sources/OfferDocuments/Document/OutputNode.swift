import JSON

/// A document to be written: the same tree gives YAML and JSON.
indirect enum OutputNode {
    case text(String)
    /// A number or a boolean, spelled as JSON does.
    case literal(String)
    case list([OutputNode])
    case mapping([(key: String, value: OutputNode)])

    static func number(_ value: Int) -> OutputNode { .literal(String(value)) }

    static func number(_ value: Double) -> OutputNode {
        .literal(Int64(exactly: value).map { String($0) } ?? String(value))
    }

    static func texts(_ values: some Sequence<String>) -> OutputNode { .list(values.map { .text($0) }) }

    /// Whether it fits on a line of YAML: scalars, and collections of nothing but scalars or short lists.
    var isShort: Bool {
        switch self {
        case .text, .literal: true
        case .list(let items): items.allSatisfy(\.isScalar)
        case .mapping(let entries):
            entries.allSatisfy { entry in
                switch entry.value {
                case .mapping(let inner): inner.allSatisfy { $0.value.isScalar }
                default: entry.value.isShort
                }
            }
        }
    }

    private var isScalar: Bool {
        switch self {
        case .text, .literal: true
        case .list, .mapping: false
        }
    }
}

extension String {
    /// In double quotes, with the escapes that JSON and YAML share: without what ``DocumentText`` refuses to read back.
    fileprivate var quoted: String {
        var json = JSONWriter(escapes: .visible)
        json.text(self)
        return json.text
    }
}

/// Writes a tree as YAML: two spaces of indentation, short collections in one line, anything ambiguous in quotes.
enum YAMLText {
    static func of(_ node: OutputNode) -> String {
        var lines: [String] = []
        write(node, indent: 0, into: &lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func write(_ node: OutputNode, indent: Int, into lines: inout [String]) {
        let margin = String(repeating: " ", count: indent)
        switch node {
        case .mapping(let entries) where !entries.isEmpty:
            for (key, value) in entries {
                if isInline(value, besides: margin.count + key.count) {
                    lines.append("\(margin)\(key): \(inline(value))")
                } else {
                    lines.append("\(margin)\(key):")
                    write(value, indent: indent + 2, into: &lines)
                }
            }
        case .list(let items) where !items.isEmpty:
            for item in items {
                if isInline(item, besides: margin.count) {
                    lines.append("\(margin)- \(inline(item))")
                } else {
                    let first = lines.count
                    write(item, indent: indent + 2, into: &lines)
                    lines[first] = "\(margin)- " + lines[first].dropFirst(indent + 2)
                }
            }
        default:
            lines.append(margin + inline(node))
        }
    }

    private static func isInline(_ node: OutputNode, besides width: Int) -> Bool {
        switch node {
        case .text, .literal: true
        case .list(let items) where items.isEmpty: true
        case .mapping(let entries) where entries.isEmpty: true
        case .list, .mapping: node.isShort && width + inline(node).unicodeScalars.count <= 110
        }
    }

    static func inline(_ node: OutputNode) -> String {
        switch node {
        case .text(let text): isPlain(text) ? text : text.quoted
        case .literal(let text): text
        case .list(let items): "[" + items.map(inline).joined(separator: ", ") + "]"
        case .mapping(let entries) where entries.isEmpty: "{}"
        case .mapping(let entries):
            "{ " + entries.map { "\($0.key): \(inline($0.value))" }.joined(separator: ", ") + " }"
        }
    }

    /// Whether every YAML reader takes the text without quotes for itself.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.first, PlainScalar(text) == .text else { return false }
        let isTime = first.isNumber && text.hasSuffix("Z") && text.contains(":")
        return (first.isLetter || isTime) && text.isMade(of: isTime ? "._-:" : "._-", upTo: 255)
    }
}

enum JSONText {
    static func of(_ node: OutputNode) -> String {
        text(node, indent: "") + "\n"
    }

    private static func text(_ node: OutputNode, indent: String) -> String {
        let inner = indent + "  "
        switch node {
        case .text(let text): return text.quoted
        case .literal(let text): return text
        case .list(let items) where items.isEmpty: return "[]"
        case .list(let items):
            let lines = items.map { inner + text($0, indent: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .mapping(let entries) where entries.isEmpty: return "{}"
        case .mapping(let entries):
            let lines = entries.map { "\(inner)\($0.key.quoted): " + text($0.value, indent: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }
}
