import AppStoreData
public import OfferModel

/// The development App Store: signs what happened in a scenario with a local root.
public struct LocalAppStore: Sendable {
    private let root: LocalRoot

    public init(root: LocalRoot) {
        self.root = root
    }

    /// Plays a scenario and signs what the App Store would know after it.
    public func sign(_ scenario: Scenario, now: Instant) throws -> SignedScenario {
        let played = try PlayedScenario(playing: scenario, now: now)
        return SignedScenario(
            signedTransactions: try played.transactions.map { try root.sign(payload: $0.payloadText) },
            signedRenewalInfo: try played.renewalInfos.map { try root.sign(payload: $0.payloadText) },
            signedAppTransaction: try played.appTransaction.map { try root.sign(payload: $0.payloadText) },
            notifications: try played.notifications.map(sign))
    }

    private func sign(_ played: PlayedNotification) throws -> String {
        var notification = played.notification
        notification.data?.signedTransactionInfo = try played.transaction.map { try root.sign(payload: $0.payloadText) }
        notification.data?.signedRenewalInfo = try played.renewalInfo.map { try root.sign(payload: $0.payloadText) }
        return try root.sign(payload: notification.payloadText)
    }
}

/// A played scenario as signed data.
public struct SignedScenario: Sendable, Hashable {
    public var signedTransactions: [String]
    public var signedRenewalInfo: [String]
    public var signedAppTransaction: String?
    /// Each `signedPayload` that the App Store would have sent, by its date.
    public var notifications: [String]
}
