import JSON

/// A YAML document that comes with the program, such as the description of the API.
package enum OwnDocument {
    /// The same document as compact JSON, with its members in their order.
    ///
    /// - Throws: ``InvalidDocument`` for what is not YAML, and for anchors, aliases, tags and repeated keys.
    package static func json(_ yaml: [UInt8]) throws -> [UInt8] {
        var json = JSONWriter(capacity: yaml.count)
        try write(try DocumentParser.parse(yaml, isOwn: true), to: &json)
        return json.bytes
    }

    private static func write(_ node: DocumentNode, to json: inout JSONWriter) throws {
        switch node.content {
        case .empty: json.null()
        case .scalar(let text, isQuoted: false) where isLiteral(text): json.append(Array(text.utf8))
        case .scalar(let text, _): json.text(text)
        case .sequence(let items): try json.array(items) { try write($1, to: &$0) }
        case .mapping(let entries):
            try json.object { json in
                for entry in entries {
                    guard !entry.isRepeated else {
                        throw InvalidDocument(errors: [entry.repetition(at: "")], warnings: [])
                    }
                    json.name(entry.key)
                    try write(entry.value, to: &json)
                }
            }
        }
    }

    /// Whether an unquoted scalar is spelled as JSON spells a number or a boolean.
    private static func isLiteral(_ text: String) -> Bool {
        text == "true" || text == "false" || PlainScalar.number(text) != nil
    }
}
