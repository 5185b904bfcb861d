/// The name of a fact, read: one of the closed vocabulary, or one whose ending is a word of the catalog's or the
/// backend's own (docs/design.md#decisions).
public enum FactName: Sendable, Hashable {
    /// About the subscription in the group of the offer's product: `subscription.state`.
    case subscription(SubscriptionFact)
    /// About the customer in the whole app: `customer.refunds`.
    case customer(CustomerFact)
    /// How often an offer of the catalog was redeemed: `customer.redeemed.<offerId>`.
    case redeemed(OfferId)
    /// What the backend keeps about the customer: `customer.attributes.<name>`.
    case attribute(String)
    /// About the device that asks: `request.appVersion`.
    case request(RequestFact)
    /// What the backend says in the request: `signals.<name>`.
    case signal(String)

    /// Reads a dotted name; `nil` if no fact can have it.
    public init?(_ name: some StringProtocol) {
        if let fixed = Self.fixed[String(name)] {
            self = fixed
        } else if let rest = name.after(FactVocabulary.signalPrefix) {
            guard FactVocabulary.isSignalName(rest) else { return nil }
            self = .signal(rest)
        } else if let rest = name.after(FactVocabulary.attributePrefix) {
            guard FactVocabulary.isSignalName(rest) else { return nil }
            self = .attribute(rest)
        } else if let rest = name.after(FactVocabulary.redeemedPrefix) {
            guard !rest.isEmpty else { return nil }
            self = .redeemed(OfferId(rest))
        } else {
            return nil
        }
    }

    /// Every comparison reads its fact's name whenever it is judged, so the fixed ones are looked up.
    private static let fixed: [String: FactName] = {
        var names: [String: FactName] = [:]
        for fact in SubscriptionFact.allCases { names[SubscriptionFact.prefix + fact.rawValue] = .subscription(fact) }
        for fact in CustomerFact.allCases { names[CustomerFact.prefix + fact.rawValue] = .customer(fact) }
        for fact in RequestFact.allCases { names[RequestFact.prefix + fact.rawValue] = .request(fact) }
        return names
    }()

    /// The type of its values; `nil` where the first use in the catalog says it.
    public var type: FactType? {
        switch self {
        case .subscription(let fact): fact.definition.type
        case .customer(let fact): fact.definition.type
        case .redeemed: .number
        case .request(let fact): fact.definition.type
        case .attribute, .signal: nil
        }
    }
}

extension StringProtocol {
    /// What follows the prefix, compared by bytes; `nil` if it does not begin so.
    fileprivate func after(_ prefix: String) -> String? {
        utf8.starts(with: prefix.utf8)
            ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }
}
