import OfferModel

/// A node of a document on its path, with the log of its reading: asked for the type that is wanted, it gives the value
/// or logs what is wrong and gives `nil`.
struct Field {
    let node: DocumentNode
    let path: String
    let log: IssueLog

    func refuse(
        _ code: DocumentIssueCode, _ detail: @autoclosure () -> String, hint: @autoclosure () -> String? = nil
    ) {
        log.refuse(issue(code, detail(), hint: hint()))
    }

    /// Logs an error; there is no value then.
    func refuse<Value>(
        _ code: DocumentIssueCode, _ detail: @autoclosure () -> String, hint: @autoclosure () -> String? = nil
    ) -> Value? {
        log.refuse(issue(code, detail(), hint: hint()))
        return nil
    }

    func warn(
        _ code: DocumentIssueCode, _ detail: @autoclosure () -> String, hint: @autoclosure () -> String? = nil
    ) {
        log.warn(issue(code, detail(), hint: hint()))
    }

    private func issue(_ code: DocumentIssueCode, _ detail: String, hint: String?) -> DocumentIssue {
        DocumentIssue(code, at: node.position, path: path, detail, hint: hint)
    }

    /// The same place under another path: a comparison's fact is reported at the comparison.
    func reported(at path: String) -> Field {
        Field(node: node, path: path, log: log)
    }

    func mapping(_ keys: [String]) -> Mapping? {
        guard !log.isFull else { return nil }
        guard case .mapping(let entries) = node.content else {
            return refuse(.wrongType, "this must be a mapping, not \(node.kind)")
        }
        return Mapping(self, entries, keys: keys)
    }

    /// The items of a list; a list that may not be empty and is gives `nil`.
    func list(allowsEmpty: Bool = false) -> [Field]? {
        guard !log.isFull else { return nil }
        guard case .sequence(let items) = node.content else {
            return refuse(
                .wrongType, "this must be a list, not \(node.kind)", hint: "write `[…]` or one `- ` line per entry")
        }
        guard allowsEmpty || !items.isEmpty else {
            return refuse(.emptyList, "this list must not be empty")
        }
        return items.enumerated().map { Field(node: $1, path: "\(path)[\($0)]", log: log) }
    }

    func list(of noun: String, atMost most: Int, allowsEmpty: Bool = false, hint: String? = nil) -> [Field]? {
        guard let items = list(allowsEmpty: allowsEmpty) else { return nil }
        guard items.count <= most else {
            return refuse(.outOfRange, "these are \(items.count) \(noun); at most \(most) are accepted", hint: hint)
        }
        return items
    }

    /// Text; anything unquoted that YAML readers take for a number, a boolean or nothing must be quoted.
    func text() -> String? {
        guard let (text, isQuoted) = written("text") else { return nil }
        guard isQuoted || PlainScalar(text) == .text else {
            return refuse(.wrongType, "this must be text, not \(node.kind)", hint: "put it in quotes: `\"\(text)\"`")
        }
        return text
    }

    /// A scalar as it is written, quoted or not, for types that are never confused with another.
    func scalar(_ noun: String) -> String? { written(noun)?.text }

    private func written(_ noun: String) -> (text: String, isQuoted: Bool)? {
        guard case .scalar(let text, let isQuoted) = node.content else {
            return refuse(.wrongType, "this must be \(noun), not \(node.kind)")
        }
        return (text, isQuoted)
    }

    func number() -> Double? {
        guard let (text, isQuoted) = written("a number") else { return nil }
        guard let number = PlainScalar.number(text) else {
            return refuse(.wrongType, "this must be a number, not \(quoted(text))", hint: "write digits, such as 50")
        }
        guard !isQuoted else {
            return refuse(.wrongType, "this must be a number, not text", hint: "leave out the quotes: \(text)")
        }
        return number
    }

