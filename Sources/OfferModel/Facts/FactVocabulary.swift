/// What a fact means: the closed, typed vocabulary that catalogs may use (DESIGN §5.2).
public struct FactDefinition: Sendable, Hashable {
    /// The dotted name.
    public let name: String
    /// The type of its values.
    public let type: FactType
    /// The unit of a number.
    public let unit: String?
    /// What it says, in a sentence.
    public let meaning: String
    /// What makes it undetermined.
    public let unknownWhen: String
    /// The only values of a text, if they are closed.
    public let values: [String]?
    /// The smallest value of a number, if there is one.
    public let minimum: Double?
    /// Whether this version evaluates it; a catalog that uses another one is refused, never half understood.
    public let isEvaluated: Bool

    init(
        _ name: String, _ type: FactType, unit: String? = nil, _ meaning: String, unknownWhen: String,
        values: [String]? = nil, minimum: Double? = nil, isEvaluated: Bool = true
    ) {
        self.name = name
        self.type = type
        self.unit = unit
        self.meaning = meaning
        self.unknownWhen = unknownWhen
        self.values = values
        self.minimum = minimum
        self.isEvaluated = isEvaluated
    }
}

/// Every fact a catalog may name.
public enum FactVocabulary {
    /// Every fact with a fixed name.
    public static let all: [FactDefinition] = SubscriptionFacts.all + CustomerFacts.all + RequestFacts.all

    /// The prefix of facts the backend supplies; what follows is the backend's own word, typed at first use.
    public static let signalPrefix = "signals."

    /// Prefixes with open endings that a later version evaluates.
    public static let laterPrefixes = ["customer.attributes.", "customer.redeemed."]

    /// The fact of that name; `nil` for signals, open endings and unknown names.
    public static func definition(_ name: String) -> FactDefinition? {
        all.first { $0.name == name }
    }

    /// The name of the signal after `signals.`; `nil` unless it is one: letters, digits and `_`, a letter first, at
    /// most 64 characters.
    public static func signalName(_ fact: String) -> String? {
        guard fact.hasPrefix(signalPrefix) else { return nil }
        let name = fact.dropFirst(signalPrefix.count)
        return isSignalName(name) ? String(name) : nil
    }

    /// Whether the text may name a signal.
    public static func isSignalName(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}

/// Facts about the subscription in the group of the offer's product.
enum SubscriptionFacts {
    static let all: [FactDefinition] = [
        FactDefinition(
            "subscription.state", .text, "the state of the group", unknownWhen: "the history is stale or absent",
            values: SubscriptionStateName.allCases.map(\.rawValue)),
        FactDefinition(
            "subscription.productId", .text, "the product of the current or last subscription",
            unknownWhen: "no subscription of the group is known"),
        FactDefinition(
            "subscription.willAutoRenew", .boolean, "whether the subscription renews",
            unknownWhen: "no renewal info is known"),
        FactDefinition(
            "subscription.expirationIntent", .text, "why the subscription expired",
            unknownWhen: "no renewal info with a reason is known",
            values: [
                "customerCancelled", "billingError", "priceIncreaseNotConsented", "productNotAvailable", "other",
            ]),
        FactDefinition(
            "subscription.daysUntilExpiry", .number, unit: "days", "whole days until access ends",
            unknownWhen: "there is no access, or the history is stale", minimum: 0),
        FactDefinition(
            "subscription.daysSinceExpired", .number, unit: "days", "whole days since access ended",
            unknownWhen: "there is access, the history is stale, or no subscription is known", minimum: 0),
        FactDefinition(
            "subscription.monthsSinceExpired", .number, unit: "months", "whole calendar months since access ended",
            unknownWhen: "there is access, the history is stale, or no subscription is known", minimum: 0),
        FactDefinition(
            "subscription.paidMonths", .number, unit: "months", "whole months of paid periods, free trials left out",
            unknownWhen: "the history is not complete, unless the known part already decides", minimum: 0),
        FactDefinition(
            "subscription.paidPeriods", .number, unit: "periods", "paid periods, free trials left out",
            unknownWhen: "the history is not complete, unless the known part already decides", minimum: 0),
        FactDefinition(
            "subscription.isInTrial", .boolean, "whether a free introductory period is running",
            unknownWhen: "the history is stale or absent"),
        FactDefinition(
            "subscription.renewalPrice", .money, "the price of the next renewal",
            unknownWhen: "no renewal info with a price is known"),
        FactDefinition(
            "subscription.pendingProductId", .text, "the product that the next renewal changes to",
            unknownWhen: "no change is pending or no renewal info is known"),
        FactDefinition(
            "subscription.everInGroup", .boolean, "whether a subscription of the group was ever bought",
            unknownWhen: "none is known and the history is not complete"),
    ]
}

/// Facts about the customer; evaluated by a later version.
enum CustomerFacts {
    static let all: [FactDefinition] = [
        later("daysSinceFirstPurchase", .number, unit: "days", "whole days since the first purchase in the app"),
        later("daysSinceFirstSeen", .number, unit: "days", "whole days since the customer was first seen"),
        later("everSubscribed", .boolean, "whether any subscription in the app was ever bought"),
        later("refunds", .number, unit: "refunds", "refunded purchases"),
        later("storefront", .text, "three-letter country code of the storefront"),
        later("offersRedeemed", .number, unit: "redemptions", "offers redeemed in the app"),
        later("daysSinceLastOffer", .number, unit: "days", "whole days since an offer was last redeemed"),
    ]

    private static func later(
        _ name: String, _ type: FactType, unit: String? = nil, _ meaning: String
    ) -> FactDefinition {
        FactDefinition(
            "customer." + name, type, unit: unit, meaning, unknownWhen: "the history does not tell",
            minimum: type == .number ? 0 : nil, isEvaluated: false)
    }
}

/// Facts about the device that asks; evaluated by a later version.
enum RequestFacts {
    static let all: [FactDefinition] = [
        later("appVersion", "the app's version"),
        later("osVersion", "the operating system's version"),
        later("locale", "the customer's locale"),
    ]

    private static func later(_ name: String, _ meaning: String) -> FactDefinition {
        FactDefinition(
            "request." + name, .text, meaning, unknownWhen: "the request does not state it", isEvaluated: false)
    }
}
