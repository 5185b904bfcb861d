/// The entries of a mapping whose keys are all known; unknown and repeated keys are logged when it is made.
struct Mapping {
    let field: Field
    private let entries: [String: DocumentNode.Entry]

    init(_ field: Field, _ entries: [DocumentNode.Entry], keys: [String]) {
        self.field = field
        var known: [String: DocumentNode.Entry] = [:]
        for entry in entries {
            if entry.isRepeated {
                Self.refuse(entry, in: field, .duplicateKey, "key \(quoted(entry.key)) is given twice", "keep one")
            }
            if keys.contains(entry.key) {
                known[entry.key] = entry
            } else {
                Self.refuse(
                    entry, in: field, .unknownKey, "unknown key \(quoted(entry.key))",
                    Suggestion.hint(for: entry.key, among: keys, noun: "known here"))
            }
        }
        self.entries = known
    }

    private static func refuse(
        _ entry: DocumentNode.Entry, in field: Field, _ code: DocumentIssueCode, _ detail: String, _ hint: String?
    ) {
        let position = entry.keyPosition
        field.log.refuse(
            DocumentIssue(
                code: code, path: field.path, line: position.line, column: position.column, detail: detail, hint: hint))
    }

    /// The value of a key that must be there.
    func required(_ key: String) -> Field? {
        guard entries[key] != nil else {
            field.refuse(.missingKey, "missing key `\(key)`")
            return nil
        }
        return optional(key)
    }

    /// The value of a key that may be left out; a key without a value is an error all the same.
    func optional(_ key: String) -> Field? {
        guard let entry = entries[key] else { return nil }
        let path = field.path.isEmpty ? key : "\(field.path).\(key)"
        var value = Field(node: entry.value, path: path, log: field.log)
        if case .empty = entry.value.content {
            value = Field(node: DocumentNode(position: entry.keyPosition, content: .empty), path: path, log: field.log)
            value.refuse(.missingValue, "`\(key)` has no value", hint: "write a value, or leave the key out")
            return nil
        }
        return value
    }

    /// Whether the key is written.
    func has(_ key: String) -> Bool {
        entries[key] != nil
    }

    /// Whether the key is written with nothing, `null` or `~` as its value.
    func isNull(_ key: String) -> Bool {
        guard case .empty = entries[key]?.value.content else { return false }
        return true
    }

    /// Logs an issue at the key of an entry, if it is written.
    func refuse(key: String, _ code: DocumentIssueCode, _ detail: String, hint: String? = nil) {
        place(of: key)?.refuse(code, detail, hint: hint)
    }

    /// Logs a warning at the key of an entry, if it is written.
    func warn(key: String, _ code: DocumentIssueCode, _ detail: String, hint: String? = nil) {
        place(of: key)?.warn(code, detail, hint: hint)
    }

    private func place(of key: String) -> Field? {
        guard let entry = entries[key] else { return nil }
        let path = field.path.isEmpty ? key : "\(field.path).\(key)"
        return Field(node: DocumentNode(position: entry.keyPosition, content: .empty), path: path, log: field.log)
    }
}
