import OfferModel

/// A node of a document on its path, with the log of its reading: asked for the type that is wanted, it gives the value
/// or logs what is wrong and gives `nil`.
struct Field {
    let node: DocumentNode
    let path: String
    let log: IssueLog

    func refuse(_ code: DocumentIssueCode, _ detail: String, hint: String? = nil) {
        log.refuse(issue(code, detail, hint: hint))
    }

    func warn(_ code: DocumentIssueCode, _ detail: String, hint: String? = nil) {
        log.warn(issue(code, detail, hint: hint))
    }

    private func issue(_ code: DocumentIssueCode, _ detail: String, hint: String?) -> DocumentIssue {
        DocumentIssue(
            code: code, path: path, line: node.position.line, column: node.position.column, detail: detail, hint: hint)
    }

    /// The same place under another path: a comparison's fact is reported at the comparison.
    func reported(at path: String) -> Field {
        Field(node: node, path: path, log: log)
    }

    func mapping(_ keys: [String]) -> Mapping? {
        guard case .mapping(let entries) = node.content else {
            refuse(.wrongType, "this must be a mapping, not \(node.kind)")
            return nil
        }
        return Mapping(self, entries, keys: keys)
    }

    /// The items of a list; a list that may not be empty and is gives `nil`.
    func list(allowsEmpty: Bool = false) -> [Field]? {
        guard case .sequence(let items) = node.content else {
            refuse(.wrongType, "this must be a list, not \(node.kind)", hint: "write `[…]` or one `- ` line per entry")
            return nil
        }
        guard allowsEmpty || !items.isEmpty else {
            refuse(.emptyList, "this list must not be empty")
            return nil
        }
        return items.enumerated().map { Field(node: $1, path: "\(path)[\($0)]", log: log) }
    }

    /// Text; anything unquoted that YAML readers take for a number, a boolean or nothing must be quoted.
    func text() -> String? {
        guard case .scalar(let text, let isQuoted) = node.content else {
            refuse(.wrongType, "this must be text, not \(node.kind)")
            return nil
        }
        guard isQuoted || PlainScalar(text) == .text else {
            refuse(.wrongType, "this must be text, not \(node.kind)", hint: "put it in quotes: `\"\(text)\"`")
            return nil
        }
        return text
    }

    /// A scalar as it is written, quoted or not, for types that are never confused with another.
    func scalar(_ noun: String) -> String? {
        guard case .scalar(let text, _) = node.content else {
            refuse(.wrongType, "this must be \(noun), not \(node.kind)")
            return nil
        }
        return text
    }

    func number() -> Double? {
        guard case .scalar(let text, let isQuoted) = node.content else {
            refuse(.wrongType, "this must be a number, not \(node.kind)")
            return nil
        }
        guard let number = PlainScalar.number(text) else {
            refuse(.wrongType, "this must be a number, not \(quoted(text))", hint: "write digits, such as 50")
            return nil
        }
        guard !isQuoted else {
            refuse(.wrongType, "this must be a number, not text", hint: "leave out the quotes: \(text)")
            return nil
        }
        return number
    }

    func wholeNumber(_ range: ClosedRange<Int>) -> Int? {
        guard let number = number() else { return nil }
        guard let whole = Int(exactly: number) else {
            refuse(.wrongType, "this must be a whole number, not \(number)")
            return nil
        }
        guard range.contains(whole) else {
            refuse(.outOfRange, "\(whole) is not \(Self.described(range))")
            return nil
        }
        return whole
    }

    private static func described(_ range: ClosedRange<Int>) -> String {
        range.upperBound == .max
            ? "\(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
    }

    func boolean() -> Bool? {
        guard case .scalar(let text, let isQuoted) = node.content else {
            refuse(.wrongType, "this must be true or false, not \(node.kind)")
            return nil
        }
        switch (text, isQuoted) {
        case ("true", false): return true
        case ("false", false): return false
        default:
            refuse(
                .wrongType, "this must be true or false, not \(quoted(text))",
                hint: "write `true` or `false`, without quotes")
            return nil
        }
    }

    /// One of a closed list of words.
    func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> Choice? where Choice.RawValue == String {
        guard let text = text() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        refuse(
            .unknownValue, "unknown value \(quoted(text))",
            hint: Suggestion.hint(for: text, among: words, noun: "one of"))
        return nil
    }

    func instant() -> Instant? {
        guard let text = scalar("a time") else { return nil }
        if let instant = Instant(iso8601: text) { return accepted(instant, text) }
        refuse(
            .invalidValue, "\(quoted(text)) is not a time with an offset",
            hint: "write it like `2026-12-01T00:00:00Z` or `2026-12-01T00:00:00+02:00`")
        return nil
    }

    /// - Parameter text: the time as it is written.
    func accepted(_ instant: Instant, _ text: String) -> Instant? {
        guard InputBounds.instants.contains(instant) else {
            refuse(.outOfRange, "\(quoted(text)) is not between 1970 and the year 9999")
            return nil
        }
        return instant
    }

    func period() -> Period? {
        guard let text = scalar("a period") else { return nil }
        if let period = Period(text) { return period }
        refuse(
            .invalidValue, "\(quoted(text)) is not a period",
            hint: "write it like `P1M`, `P2W`, `P90D` or `PT48H`, up to \(InputBounds.longestPeriod) years")
        return nil
    }

    /// Text of a form.
    func text(_ form: TextForm) -> String? {
        guard let text = text() else { return nil }
        guard form.accepts(text) else {
            refuse(.invalidValue, "\(quoted(text)) is not \(form.noun)", hint: form.hint)
            return nil
        }
        return text
    }
}
