/// Apple's `responseBodyV2DecodedPayload`: one App Store Server Notification.
///
/// Apple gives exactly one of `data`, `summary`, `externalPurchaseToken` and `appData`. A type, subtype or status that
/// Apple adds later is kept as it is.
public struct AppStoreNotification: Sendable, Hashable {
    public var notificationType: NotificationType
    public var subtype: NotificationSubtype?
    /// Its id: the same in every delivery of it. A UUID is written in lower case.
    public var notificationUUID: String
    public var version: String?
    public var signedDate: Instant
    /// A purchase it is about, or the app alone in a test.
    public var data: NotificationData?
    public var summary: NotificationSummary?
    public var externalPurchaseToken: ExternalPurchaseToken?
    public var appData: NotificationAppData?

    public init(notificationType: NotificationType, notificationUUID: String, signedDate: Instant) {
        self.notificationType = notificationType
        self.notificationUUID = notificationUUID
        self.signedDate = signedDate
    }
}

/// A notification's purchase. The signed texts are not verified with the notification: each is signed for itself.
public struct NotificationData: Sendable, Hashable {
    /// Apple's number of the app; absent in the sandbox.
    public var appAppleId: Int64?
    public var bundleId: BundleId?
    public var bundleVersion: String?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?
    public var signedTransactionInfo: String?
    public var signedRenewalInfo: String?
    public var status: SubscriptionStatus?
    /// Why a refund is asked for; of `CONSUMPTION_REQUEST` alone.
    public var consumptionRequestReason: String?

    public init() {}
}

/// The result of extending the renewal dates of many subscribers.
public struct NotificationSummary: Sendable, Hashable {
    public var requestIdentifier: String?
    public var environment: String?
    public var appAppleId: Int64?
    public var bundleId: BundleId?
    public var productId: ProductId?
    /// Where; everywhere if absent.
    public var storefrontCountryCodes: [String]?
    public var failedCount: Int64?
    public var succeededCount: Int64?

    public init() {}
}

/// A token of an external purchase that Apple wants reported.
public struct ExternalPurchaseToken: Sendable, Hashable {
    /// The token's id; it begins with `SANDBOX` outside Production.
    public var externalPurchaseId: String?
    public var tokenCreationDate: Instant?
    public var appAppleId: Int64?
    public var bundleId: BundleId?

    /// The environment it belongs to, as Apple's libraries tell it; `nil` without an id.
    public var environment: AppStoreEnvironment? {
        externalPurchaseId.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
    }

    public init() {}
}

public struct NotificationAppData: Sendable, Hashable {
    public var appAppleId: Int64?
    public var bundleId: BundleId?
    public var environment: String?
    public var signedAppTransactionInfo: String?

    public init() {}
}

// Apple: App Store Server Notifications V2, responseBodyV2DecodedPayload.
extension AppStoreNotification: PayloadObject {
    public init() {
        self.init(notificationType: NotificationType(rawValue: ""), notificationUUID: "", signedDate: .distantPast)
    }

    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("notificationType", &notificationType)
        var id = NotificationLabel(rawValue: notificationUUID)
        try fields.required("notificationUUID", &id)
        notificationUUID = id.rawValue
        try fields.signingDate("signedDate", &signedDate)
        try fields.optional("subtype", &subtype)
        try fields.optional("version", &version)
        try fields.object("data", &data)
        try fields.object("summary", &summary)
        try fields.object("externalPurchaseToken", &externalPurchaseToken)
        try fields.object("appData", &appData)
    }
}

extension NotificationData: PayloadObject {
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("appAppleId", &appAppleId)
        try fields.optional("bundleId", &bundleId)
        try fields.optional("bundleVersion", &bundleVersion)
        try fields.optional("environment", &environment)
        try fields.optional("signedTransactionInfo", &signedTransactionInfo)
        try fields.optional("signedRenewalInfo", &signedRenewalInfo)
        try fields.optional("status", &status)
        try fields.optional("consumptionRequestReason", &consumptionRequestReason)
    }
}

extension NotificationSummary: PayloadObject {
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("requestIdentifier", &requestIdentifier)
        try fields.optional("environment", &environment)
        try fields.optional("appAppleId", &appAppleId)
        try fields.optional("bundleId", &bundleId)
        try fields.optional("productId", &productId)
        try fields.optional("storefrontCountryCodes", &storefrontCountryCodes)
        try fields.optional("failedCount", &failedCount)
        try fields.optional("succeededCount", &succeededCount)
    }
}

extension ExternalPurchaseToken: PayloadObject {
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("externalPurchaseId", &externalPurchaseId)
        try fields.optional("tokenCreationDate", &tokenCreationDate)
        try fields.optional("appAppleId", &appAppleId)
        try fields.optional("bundleId", &bundleId)
    }
}

extension NotificationAppData: PayloadObject {
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("appAppleId", &appAppleId)
        try fields.optional("bundleId", &bundleId)
        try fields.optional("environment", &environment)
        try fields.optional("signedAppTransactionInfo", &signedAppTransactionInfo)
    }
}

/// A label with one spelling for each UUID, so that a repeat is recognised; other text stays as Apple wrote it.
private struct NotificationLabel: RawRepresentable, PayloadValue {
    static var form: PayloadForm { .label }
    let rawValue: String
    init(rawValue: String) { self.rawValue = LowercaseUUID(rawValue)?.description ?? rawValue }
}

public enum NotificationSource: String, Sendable, Hashable, CaseIterable, Codable {
    case delivered, fetched
}

/// The effect of a notification on the history when it was stored.
public enum NotificationOutcome: String, Sendable, Hashable, CaseIterable, Codable {
    case added
    /// Something in it is a newer view of something known.
    case updated
    /// Everything in it was known already, or is older than what is.
    case unchanged
    /// It holds nothing that belongs to a history: no transaction, renewal info or app transaction that names a
    /// customer.
    case noHistory
}

// Apple adds types over time. As in AppStoreValues, every raw value is kept; the static members are those that the local App Store
// sends (Apple: App Store Server Notifications V2, `notificationType` and `subtype`).

public struct NotificationType: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public static var form: PayloadForm { .label }
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
    /// Grace is over, billing retry continues.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    public static let expired = Self(rawValue: "EXPIRED")
    public static let refund = Self(rawValue: "REFUND")
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// A family member lost shared access.
    public static let revoke = Self(rawValue: "REVOKE")
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    public static let test = Self(rawValue: "TEST")
}

public struct NotificationSubtype: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public static var form: PayloadForm { .label }
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
    /// `DID_FAIL_TO_RENEW`: access continues for the grace period.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// `EXPIRED`, as are the next three: the customer turned renewal off.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    public static let pending = Self(rawValue: "PENDING")
    /// `PRICE_INCREASE`: the customer consented, or need not.
    public static let accepted = Self(rawValue: "ACCEPTED")
}

/// The status of a subscription as Apple gives it in a notification and in Get All Subscription Statuses.
public struct SubscriptionStatus: RawRepresentable, Hashable, Sendable, Codable, PayloadValue {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let active = Self(rawValue: 1)
    public static let expired = Self(rawValue: 2)
    public static let billingRetry = Self(rawValue: 3)
    /// Apple is trying to charge, with access.
    public static let billingGracePeriod = Self(rawValue: 4)
    public static let revoked = Self(rawValue: 5)
}
