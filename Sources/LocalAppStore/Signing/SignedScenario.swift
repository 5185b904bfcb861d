/// A played scenario as signed data: the answer of `offerd dev sign`.
public struct SignedScenario: Sendable, Hashable, Codable {
    /// One JWS for each purchase and renewal.
    public var signedTransactions: [String]
    /// One JWS for each subscription.
    public var signedRenewalInfo: [String]
    /// The JWS of the app transaction, if there is one.
    public var signedAppTransaction: String?
    /// Each `signedPayload` that the App Store would have sent, by its date.
    public var notifications: [String]

    /// Signed data by its parts.
    public init(
        signedTransactions: [String], signedRenewalInfo: [String], signedAppTransaction: String?,
        notifications: [String] = []
    ) {
        self.signedTransactions = signedTransactions
        self.signedRenewalInfo = signedRenewalInfo
        self.signedAppTransaction = signedAppTransaction
        self.notifications = notifications
    }

    /// Writes all four members, an absent app transaction as `null`, so that a reader finds the same shape every time.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(signedTransactions, forKey: .signedTransactions)
        try container.encode(signedRenewalInfo, forKey: .signedRenewalInfo)
        try container.encode(signedAppTransaction, forKey: .signedAppTransaction)
        try container.encode(notifications, forKey: .notifications)
    }

    private enum CodingKeys: String, CodingKey {
        case signedTransactions
        case signedRenewalInfo
        case signedAppTransaction
        case notifications
    }
}
