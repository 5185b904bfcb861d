// Apple adds types over time. As in AppStoreValues, every raw value is kept; the static members are those known today
// (Apple: App Store Server Notifications V2, `notificationType` and `subtype`).

/// What an App Store Server Notification tells about.
public struct NotificationType: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A subscription began, or somebody came back.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    /// An active subscriber redeemed an offer.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    /// A subscription renewed, perhaps late.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    /// Auto-renewal was turned off or on.
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// The customer chose another product, or returned to the one before.
    public static let didChangeRenewalPref = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// A payment failed, and billing retry began.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    /// Grace is over, billing retry goes on.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = NotificationType(rawValue: "EXPIRED")
    /// A purchase was refunded.
    public static let refund = NotificationType(rawValue: "REFUND")
    /// A refund was taken back.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    /// A refund was refused.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    /// Apple asks how much of a purchase was used, to judge a refund.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    /// A family member lost shared access.
    public static let revoke = NotificationType(rawValue: "REVOKE")
    /// A price increase was announced or accepted.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    /// A renewal date was extended.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// The result of extending the renewal dates of many subscribers.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    /// Something other than a subscription was bought.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    /// The test that "Request a Test Notification" asks for.
    public static let test = NotificationType(rawValue: "TEST")
    /// A token of an external purchase has not been reported.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A guardian withdrew the consent to use the app.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    /// Advanced Commerce: a subscription's descriptions changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    /// Advanced Commerce: a subscription was migrated.
    public static let migration = NotificationType(rawValue: "MIGRATION")
    /// Advanced Commerce: a subscription's price changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
}

/// What a notification tells in particular.
public struct NotificationSubtype: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Of `SUBSCRIBED`: the first subscription in the group.
    public static let initialBuy = NotificationSubtype(rawValue: "INITIAL_BUY")
    /// Of `SUBSCRIBED`: back in the group after an end.
    public static let resubscribe = NotificationSubtype(rawValue: "RESUBSCRIBE")
    /// To a higher level, or to another product of the same length; at once.
    public static let upgrade = NotificationSubtype(rawValue: "UPGRADE")
    /// To a lower level, or to another length; with the next renewal.
    public static let downgrade = NotificationSubtype(rawValue: "DOWNGRADE")
    /// Of `DID_RENEW`: paid after billing retry.
    public static let billingRecovery = NotificationSubtype(rawValue: "BILLING_RECOVERY")
    /// Of `DID_CHANGE_RENEWAL_STATUS`: renewal was turned off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
    /// Of `DID_CHANGE_RENEWAL_STATUS`: renewal was turned on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    /// Of `DID_FAIL_TO_RENEW`: access goes on for the grace period.
    public static let gracePeriod = NotificationSubtype(rawValue: "GRACE_PERIOD")
    /// Of `EXPIRED`: the customer turned renewal off.
    public static let voluntary = NotificationSubtype(rawValue: "VOLUNTARY")
    /// Of `EXPIRED`: the payment failed for good.
    public static let billingRetry = NotificationSubtype(rawValue: "BILLING_RETRY")
    /// Of `EXPIRED`: no consent to a price increase.
    public static let priceIncrease = NotificationSubtype(rawValue: "PRICE_INCREASE")
    /// Of `EXPIRED`: the product was no longer sold.
    public static let productNotForSale = NotificationSubtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// Of `PRICE_INCREASE`: the customer has not answered.
    public static let pending = NotificationSubtype(rawValue: "PENDING")
    /// Of `PRICE_INCREASE`: the customer consented, or need not.
    public static let accepted = NotificationSubtype(rawValue: "ACCEPTED")
    /// Of `RENEWAL_EXTENSION`: all is done.
    public static let summary = NotificationSubtype(rawValue: "SUMMARY")
    /// Of `RENEWAL_EXTENSION`: one subscription could not be extended.
    public static let failure = NotificationSubtype(rawValue: "FAILURE")
    /// Of `EXTERNAL_PURCHASE_TOKEN`: Apple has no report of it.
    public static let unreported = NotificationSubtype(rawValue: "UNREPORTED")
}

/// The status of a subscription as Apple gives it in a notification and in Get All Subscription Statuses.
public struct SubscriptionStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's number.
    public let rawValue: Int
    /// Any value, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// It gives access.
    public static let active = SubscriptionStatus(rawValue: 1)
    /// It has ended.
    public static let expired = SubscriptionStatus(rawValue: 2)
    /// Apple is trying to charge, without access.
    public static let billingRetry = SubscriptionStatus(rawValue: 3)
    /// Apple is trying to charge, with access.
    public static let billingGracePeriod = SubscriptionStatus(rawValue: 4)
    /// It was refunded or taken from a family member.
    public static let revoked = SubscriptionStatus(rawValue: 5)
}

/// Why a customer asked for a refund.
public struct ConsumptionRequestReason: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It was bought by mistake.
    public static let unintendedPurchase = ConsumptionRequestReason(rawValue: "UNINTENDED_PURCHASE")
    /// It was not delivered or does not work.
    public static let fulfillmentIssue = ConsumptionRequestReason(rawValue: "FULFILLMENT_ISSUE")
    /// It was not what the customer expected.
    public static let unsatisfiedWithPurchase = ConsumptionRequestReason(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// For legal reasons.
    public static let legal = ConsumptionRequestReason(rawValue: "LEGAL")
    /// Another reason.
    public static let other = ConsumptionRequestReason(rawValue: "OTHER")
}
