/// Apple's `responseBodyV2DecodedPayload`: one App Store Server Notification.
///
/// Apple gives exactly one of `data`, `summary`, `externalPurchaseToken` and `appData`. A type, subtype or status that
/// Apple adds later is kept as it is.
public struct AppStoreNotification: Sendable, Hashable {
    /// What it tells about.
    public var notificationType: NotificationType
    /// What it tells in particular.
    public var subtype: NotificationSubtype?
    /// Its id: the same in every delivery of it. A UUID is written in lower case.
    public var notificationUUID: String
    /// Apple's version of the form, "2.0".
    public var version: String?
    /// When Apple signed it.
    public var signedDate: Instant
    /// A purchase it is about, or the app alone in a test.
    public var data: NotificationData?
    /// The result of extending many renewal dates.
    public var summary: NotificationSummary?
    /// A token of an external purchase.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// A customer's app transaction.
    public var appData: NotificationAppData?

    /// A notification with what every one of them has; the others start absent.
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
    /// The app.
    public var bundleId: BundleId?
    /// The app's build.
    public var bundleVersion: String?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?
    /// The transaction as a JWS.
    public var signedTransactionInfo: String?
    /// The renewal info as a JWS.
    public var signedRenewalInfo: String?
    /// How the subscription stands.
    public var status: SubscriptionStatus?
    /// Why a refund is asked for; of `CONSUMPTION_REQUEST` alone.
    public var consumptionRequestReason: ConsumptionRequestReason?

    /// Data without members.
    public init() {}
}

/// What came of extending the renewal dates of many subscribers.
public struct NotificationSummary: Sendable, Hashable {
    /// The app developer's id of the request.
    public var requestIdentifier: String?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// Whose subscribers were extended.
    public var productId: ProductId?
    /// Where; everywhere if absent.
    public var storefrontCountryCodes: [String]?
    /// How many could not be extended.
    public var failedCount: Int64?
    /// How many were extended.
    public var succeededCount: Int64?

    /// A summary without members.
    public init() {}
}

/// A token of an external purchase that Apple wants reported.
public struct ExternalPurchaseToken: Sendable, Hashable {
    /// The token's id; it begins with `SANDBOX` outside Production.
    public var externalPurchaseId: String?
    /// When it was made.
    public var tokenCreationDate: Instant?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?

    /// A token without members.
    public init() {}

    /// The environment it belongs to, as Apple's libraries tell it; `nil` without an id.
    public var environment: AppStoreEnvironment? {
        externalPurchaseId.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
    }
}

/// A notification about a customer's copy of the app.
public struct NotificationAppData: Sendable, Hashable {
    /// Apple's number of the app; absent in the sandbox.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?
    /// The app transaction as a JWS.
    public var signedAppTransactionInfo: String?

    /// App data without members.
    public init() {}
}

/// How a notification reached us.
public enum NotificationSource: String, Sendable, Hashable, CaseIterable, Codable {
    /// The App Store sent it.
    case delivered
    /// It was fetched from the App Store's notification history.
    case fetched
}

/// What a notification meant for the history when it was kept.
public enum NotificationOutcome: String, Sendable, Hashable, CaseIterable, Codable {
    /// Something in it was never seen before.
    case added
    /// Something in it is a newer view of something known.
    case updated
    /// Everything in it was known already, or is older than what is.
    case unchanged
    /// It holds nothing that belongs to a history: no transaction, renewal info or app transaction that names anybody.
    case noHistory
}
