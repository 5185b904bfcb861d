import OfferModel

/// A fact that a comparison names.
struct ComparedFact {
    let name: String
    /// `nil` for a signal or an attribute, whose type is that of its first use.
    let definition: FactDefinition?
    /// The name after `signals.`, for a signal.
    let signal: String?
}

/// Reads the name of a fact.
enum FactReader {
    static func read(_ field: Field, _ context: OfferContext) -> ComparedFact? {
        guard let name = field.text() else { return nil }
        if let definition = FactVocabulary.definition(name) {
            if !definition.isEvaluated { context.check(.fact, "the fact `\(name)`", at: field) }
            return ComparedFact(name: name, definition: definition, signal: nil)
        }
        if name.hasPrefix(FactVocabulary.signalPrefix) {
            if let signal = FactVocabulary.signalName(name) {
                return ComparedFact(name: name, definition: nil, signal: signal)
            }
            field.refuse(
                .unknownFact, "\(quoted(name)) is not a signal",
                hint: "a signal's name has 1 to 64 letters, digits and `_`, a letter first")
            return nil
        }
        if let prefix = FactVocabulary.laterPrefixes.first(where: name.hasPrefix),
            TextForm.name.accepts(String(name.dropFirst(prefix.count)))
        {
            context.check(.fact, "the fact `\(name)`", at: field)
            return ComparedFact(name: name, definition: nil, signal: nil)
        }
        field.refuse(
            .unknownFact, "unknown fact \(quoted(name))",
            hint: Suggestion.nearest(to: name, among: FactVocabulary.all.map(\.name)).map { "did you mean `\($0)`?" }
                ?? "the facts are listed in docs/catalog.md; your own are written `signals.NAME`")
        return nil
    }
}
