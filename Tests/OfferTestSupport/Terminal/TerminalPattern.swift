/// A text with placeholders for what differs from run to run, each of a strict form: `{port}`, `{time}`.
///
/// A number after the word ties places together: wherever `{id1}` stands, the same id must stand.
public struct TerminalPattern: Sendable {
    /// What each placeholder may stand for, as a regular expression.
    public static let forms = [
        "port": "[1-9][0-9]{3,4}",
        "logged": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]+)?[+-][0-9]{4}",
        "time": "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(?::[0-9]{2})? UTC",
        "id": "[0-9a-f]{16}",
        "secret": "[0-9a-f]{64}",
        "sha": "[0-9a-f]{64}",
        "number": "[0-9]+",
        "gap": " {2,}",
        "line": "[^\n]+(?:\n +hint: [^\n]+)?",
        "step": "[0-9]{4}-[a-z0-9-]+",
        "steps": "(?:migrated: [0-9]{4}-[a-z0-9-]+\n)+",
        "jws": "[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]+",
    ]

    private let text: String

    /// A pattern as scripts write it; braces around other words are only themselves.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether the whole text is as the pattern says.
    ///
    /// - Throws: if the pattern cannot be compiled.
    public func matches(_ actual: String) throws -> Bool {
        try Regex(expression).wholeMatch(in: actual) != nil
    }

    private var expression: String {
        var expression = ""
        var numbered: [String] = []
        var rest = text[...]
        while let match = rest.firstMatch(of: #/\{([a-z]+)([0-9]*)\}/#) {
            expression += Self.literal(rest[..<match.range.lowerBound])
            rest = rest[match.range.upperBound...]
            let name = String(match.output.1 + match.output.2)
            if let place = numbered.firstIndex(of: name) {
                expression += "(?:\\\(place + 1))"
            } else if let form = Self.forms[String(match.output.1)] {
                expression += match.output.2.isEmpty ? "(?:\(form))" : "(\(form))"
                if !match.output.2.isEmpty { numbered.append(name) }
            } else {
                expression += Self.literal(match.output.0)
            }
        }
        return expression + Self.literal(rest)
    }

    private static func literal(_ text: Substring) -> String {
        text.map { character in
            character.isASCII && !character.isLetter && !character.isNumber && !character.isNewline
                ? "\\\(character)" : String(character)
        }.joined()
    }
}
