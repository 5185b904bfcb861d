import ArgumentParser
import OfferModel

/// One `--signal name=value`.
struct SignalArgument: Sendable, Hashable {
    /// The name, without `signals.`.
    let name: String
    /// The value with its type.
    let value: FactValue

    /// Reads `interactions=52`, `hasPattern=true`, `plan=basic` or, for a text that looks like something else,
    /// `code="52"` with the quotes.
    ///
    /// - Throws: `ValidationError` if there is no `=` or the name cannot be a signal's.
    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ValidationError("`\(argument)` is not a signal: write `name=value`, such as `interactions=52`")
        }
        let name = String(argument[..<equals])
        guard FactVocabulary.isSignalName(name) else {
            throw ValidationError(
                "`\(name)` cannot be a signal: a name has letters, digits and `_`, a letter first, without `signals.`")
        }
        self.name = name
        value = Self.value(String(argument[argument.index(after: equals)...]))
    }

    private static func value(_ text: String) -> FactValue {
        if text == "true" { return .boolean(true) }
        if text == "false" { return .boolean(false) }
        if let number = number(text) { return .number(number) }
        guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return .text(text) }
        return .text(String(text.dropFirst().dropLast()))
    }

    /// Only what JSON calls a number: `nan`, `inf`, `0x10` and `+5` are text.
    private static func number(_ text: String) -> Double? {
        let allowed = Set("0123456789-.eE+".utf8)
        guard let first = text.utf8.first, first == 0x2D || (0x30...0x39).contains(first),
            text.utf8.allSatisfy(allowed.contains), let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}

extension [SignalArgument] {
    /// The signals by name; `nil` if there are none.
    var byName: [String: FactValue]? {
        isEmpty ? nil : Dictionary(map { ($0.name, $0.value) }) { _, last in last }
    }

    /// - Throws: `ValidationError` if a name is given twice.
    func checkDistinct() throws {
        var seen: Set<String> = []
        for signal in self where !seen.insert(signal.name).inserted {
            throw ValidationError("the signal `\(signal.name)` is given twice")
        }
    }
}
