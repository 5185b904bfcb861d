/// Every fact a catalog may name.
public enum FactVocabulary {
    /// Every fact with a fixed name.
    public static let all: [FactDefinition] =
        SubscriptionFact.allCases.map(\.definition) + CustomerFact.allCases.map(\.definition)
        + RequestFact.allCases.map(\.definition)

    /// Every family of facts whose names end in a word of one's own.
    public static let families: [FactFamily] = [redeemed, attributes, signals]

    /// The prefix of facts the backend supplies; what follows is the backend's own word, typed at first use.
    public static let signalPrefix = "signals."

    /// The prefix of what the backend keeps about a customer; what follows is its own word, typed at first use.
    public static let attributePrefix = "customer.attributes."

    /// The prefix of the uses of one offer; what follows is the offer's id in the catalog.
    public static let redeemedPrefix = "customer.redeemed."

    /// `customer.redeemed.<offerId>`.
    public static let redeemed = FactFamily(
        prefix: redeemedPrefix, ending: "offerId", type: .number, unit: "redemptions",
        meaning: "how often the offer was redeemed, issued by us or not; introductory offers of a group count together",
        unknownWhen: "the history is not complete, unless the known part already decides; "
            + "or the catalog does not have the offer and none was issued",
        source: .record)

    private static let attributes = FactFamily(
        prefix: attributePrefix, ending: "name", type: nil, unit: nil,
        meaning: "what the backend keeps about the customer under that name", unknownWhen: "it is not set",
        source: .caller)

    private static let signals = FactFamily(
        prefix: signalPrefix, ending: "name", type: nil, unit: nil,
        meaning: "what the backend says of the customer in the request", unknownWhen: "the request does not have it",
        source: .caller)

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    /// The fact of that name; `nil` for families and unknown names.
    public static func definition(_ name: String) -> FactDefinition? {
        byName[name]
    }

    /// The unit of the fact's numbers; `nil` where it has none.
    public static func unit(_ name: String) -> String? {
        if let definition = definition(name) { return definition.unit }
        if case .redeemed = FactName(name) { return redeemed.unit }
        return nil
    }

    /// The name of the signal after `signals.`; `nil` unless it is one: letters, digits and `_`, a letter first, at
    /// most 64 characters.
    public static func signalName(_ fact: String) -> String? {
        guard case .signal(let name) = FactName(fact) else { return nil }
        return name
    }

    /// Whether the text may name a signal or an attribute.
    public static func isSignalName(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}
