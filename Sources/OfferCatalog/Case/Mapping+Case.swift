import OfferModel

extension Mapping {
    /// The value of a key that may be left out; `nil` only where it is written and wrong.
    func value<Value>(_ key: String, default usual: Value, _ read: (Field) -> Value?) -> Value? {
        guard has(key) else { return usual }
        return optional(key).flatMap(read)
    }

    /// One of a closed list of words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _: Choice.Type, default usual: Choice
    ) -> Choice? where Choice.RawValue == String {
        value(key, default: usual) { $0.choice(Choice.self) }
    }

    /// An optional value that may also be written as null, which says that there must be none.
    func expected<Value>(_ key: String, _ read: (Field) -> Value?) -> Expected<Value>? {
        if isNull(key) { return .nothing }
        return optional(key).flatMap(read).map(Expected.value)
    }
}

extension Field {
    /// The entries of a mapping whose keys are names of the file's own; repeated ones are logged.
    func entries() -> [(key: String, value: Field)]? {
        guard case .mapping(let entries) = node.content else {
            refuse(.wrongType, "this must be a mapping, not \(node.kind)")
            return nil
        }
        let keys = entries.map(\.key)
        guard let mapping = mapping(keys) else { return nil }
        var seen: Set<String> = []
        return keys.filter { seen.insert($0).inserted }.compactMap { key in
            mapping.optional(key).map { (key, $0) }
        }
    }

    /// ISO 8601 with an offset, or Apple's milliseconds.
    func caseInstant() -> Instant? {
        if case .scalar(let text, isQuoted: false) = node.content, let milliseconds = Int64(text) {
            return accepted(Instant(milliseconds: milliseconds), text)
        }
        return instant()
    }

    /// A value as a request states it: a number, a text, true or false, `{ amount, currency }` or `{ at }`.
    func factValue() -> FactValue? {
        switch node.content {
        case .mapping(let entries) where entries.contains { $0.key == "at" }:
            return mapping(["at"])?.required("at")?.caseInstant().map { .instant($0) }
        case .mapping:
            return money().map { .money($0) }
        case .scalar(let text, isQuoted: false) where PlainScalar.number(text) != nil:
            return number().map { .number($0) }
        case .scalar("true", isQuoted: false), .scalar("false", isQuoted: false):
            return boolean().map { .boolean($0) }
        case .scalar, .empty, .sequence:
            return text().map { .text($0) }
        }
    }

    /// One of the words of a list.
    func word(among words: [String]) -> String? {
        guard let text = text() else { return nil }
        if words.contains(text) { return text }
        refuse(
            .unknownValue, "unknown value \(quoted(text))",
            hint: Suggestion.hint(for: text, among: words, noun: "one of"))
        return nil
    }
}
