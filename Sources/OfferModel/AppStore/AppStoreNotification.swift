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
    public var consumptionRequestReason: ConsumptionRequestReason?

    public init() {}
}

/// What came of extending the renewal dates of many subscribers.
public struct NotificationSummary: Sendable, Hashable {
    public var requestIdentifier: String?
    /// The environment named inside the signed payload; checked, never chosen from.
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

    public init() {}

    /// The environment it belongs to, as Apple's libraries tell it; `nil` without an id.
    public var environment: AppStoreEnvironment? {
        externalPurchaseId.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
    }
}

/// A notification about a customer's copy of the app.
public struct NotificationAppData: Sendable, Hashable {
    public var appAppleId: Int64?
    public var bundleId: BundleId?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?
    public var signedAppTransactionInfo: String?

    public init() {}
}

/// How a notification reached us.
public enum NotificationSource: String, Sendable, Hashable, CaseIterable, Codable {
    case delivered, fetched
}

/// What a notification meant for the history when it was kept.
public enum NotificationOutcome: String, Sendable, Hashable, CaseIterable, Codable {
    case added
    /// Something in it is a newer view of something known.
    case updated
    /// Everything in it was known already, or is older than what is.
    case unchanged
    /// It holds nothing that belongs to a history: no transaction, renewal info or app transaction that names anybody.
    case noHistory
}
