public enum FactVocabulary {
    /// Every fact with a fixed name.
    public static let all: [FactDefinition] =
        SubscriptionFact.allCases.map(\.definition) + CustomerFact.allCases.map(\.definition)
        + RequestFact.allCases.map(\.definition)

    /// The facts whose names end in a word that the vocabulary does not fix.
    public static let families: [FactFamily] = [redeemed, owns, purchases, attributes, signals]

    public static let signalPrefix = "signals."
    public static let attributePrefix = "customer.attributes."
    public static let redeemedPrefix = "customer.redeemed."
    public static let ownsPrefix = "customer.owns."
    public static let purchasesPrefix = "customer.purchases."

    public static let redeemed = FactFamily(
        prefix: redeemedPrefix, ending: "offerId", type: .number, unit: "redemptions",
        meaning: "how often the offer was redeemed, issued by us or not; introductory offers of a group count together",
        unknownWhen: "the history is not complete, unless the known part already decides; "
            + "or the catalog does not have the offer and none was issued",
        source: .record)

    private static let owns = FactFamily(
        prefix: ownsPrefix, ending: "productId", type: .boolean, unit: nil,
        meaning: "whether the customer has the product, bought or through Family Sharing, and Apple has not taken it "
            + "back: `owned` of the customer's status",
        unknownWhen: "none is known and the history is not complete", source: .history)

    private static let purchases = FactFamily(
        prefix: purchasesPrefix, ending: "productId", type: .number, unit: "purchases",
        meaning: "how often the customer bought the product, without purchases that Apple refunded or revoked",
        unknownWhen: CustomerFact.incomplete, source: .history)

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

    public static func unit(_ name: String) -> String? {
        if let definition = definition(name) { return definition.unit }
        return switch FactName(name) {
        case .redeemed: redeemed.unit
        case .purchases: purchases.unit
        default: nil
        }
    }

    /// The beginnings of the meanings.
    private static let wordsByName = byName.mapValues { definition in
        let meaning = definition.meaning.prefix { $0 != "," && $0 != ":" }
        let first = ["whole ", "whether "].first(where: meaning.hasPrefix) ?? ""
        return String(meaning.dropFirst(first.count))
    }

    /// The meaning of a fact, to precede its value in a sentence: `days since access ended`; the name itself if it is
    /// no fact.
    public static func words(_ name: String) -> String {
        switch FactName(name) {
        case .signal(let own): return "signal `\(own)`"
        case .attribute(let own): return "attribute `\(own)`"
        case .redeemed(let offer): return "redemptions of `\(offer)`"
        case .owns(let product): return "owns `\(product)`"
        case .purchases(let product): return "purchases of `\(product)`"
        case .subscription, .customer, .request:
            return wordsByName[name] ?? name
        case nil: return "`\(name)`"
        }
    }

    /// The name of the signal after `signals.`; `nil` unless it is one: letters, digits and `_`, a letter first, at
    /// most 64 characters.
    public static func signalName(_ fact: String) -> String? {
        guard case .signal(let name) = FactName(fact) else { return nil }
        return name
    }

    public static func isSignalName(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}

/// The name of a fact, read: one of the closed vocabulary, or one whose ending is a word of the catalog's or the
/// backend's own (docs/design.md#decisions).
public enum FactName: Sendable, Hashable {
    /// About the subscription in the group of the offer's product: `subscription.state`.
    case subscription(SubscriptionFact)
    /// About the customer in the whole app: `customer.refunds`.
    case customer(CustomerFact)
    /// How often an offer of the catalog was redeemed: `customer.redeemed.<offerId>`.
    case redeemed(OfferId)
    /// Whether the customer has a product outside subscription groups: `customer.owns.<productId>`.
    case owns(ProductId)
    /// How often the customer bought such a product: `customer.purchases.<productId>`.
    case purchases(ProductId)
    /// An attribute that the backend set for the customer: `customer.attributes.<name>`.
    case attribute(String)
    /// About the device that asks: `request.appVersion`.
    case request(RequestFact)
    /// A signal of the request: `signals.<name>`.
    case signal(String)

    public init?(_ name: some StringProtocol) {
        if let fixed = Self.fixed[String(name)] {
            self = fixed
        } else if let rest = name.after(FactVocabulary.signalPrefix), FactVocabulary.isSignalName(rest) {
            self = .signal(rest)
        } else if let rest = name.after(FactVocabulary.attributePrefix), FactVocabulary.isSignalName(rest) {
            self = .attribute(rest)
        } else if let rest = name.after(FactVocabulary.redeemedPrefix), !rest.isEmpty {
            self = .redeemed(OfferId(rest))
        } else if let rest = name.after(FactVocabulary.ownsPrefix), !rest.isEmpty {
            self = .owns(ProductId(rest))
        } else if let rest = name.after(FactVocabulary.purchasesPrefix), !rest.isEmpty {
            self = .purchases(ProductId(rest))
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
        case .redeemed, .purchases: .number
        case .owns: .boolean
        case .request(let fact): fact.definition.type
        case .attribute, .signal: nil
        }
    }
}

extension StringProtocol {
    /// The rest after the prefix, compared by bytes; `nil` if it does not begin with it.
    fileprivate func after(_ prefix: String) -> String? {
        utf8.starts(with: prefix.utf8)
            ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }
}

/// The definition of a fact: an entry of the closed, typed vocabulary that catalogs may use (docs/design.md#decisions).
public struct FactDefinition: Sendable, Hashable {
    public let name: String
    public let type: FactType
    public let unit: String?
    public let meaning: String
    /// When it is undetermined; an absent value is never zero.
    public let unknownWhen: String
    /// The only values of a text, if they are closed.
    public let values: [String]?
    public let source: FactSource
    public var minimum: Double? { type == .number ? 0 : nil }
}

/// Who vouches for a fact. What the backend says has separate names, so it never outranks what Apple signed.
public enum FactSource: String, Sendable, Hashable, CaseIterable {
    /// The customer's history; every piece of evidence names the provenance of its row.
    case history
    /// The history together with what `offerd` itself recorded.
    case record
    case caller
}

/// Facts whose names end in a word that the vocabulary does not fix.
public struct FactFamily: Sendable, Hashable {
    /// The prefix of every name of the family, the dot included.
    public let prefix: String
    /// The kind of the ending: `name`, `offerId` or `productId`.
    public let ending: String
    /// The type of the values; `nil` where the first use in the catalog says it.
    public let type: FactType?
    public let unit: String?
    public let meaning: String
    public let unknownWhen: String
    public let source: FactSource

    /// The name with a placeholder for its ending: `signals.<name>`.
    public var name: String { "\(prefix)<\(ending)>" }
}

/// The type of a fact, which determines its operands and operators.
public enum FactType: String, Sendable, Hashable, CaseIterable, Codable {
    /// Text, compared byte by byte.
    case text
    case number
    case boolean
    case money
    case instant
    /// A text of numbers and dots, compared number by number: see ``DottedVersion``.
    case version
    /// A text that names a language and perhaps more; what is required may be its beginning: see ``LocaleTag``.
    case locale
    /// A text of three capital letters, Apple's code of a country's App Store.
    case storefront

    public var operators: [ComparisonOperator] {
        switch self {
        case .text, .locale, .storefront: [.is, .isNot, .in, .notIn, .exists]
        case .boolean: [.is, .isNot, .exists]
        case .number, .version: ComparisonOperator.allCases
        case .money: [.is, .isNot, .atLeast, .atMost, .moreThan, .lessThan, .between, .exists]
        case .instant: [.atLeast, .atMost, .moreThan, .lessThan, .between, .exists]
        }
    }
}
