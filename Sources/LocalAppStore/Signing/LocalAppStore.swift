import FoundationEssentials
public import OfferModel

/// The development App Store: signs what happened in a scenario with a local root.
public struct LocalAppStore: Sendable {
    private let root: LocalRoot

    /// An App Store that signs with this root.
    public init(root: LocalRoot) {
        self.root = root
    }

    /// Plays a scenario and signs what the App Store would know after it.
    ///
    /// - Parameters:
    ///   - scenario: what happened.
    ///   - now: the moment that relative times count from, and the signing date unless the scenario has its own.
    /// - Throws: ``ScenarioError`` for what cannot have happened; what libcrypto throws when it cannot sign.
    public func sign(_ scenario: Scenario, now: Instant) throws -> SignedScenario {
        let played = try PlayedScenario(playing: scenario, now: now)
        return SignedScenario(
            signedTransactions: try played.transactions.map { try sign(TransactionPayload($0)) },
            signedRenewalInfo: try played.renewalInfos.map { try sign(RenewalInfoPayload($0)) },
            signedAppTransaction: try played.appTransaction.map { try sign(AppTransactionPayload($0)) },
            notifications: try played.notifications.map(sign))
    }

    private func sign(_ played: PlayedNotification) throws -> String {
        var notification = played.notification
        notification.data?.signedTransactionInfo = try played.transaction.map { try sign(TransactionPayload($0)) }
        notification.data?.signedRenewalInfo = try played.renewalInfo.map { try sign(RenewalInfoPayload($0)) }
        return try sign(NotificationPayload(notification))
    }

    private func sign(_ payload: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try root.sign(payload: Array(try encoder.encode(payload)))
    }
}
