/// Facts about the subscription in the group of the offer's product; each raw value follows `subscription.`.
public enum SubscriptionFact: String, Sendable, Hashable, CaseIterable {
    /// The state of the group.
    case state
    /// The current or last product.
    case productId
    /// Whether it renews.
    case willAutoRenew
    /// Why it expired.
    case expirationIntent
    /// Days left.
    case daysUntilExpiry
    /// Days over.
    case daysSinceExpired
    /// Months over.
    case monthsSinceExpired
    /// Months paid for.
    case paidMonths
    /// Periods paid for.
    case paidPeriods
    /// Whether a free trial runs.
    case isInTrial
    /// The next renewal's price.
    case renewalPrice
    /// The next renewal's product.
    case pendingProductId
    /// Whether there ever was one.
    case everInGroup

    static let prefix = "subscription."

    /// What it means. Built once, because every comparison asks for it.
    public var definition: FactDefinition { Self.definitions[self] ?? made }

    private static let definitions = Dictionary(allCases.map { ($0, $0.made) }) { first, _ in first }

    private var made: FactDefinition {
        switch self {
        case .state:
            fact(
                .text, "the state of the group", unknownWhen: "the history is stale or absent",
                values: SubscriptionStateName.allCases.map(\.rawValue))
        case .productId:
            fact(
                .text, "the product of the current or last subscription",
                unknownWhen: "no subscription of the group is known")
        case .willAutoRenew:
            fact(.boolean, "whether the subscription renews", unknownWhen: "no renewal info is known")
        case .expirationIntent:
            fact(
                .text, "why the subscription expired", unknownWhen: "no renewal info with a reason is known",
                values: [
                    "customerCancelled", "billingError", "priceIncreaseNotConsented", "productNotAvailable", "other",
                ])
        case .daysUntilExpiry:
            fact(
                .number, unit: "days", "whole days until access ends",
                unknownWhen: "there is no access, or the history is stale")
        case .daysSinceExpired:
            fact(.number, unit: "days", "whole days since access ended", unknownWhen: Self.withoutEnd)
        case .monthsSinceExpired:
            fact(.number, unit: "months", "whole calendar months since access ended", unknownWhen: Self.withoutEnd)
        case .paidMonths:
            fact(
                .number, unit: "months", "whole months of paid periods, free trials left out",
                unknownWhen: Self.incomplete)
        case .paidPeriods:
            fact(.number, unit: "periods", "paid periods, free trials left out", unknownWhen: Self.incomplete)
        case .isInTrial:
            fact(
                .boolean, "whether a free introductory period is running",
                unknownWhen: "the history is stale or absent")
        case .renewalPrice:
            fact(.money, "the price of the next renewal", unknownWhen: "no renewal info with a price is known")
        case .pendingProductId:
            fact(
                .text, "the product that the next renewal changes to",
                unknownWhen: "no change is pending or no renewal info is known")
        case .everInGroup:
            fact(
                .boolean, "whether a subscription of the group was ever bought",
                unknownWhen: "none is known and the history is not complete")
        }
    }

    private static let withoutEnd = "there is access, the history is stale, or no subscription is known"
    private static let incomplete = "the history is not complete, unless the known part already decides"

    private func fact(
        _ type: FactType, unit: String? = nil, _ meaning: String, unknownWhen: String, values: [String]? = nil
    ) -> FactDefinition {
        FactDefinition(
            Self.prefix + rawValue, type, unit: unit, meaning, unknownWhen: unknownWhen, values: values,
            source: .history)
    }
}
