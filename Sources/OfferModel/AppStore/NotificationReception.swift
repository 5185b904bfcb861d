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
