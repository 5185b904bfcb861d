// Apple adds types over time. As in AppStoreValues, every raw value is kept; the static members are those known today
// (Apple: App Store Server Notifications V2, `notificationType` and `subtype`).

/// What an App Store Server Notification tells about.
public struct NotificationType: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A first subscription, or a return.
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    public static let didRenew = Self(rawValue: "DID_RENEW")
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// The customer chose another product, or returned to the one before.
    public static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// Grace is over, billing retry goes on.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    public static let expired = Self(rawValue: "EXPIRED")
    public static let refund = Self(rawValue: "REFUND")
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// Apple asks how much of a purchase was used, to judge a refund.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// A family member lost shared access.
    public static let revoke = Self(rawValue: "REVOKE")
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// The result of extending the renewal dates of many subscribers.
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// Something other than a subscription was bought.
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    public static let test = Self(rawValue: "TEST")
    /// A token of an external purchase has not been reported.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A guardian withdrew the consent to use the app.
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// Advanced Commerce, as are `migration` and `priceChange`.
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    public static let migration = Self(rawValue: "MIGRATION")
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")
}

/// What a notification tells in particular.
public struct NotificationSubtype: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// `SUBSCRIBED`: the first subscription in the group.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// `SUBSCRIBED`: back in the group after an end.
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// To a higher level, or to another product of the same length; at once.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// To a lower level, or to another length; with the next renewal.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// `DID_RENEW`: paid after billing retry.
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// `DID_FAIL_TO_RENEW`: access goes on for the grace period.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// `EXPIRED`, as are the next three: the customer turned renewal off.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    public static let pending = Self(rawValue: "PENDING")
    /// `PRICE_INCREASE`: the customer consented, or need not.
    public static let accepted = Self(rawValue: "ACCEPTED")
    public static let summary = Self(rawValue: "SUMMARY")
    /// `RENEWAL_EXTENSION`: one subscription could not be extended.
    public static let failure = Self(rawValue: "FAILURE")
    public static let unreported = Self(rawValue: "UNREPORTED")
}

/// The status of a subscription as Apple gives it in a notification and in Get All Subscription Statuses.
public struct SubscriptionStatus: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let active = Self(rawValue: 1)
    public static let expired = Self(rawValue: 2)
    public static let billingRetry = Self(rawValue: 3)
    /// Apple is trying to charge, with access.
    public static let billingGracePeriod = Self(rawValue: 4)
    public static let revoked = Self(rawValue: 5)
}

/// Why a customer asked for a refund.
public struct ConsumptionRequestReason: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    public static let legal = Self(rawValue: "LEGAL")
    public static let other = Self(rawValue: "OTHER")
}
