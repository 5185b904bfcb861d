/// Facts about the customer in the whole app; each raw value follows `customer.`. What came through Family Sharing is
/// not the customer's own.
public enum CustomerFact: String, Sendable, Hashable, CaseIterable {
    /// Days since anything was first bought.
    case daysSinceFirstPurchase
    /// Days since the customer was first seen.
    case daysSinceFirstSeen
    /// Whether there ever was a subscription.
    case everSubscribed
    /// Purchases that Apple refunded.
    case refunds
    /// The App Store of the customer's country.
    case storefront
    /// Uses of offers.
    case offersRedeemed
    /// Days since an offer was last used.
    case daysSinceLastOffer

    static let prefix = "customer."

    /// What it means. Built once, because every comparison asks for it.
    public var definition: FactDefinition { Self.definitions[self] ?? made }

    private static let definitions = Dictionary(allCases.map { ($0, $0.made) }) { first, _ in first }

    private var made: FactDefinition {
        switch self {
        case .daysSinceFirstPurchase:
            fact(
                .number, unit: "days", "whole days since the customer first bought anything in the app",
                unknownWhen: "nothing was bought; or the history is not complete, unless the known part already decides"
            )
        case .daysSinceFirstSeen:
            fact(
                .number, unit: "days",
                "whole days since the earliest of: the app was obtained (app transaction), the first purchase, "
                    + "first stored by `offerd`",
                unknownWhen: "no app transaction is known or the history is not complete, unless the known part "
                    + "already decides",
                source: .record)
        case .everSubscribed:
            fact(
                .boolean, "whether any subscription in the app was ever bought",
                unknownWhen: "none is known and the history is not complete")
        case .refunds:
            fact(
                .number, unit: "refunds", "purchases of any kind that Apple refunded, in full or prorated",
                unknownWhen: Self.incomplete)
        case .storefront:
            fact(
                .storefront, "the App Store country of the newest purchase that names one",
                unknownWhen: "no purchase that names one is known")
        case .offersRedeemed:
            fact(
                .number, unit: "redemptions",
                "redemptions of offers in the app: introductory, promotional, win-back and offer codes",
                unknownWhen: Self.incomplete)
        case .daysSinceLastOffer:
            fact(
                .number, unit: "days", "whole days since the newest redemption of an offer began",
                unknownWhen: "no offer was redeemed, or the history is not complete")
        }
    }

    private static let incomplete = "the history is not complete, unless the known part already decides"

    private func fact(
        _ type: FactType, unit: String? = nil, _ meaning: String, unknownWhen: String, source: FactSource = .history
    ) -> FactDefinition {
        FactDefinition(Self.prefix + rawValue, type, unit: unit, meaning, unknownWhen: unknownWhen, source: source)
    }
}
