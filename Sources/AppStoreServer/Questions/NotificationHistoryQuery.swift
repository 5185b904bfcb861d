public import OfferModel

/// Which notifications Get Notification History gives.
public struct NotificationHistoryQuery: Sendable, Hashable {
    /// What they are about; Apple takes one of these at a time.
    public enum Subject: Sendable, Hashable {
        /// Anything.
        case everything
        /// One customer, by any of the customer's transactions.
        case transaction(TransactionId)
        /// One type, perhaps with its subtype.
        case type(NotificationType, NotificationSubtype? = nil)
    }

    /// The first moment; Apple keeps 180 days.
    public var startDate: Instant
    /// The last moment.
    public var endDate: Instant
    /// What they are about.
    public var subject: Subject
    /// Only those that did not arrive.
    public var onlyFailures: Bool

    /// A query by its parts.
    public init(
        from startDate: Instant, to endDate: Instant, about subject: Subject = .everything, onlyFailures: Bool = false
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.subject = subject
        self.onlyFailures = onlyFailures
    }
}

/// Apple's `NotificationHistoryRequest`.
struct NotificationHistoryRequest: Encodable {
    let startDate: Instant
    let endDate: Instant
    var transactionId: TransactionId?
    var notificationType: NotificationType?
    var notificationSubtype: NotificationSubtype?
    var onlyFailures: Bool?

    init(_ query: NotificationHistoryQuery) {
        startDate = query.startDate
        endDate = query.endDate
        switch query.subject {
        case .everything: break
        case .transaction(let id): transactionId = id
        case .type(let type, let subtype):
            notificationType = type
            notificationSubtype = subtype
        }
        if query.onlyFailures { onlyFailures = true }
    }
}
