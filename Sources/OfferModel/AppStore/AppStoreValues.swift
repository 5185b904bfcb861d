// Apple adds values over time. Each type here keeps the raw value it was given, so an unknown one is stored, shown and
// never fatal; the static members are the values known today (facts: App Store Server API pages).

/// Apple's product type of a transaction.
public struct TransactionType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// An auto-renewable subscription: the only type with offers of ours.
    public static let autoRenewableSubscription = TransactionType(rawValue: "Auto-Renewable Subscription")
    /// A non-consumable.
    public static let nonConsumable = TransactionType(rawValue: "Non-Consumable")
    /// A consumable.
    public static let consumable = TransactionType(rawValue: "Consumable")
    /// A non-renewing subscription.
    public static let nonRenewingSubscription = TransactionType(rawValue: "Non-Renewing Subscription")
}

/// Who owns a purchase.
public struct InAppOwnershipType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Bought by this customer.
    public static let purchased = InAppOwnershipType(rawValue: "PURCHASED")
    /// Received through Family Sharing: access, not ownership.
    public static let familyShared = InAppOwnershipType(rawValue: "FAMILY_SHARED")
}

extension InAppOwnershipType? {
    /// Whether the customer bought what has it; `nil` for a value Apple added later. Absent data counts as bought.
    public var isOwned: Bool? {
        switch self {
        case nil, .purchased: true
        case .familyShared: false
        default: nil
        }
    }
}

/// Apple's `offerType` of a transaction or of the next renewal.
public struct TransactionOfferType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's number.
    public let rawValue: Int
    /// Any value, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// An introductory offer.
    public static let introductory = TransactionOfferType(rawValue: 1)
    /// A promotional offer.
    public static let promotional = TransactionOfferType(rawValue: 2)
    /// An offer code.
    public static let offerCode = TransactionOfferType(rawValue: 3)
    /// A win-back offer.
    public static let winBack = TransactionOfferType(rawValue: 4)
}

/// How an offer is paid.
public struct OfferDiscountType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Nothing is paid during the offer.
    public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
    /// A reduced price each period.
    public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    /// One payment for the whole offer.
    public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
    /// One payment for a product that is not a subscription.
    public static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")
}

/// Why a transaction exists.
public struct TransactionReason: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The customer bought.
    public static let purchase = TransactionReason(rawValue: "PURCHASE")
    /// The App Store renewed.
    public static let renewal = TransactionReason(rawValue: "RENEWAL")
}

/// What kind of revocation a transaction met.
public struct RevocationType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The whole price was refunded.
    public static let refundFull = RevocationType(rawValue: "REFUND_FULL")
    /// A part of the price was refunded.
    public static let refundProrated = RevocationType(rawValue: "REFUND_PRORATED")
    /// Access through Family Sharing ended.
    public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
    /// The seat in an organisation that gave access was taken away.
    public static let assignmentRevoke = RevocationType(rawValue: "ASSIGNMENT_REVOKE")
}

/// Why a subscription expired.
public struct ExpirationIntent: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's number.
    public let rawValue: Int
    /// Any value, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The customer turned renewal off.
    public static let customerCancelled = ExpirationIntent(rawValue: 1)
    /// The payment failed.
    public static let billingError = ExpirationIntent(rawValue: 2)
    /// The customer did not consent to a price increase.
    public static let priceIncreaseNotConsented = ExpirationIntent(rawValue: 3)
    /// The product was not for sale at renewal.
    public static let productNotAvailable = ExpirationIntent(rawValue: 4)
    /// Another reason.
    public static let other = ExpirationIntent(rawValue: 5)
}

/// Whether a subscription renews.
public struct AutoRenewStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's number.
    public let rawValue: Int
    /// Any value, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// It does not renew.
    public static let off = AutoRenewStatus(rawValue: 0)
    /// It renews.
    public static let on = AutoRenewStatus(rawValue: 1)
}

/// Whether the customer consented to a price increase.
public struct PriceIncreaseStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's number.
    public let rawValue: Int
    /// Any value, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Asked, not answered.
    public static let notResponded = PriceIncreaseStatus(rawValue: 0)
    /// Consented, or notified where no consent is needed.
    public static let consentedOrNotified = PriceIncreaseStatus(rawValue: 1)
}

/// How a subscription with a commitment is billed.
public struct BillingPlanType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Billed for the whole period at once.
    public static let billedUpfront = BillingPlanType(rawValue: "BILLED_UPFRONT")
    /// Billed each month of a 12-month commitment.
    public static let monthly = BillingPlanType(rawValue: "MONTHLY")
}
