/// Facts about the subscription in the group of the offer's product; each raw value follows `subscription.`.
public enum SubscriptionFact: String, Sendable, Hashable, CaseIterable, FixedFact {
    case state, productId, willAutoRenew, expirationIntent, daysUntilExpiry, daysSinceExpired,
        monthsSinceExpired, paidMonths, paidPeriods, isInTrial, renewalPrice, pendingProductId, everInGroup, offerType,
        discountType, period, level, billingPlan, priceIncreaseStatus, startedAt

    static let prefix = "subscription."

    public var definition: FactDefinition {
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
                values: ExpirationIntent.names.map(\.key))
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
        case .offerType:
            fact(
                .text, "the kind of offer that the current or last period is in",
                unknownWhen: "that period has no offer, the history is stale, or no subscription of the group is known",
                values: TransactionOfferType.names.map(\.key))
        case .discountType:
            fact(
                .text, "how the offer of the current or last period is paid",
                unknownWhen: "that period has no offer, the history is stale, or Apple does not say",
                values: OfferDiscountType.names.map(\.key))
        case .period:
            fact(
                .text, "the length of a period of the current or last product, by the catalog",
                unknownWhen: Self.unlisted, values: Product.periods)
        case .level:
            fact(
                .number, "the level of service of the current or last product, by the catalog: 1 is the highest",
                unknownWhen: Self.unlisted)
        case .billingPlan:
            fact(
                .text, "how the current or last period is billed",
                unknownWhen: "Apple does not say, the history is stale, or no subscription of the group is known",
                values: BillingPlanType.names.map(\.key))
        case .priceIncreaseStatus:
            fact(
                .text, "whether the customer has agreed to a price increase",
                unknownWhen: "no increase is pending or no renewal info is known",
                values: PriceIncreaseStatus.names.map(\.key))
        case .startedAt:
            fact(
                .instant, "when the subscription was first bought, however often it has lapsed since",
                unknownWhen:
                    "no subscription of the group is known, or the history is not complete and has neither its first "
                    + "purchase nor the date of that")
        }
    }

    private static let unlisted = "no subscription of the group is known, or the catalog does not list its product"
    private static let withoutEnd = "there is access, the history is stale, or no subscription is known"
}

/// The state of a subscription group at an instant, in Apple's current words (docs/design.md#terms).
public enum SubscriptionStateName: String, Sendable, Hashable, CaseIterable, Codable {
    /// No subscription of the group is known, and the history is complete.
    case neverSubscribed
    /// Access through an introductory offer.
    case introductoryOffer
    /// Paid access, promotional and win-back offers included.
    case subscribed
    /// A renewal failed and access continues.
    case inGracePeriod
    /// A renewal failed and access has ended while Apple keeps trying.
    case inBillingRetryPeriod
    /// Access has ended.
    case expired
    /// Apple took access back.
    case revoked
}

/// Facts about the customer in the whole app; each raw value follows `customer.`. What came through Family Sharing is
/// not the customer's own.
public enum CustomerFact: String, Sendable, Hashable, CaseIterable, FixedFact {
    case daysSinceFirstPurchase, daysSinceFirstSeen, everSubscribed, refunds, storefront, offersRedeemed,
        daysSinceLastOffer

    static let prefix = "customer."

    public var definition: FactDefinition {
        switch self {
        case .daysSinceFirstPurchase:
            fact(
                .number, unit: "days", "whole days since the customer first bought anything in the app",
                unknownWhen: "nothing was bought; or the history is not complete, unless the known part already decides"
            )
        case .daysSinceFirstSeen:
            fact(
                .number, unit: "days",
                "whole days since the customer was first seen, the earliest of: the app was obtained (app transaction), the first purchase, "
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
                "redemptions of offers in the app: introductory, promotional, win-back, retention and offer codes",
                unknownWhen: Self.incomplete)
        case .daysSinceLastOffer:
            fact(
                .number, unit: "days", "whole days since the newest redemption of an offer began",
                unknownWhen: "no offer was redeemed, or the history is not complete")
        }
    }

}

/// Facts about the device that asks, and where in the app; each raw value follows `request.`.
public enum RequestFact: String, Sendable, Hashable, CaseIterable, FixedFact {
    case appVersion, osVersion, locale, placement

    static let prefix = "request."
    static let source = FactSource.caller

    public var definition: FactDefinition {
        switch self {
        case .appVersion: fact(.version, "the app's version", unknownWhen: Self.unreadable)
        case .osVersion: fact(.version, "the operating system's version", unknownWhen: Self.unreadable)
        case .locale: fact(.locale, "the customer's language and region", unknownWhen: "the request does not state it")
        case .placement:
            fact(
                .text, "the place in the app that asks for the offer, such as a paywall",
                unknownWhen: "the request does not state it")
        }
    }

    private static let unreadable = "the request does not state it, or it is not numbers and dots"
}

/// A fact whose whole name the vocabulary fixes.
protocol FixedFact: RawRepresentable<String>, CaseIterable {
    /// The prefix of its name, the dot included.
    static var prefix: String { get }
    static var source: FactSource { get }

    var definition: FactDefinition { get }
}

extension FixedFact {
    static var source: FactSource { .history }
    static var incomplete: String { "the history is not complete, unless the known part already decides" }

    fileprivate func fact(
        _ type: FactType, unit: String? = nil, _ meaning: String, unknownWhen: String, values: [String]? = nil,
        source: FactSource = Self.source
    ) -> FactDefinition {
        FactDefinition(
            name: Self.prefix + rawValue, type: type, unit: unit, meaning: meaning, unknownWhen: unknownWhen,
            values: values, source: source)
    }
}
