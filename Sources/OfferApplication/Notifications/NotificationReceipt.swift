public import OfferModel

/// What became of a notification that is stored now.
public struct NotificationReceipt: Sendable, Hashable {
    /// Its id.
    public var notificationUUID: String
    /// What it tells about.
    public var type: NotificationType
    /// What it tells in particular.
    public var subtype: NotificationSubtype?
    /// When Apple signed it.
    public var signedDate: Instant
    /// Whether it was stored before.
    public var isRepeat: Bool
    /// What it meant for the history when it was stored first.
    public var outcome: NotificationOutcome

    /// A receipt by its parts.
    public init(
        notificationUUID: String, type: NotificationType, subtype: NotificationSubtype?, signedDate: Instant,
        isRepeat: Bool, outcome: NotificationOutcome
    ) {
        self.notificationUUID = notificationUUID
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.isRepeat = isRepeat
        self.outcome = outcome
    }
}
