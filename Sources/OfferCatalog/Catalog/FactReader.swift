import OfferModel

/// A fact that a comparison names, with what its values must be.
struct ComparedFact {
    let name: String
    /// `nil` for a signal or an attribute, whose type is that of its first use.
    let type: FactType?
    let unit: String?
    /// The only values of a text, if they are closed.
    let values: [String]?
    let minimum: Double?

    fileprivate init(
        _ name: String, _ type: FactType?, unit: String? = nil, values: [String]? = nil, minimum: Double? = nil
    ) {
        self.name = name
        self.type = type
        self.unit = unit
        self.values = values
        self.minimum = minimum
    }
}

/// Reads the name of a fact.
enum FactReader {
    static func read(_ field: Field, _ context: inout OfferContext) -> ComparedFact? {
        guard let name = field.text() else { return nil }
        switch FactName(name) {
        case .subscription, .customer, .request:
            guard let definition = FactVocabulary.definition(name) else { break }
            return ComparedFact(
                name, definition.type, unit: definition.unit, values: definition.values, minimum: definition.minimum)
        case .redeemed(let offer) where TextForm.name.accepts(offer.rawValue):
            context.mention(offer, at: field)
            return ComparedFact(name, .number, unit: FactVocabulary.redeemed.unit, minimum: 0)
        case .signal, .attribute:
            return ComparedFact(name, nil)
        case .redeemed, nil: break
        }
        refuse(name, at: field)
        return nil
    }

    private static func refuse(_ name: String, at field: Field) {
        let ownNames = "has 1 to 64 letters, digits and `_`, a letter first"
        if name.hasPrefix(FactVocabulary.signalPrefix) {
            field.refuse(.unknownFact, "\(quoted(name)) is not a signal", hint: "a signal's name \(ownNames)")
        } else if name.hasPrefix(FactVocabulary.attributePrefix) {
            field.refuse(.unknownFact, "\(quoted(name)) is not an attribute", hint: "an attribute's name \(ownNames)")
        } else if name.hasPrefix(FactVocabulary.redeemedPrefix) {
            field.refuse(
                .unknownFact, "\(quoted(name)) names no offer", hint: "end it in an offer's `id` of this catalog")
        } else {
            field.refuse(
                .unknownFact, "unknown fact \(quoted(name))",
                hint: Suggestion.nearest(to: name, among: FactVocabulary.all.map(\.name)).map {
                    "did you mean `\($0)`?"
                }
                    ?? "the facts are listed in docs/facts.md; your own are written `signals.NAME`")
        }
    }
}
