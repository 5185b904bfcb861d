public import OfferModel

/// A verified notification on its way into the store.
public struct NotificationRecord: Sendable, Hashable {
    /// Its id: the same in every delivery of it.
    public var notificationUUID: String
    /// What it tells about.
    public var type: NotificationType
    /// What it tells in particular.
    public var subtype: NotificationSubtype?
    /// When Apple signed it.
    public var signedDate: Instant
    /// How it reached us.
    public var source: NotificationSource
    /// What it meant for the history.
    public var outcome: NotificationOutcome
    /// Whom it is about; absent if it names nobody.
    public var identifier: ProvenIdentifier?
    /// The transaction it is about.
    public var transactionId: TransactionId?
    /// The product it is about.
    public var productId: ProductId?
    /// The notification as Apple signed it, a compact JWS.
    public var payload: String

    /// A notification with what every one of them has; the others start absent.
    public init(
        notificationUUID: String, type: NotificationType, signedDate: Instant, source: NotificationSource,
        outcome: NotificationOutcome, payload: String
    ) {
        self.notificationUUID = notificationUUID
        self.type = type
        self.signedDate = signedDate
        self.source = source
        self.outcome = outcome
        self.payload = payload
    }
}

/// A notification as it is stored, without the text that Apple signed.
public struct StoredNotification: Sendable, Hashable {
    /// Its place in the store-wide order.
    public var sequence: Int64
    /// Its id.
    public var notificationUUID: String
    /// What it tells about.
    public var type: NotificationType
    /// What it tells in particular.
    public var subtype: NotificationSubtype?
    /// When Apple signed it.
    public var signedDate: Instant
    /// When it was stored.
    public var receivedAt: Instant
    /// How it reached us.
    public var source: NotificationSource
    /// What it meant for the history then.
    public var outcome: NotificationOutcome
    /// The transaction it is about; absent if it is about none, and once it was erased.
    public var transactionId: TransactionId?
    /// The product it is about.
    public var productId: ProductId?
    /// When its signed text was taken away.
    public var payloadRemovedAt: Instant?
    /// When what names a person was taken out of it.
    public var erasedAt: Instant?
}

extension NotificationType: Storable {}
extension NotificationSubtype: Storable {}
extension NotificationSource: Storable {}
extension NotificationOutcome: Storable {}
