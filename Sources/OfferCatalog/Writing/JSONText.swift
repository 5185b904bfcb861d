/// Writes a tree as JSON with two spaces of indentation.
enum JSONText {
    static func of(_ node: OutputNode) -> String {
        text(node, indent: "") + "\n"
    }

    private static func text(_ node: OutputNode, indent: String) -> String {
        let inner = indent + "  "
        switch node {
        case .text(let text): return QuotedText.of(text)
        case .literal(let text): return text
        case .list(let items) where items.isEmpty: return "[]"
        case .list(let items):
            let lines = items.map { inner + text($0, indent: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .mapping(let entries) where entries.isEmpty: return "{}"
        case .mapping(let entries):
            let lines = entries.map { "\(inner)\(QuotedText.of($0.key)): " + text($0.value, indent: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }
}
