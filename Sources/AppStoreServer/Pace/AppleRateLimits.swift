public import OfferModel

/// The calls that share one of Apple's limits.
public enum CallClass: Sendable, Hashable, CaseIterable {
    /// Get Transaction History.
    case transactionHistory
    /// Get Transaction Info.
    case transactionInfo
    /// Get App Transaction Info.
    case appTransactionInfo
    /// Get All Subscription Statuses.
    case subscriptionStatuses
    /// Get Notification History.
    case notificationHistory
    /// Look Up Order ID.
    case orderLookup
    /// Request a Test Notification, and its status.
    case testNotification
}

/// How many calls a second are made, for each class of them.
///
/// Apple counts by app and environment and over an hour, so an even pace below its figures is never refused for its
/// own calls. Source: Apple, "Identifying rate limits".
public struct AppleRateLimits: Sendable, Hashable {
    private let thousandthsPerSecond: [CallClass: Int64]

    /// Apple's figures: 50 a second for what reads history, 10 for orders, 1 for tests; a tenth of it in the sandbox.
    /// The limit of Get App Transaction Info is not known and taken as the lowest for a look-up.
    public static func apple(_ environment: AppStoreEnvironment) -> AppleRateLimits {
        let production: [CallClass: Int64] = [
            .transactionHistory: 50, .transactionInfo: 50, .appTransactionInfo: 10, .subscriptionStatuses: 50,
            .notificationHistory: 50, .orderLookup: 10, .testNotification: 1,
        ]
        let share: Int64 = environment == .production ? 1_000 : 100
        return AppleRateLimits(thousandthsPerSecond: production.mapValues { $0 * share })
    }

    /// The part of these limits that one of several users of them takes, such as a backfill beside support.
    ///
    /// - Parameter percent: from 1 to 100.
    public func share(percent: Int) -> AppleRateLimits {
        let percent = Int64(min(max(percent, 1), 100))
        return AppleRateLimits(thousandthsPerSecond: thousandthsPerSecond.mapValues { max($0 * percent / 100, 1) })
    }

    /// The time from one call to the next.
    func intervalMilliseconds(_ calls: CallClass) -> Int64 {
        guard let thousandths = thousandthsPerSecond[calls] else { return 0 }
        return (1_000_000 + thousandths - 1) / thousandths
    }
}