    func wholeNumber(_ range: ClosedRange<Int>) -> Int? {
        guard let number = number() else { return nil }
        guard let whole = Int(exactly: number) else {
            return refuse(.wrongType, "this must be a whole number, not \(number)")
        }
        guard range.contains(whole) else {
            return refuse(.outOfRange, "\(whole) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    func boolean() -> Bool? {
        guard let scalar = written("true or false") else { return nil }
        switch scalar {
        case ("true", false): return true
        case ("false", false): return false
        default:
            return refuse(
                .wrongType, "this must be true or false, not \(quoted(scalar.text))",
                hint: "write `true` or `false`, without quotes")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> Choice? where Choice.RawValue == String {
        word(among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    func word(among words: [String]) -> String? {
        guard let text = text() else { return nil }
        if words.contains(text) { return text }
        return refuse(
            .unknownValue, "unknown value \(quoted(text))",
            hint: Suggestion.hint(for: text, among: words, noun: "one of"))
    }

    func instant() -> Instant? {
        guard let text = scalar("a time") else { return nil }
        if let instant = Instant(iso8601: text) { return accepted(instant, text) }
        return refuse(
            .invalidValue, "\(quoted(text)) is not a time with an offset",
            hint: "write it like `2026-12-01T00:00:00Z` or `2026-12-01T00:00:00+02:00`")
    }

    /// - Parameter text: the time as it is written.
    func accepted(_ instant: Instant, _ text: String) -> Instant? {
        guard InputBounds.instants.contains(instant) else {
            return refuse(.outOfRange, "\(quoted(text)) is not between 1970 and the year 9999")
        }
        return instant
    }

    func period() -> Period? { writtenPeriod()?.period }

    /// A period with its text: `P12M` and `P1Y` are equal, and a message quotes the one in the file.
    func writtenPeriod() -> (period: Period, text: String)? {
        guard let text = scalar("a period") else { return nil }
        if let period = Period(text) { return (period, text) }
        let meant =
            Period(words: text)?.description
            ?? Suggestion.nearest(to: text, among: ["P1W", "P1M", "P3M", "P1Y"])
        return refuse(
            .invalidValue, "\(quoted(text)) is not a period",
            hint: meant.map { "did you mean `\($0)`?" }
                ?? "write it like `P1M`, `P2W`, `P90D` or `PT48H`, up to \(InputBounds.longestPeriod) years")
    }

    /// A value whose form says its type: a number, a text, true or false, `{ amount, currency }` or `{ at }`.
    func factValue(_ instant: (Field) -> Instant? = { $0.caseInstant() }) -> FactValue? {
        switch node.content {
        case .mapping(let entries) where entries.contains { $0.key == "at" }:
            return mapping(["at"])?.required("at").flatMap(instant).map { .instant($0) }
        case .mapping:
            return money().map { .money($0) }
        case .scalar(let text, isQuoted: false) where PlainScalar.number(text) != nil:
            return number().map { .number($0) }
        case .scalar("true", isQuoted: false), .scalar("false", isQuoted: false):
            return boolean().map { .boolean($0) }
        case .scalar:
            return text().map { .text($0) }
        case .empty, .sequence:
            return refuse(
                .wrongType, "this must be a number, a text, true or false, an amount or a time, not \(node.kind)",
                hint: "write an amount as `{ amount: \"9.99\", currency: USD }`, a time as "
                    + "`{ at: 2026-12-01T00:00:00Z }`")
        }
    }

    func id<Kind>(_ form: TextForm) -> Identifier<Kind>? { text(form).map { Identifier($0) } }

    func text(_ form: TextForm) -> String? {
        guard let text = text() else { return nil }
        guard form.accepts(text) else {
            return refuse(.invalidValue, "\(quoted(text)) is not \(form.noun)", hint: form.hint)
        }
        return text
    }
}

/// The entries of a mapping whose keys are all known; unknown and repeated keys are logged when it is made.
struct Mapping {
    let field: Field
    private let entries: [String: DocumentNode.Entry]

    init(_ field: Field, _ entries: [DocumentNode.Entry], keys: [String]) {
        self.field = field
        var known: [String: DocumentNode.Entry] = [:]
        for entry in entries where !field.log.isFull {
            if entry.isRepeated { field.log.refuse(entry.repetition(at: field.path)) }
            if keys.contains(entry.key) {
                known[entry.key] = entry
            } else {
                field.log.refuse(
                    DocumentIssue(
                        .unknownKey, at: entry.keyPosition, path: field.path, "unknown key \(quoted(entry.key))",
                        hint: Suggestion.hint(for: entry.key, among: keys, noun: "known here")))
            }
        }
        self.entries = known
    }

    func required(_ key: String) -> Field? {
        guard entries[key] != nil else {
            return field.refuse(.missingKey, "missing key `\(key)`")
        }
        return optional(key)
    }

    /// The value of a key that may be left out; a key without a value is still an error.
    func optional(_ key: String) -> Field? {
        guard let entry = entries[key] else { return nil }
        guard !isNull(key) else {
            self.key(key)?.refuse(
                .missingValue, "`\(key)` has no value", hint: "write a value, or leave the key out")
            return nil
        }
        return Field(node: entry.value, path: path(of: key), log: field.log)
    }

    private func path(of key: String) -> String { field.path.isEmpty ? key : "\(field.path).\(key)" }

    func has(_ key: String) -> Bool {
        entries[key] != nil
    }

    /// Whether the key is written with nothing, `null` or `~` as its value.
    func isNull(_ key: String) -> Bool {
        if case .empty = entries[key]?.value.content { true } else { false }
    }

    /// The place of a key, for an issue about the whole entry; `nil` if it is not written.
    func key(_ key: String) -> Field? {
        entries[key].map {
            Field(node: DocumentNode(position: $0.keyPosition, content: .empty), path: path(of: key), log: field.log)
        }
    }
}
