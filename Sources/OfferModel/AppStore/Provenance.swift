/// How a piece of history, or a statement about it, reached us.
public enum Provenance: String, Sendable, Hashable, CaseIterable, Codable {
    /// A signed App Store Server Notification.
    case notification
    /// Signed data sent by the app's backend for its client.
    case client
    /// A signed answer of the App Store Server API.
    case serverAPI
    /// The backend's own word, such as `historyComplete` or a signal.
    case caller
    /// A legacy verifyReceipt answer.
    case receipt
    /// Imported or stated by an authorised operator.
    case `operator`

    /// Whether a signature that leads to Apple's root stands behind it.
    ///
    /// Proven data outranks the rest whatever its date (docs/design.md#history-and-state).
    public var isProven: Bool {
        switch self {
        case .notification, .client, .serverAPI: true
        case .caller, .receipt, .operator: false
        }
    }
}
