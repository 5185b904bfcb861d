public import AppStoreServer
import OfferAPI
public import OfferModel
import OfferSigning

extension RefreshReport {
    mutating func add(_ kept: KeptAccount) {
        transactions.add(kept.transactions)
        renewalInfos.add(kept.renewalInfos)
        appTransactions.add(kept.appTransactions)
        refused += kept.refused.map { data in
            Refused { ($0.path, $0.code, $0.detail) = (data.pointer, data.refusal.code.rawValue, data.refusal.detail) }
        }
        gaps += kept.gaps.map { gap in Gap { ($0.code, $0.detail) = (gap.rawValue, gap.detail) } }
            .filter { !gaps.contains($0) }
    }
}

extension RefreshReport.Counts {
    mutating func add(_ outcome: IngestOutcome) {
        switch outcome {
        case .added: added += 1
        case .updated: updated += 1
        case .unchanged: unchanged += 1
        case .refused: refused += 1
        case .ignored: break
        }
    }

    fileprivate mutating func add(_ others: Self) {
        added += others.added
        updated += others.updated
        unchanged += others.unchanged
        refused += others.refused
    }
}

/// Why what the App Store answered does not count as all there is (invariant 3).
package enum RefreshGap: String, Sendable, CaseIterable {
    case refusedData
    case morePages
    /// A subscription that is known of the customer was not part of it.
    case missingSubscription
    case severalCustomers

    var detail: String {
        switch self {
        case .refusedData: "some of what Apple gave was refused"
        case .morePages: "Apple has more pages of the history than are fetched at once"
        case .missingSubscription: "Apple's history lacks a subscription that is known of the customer"
        case .severalCustomers: "Apple's history names several customers that no signed data proves to be one"
        }
    }
}

/// Why the App Store Server API gave no answer that can be used.
public struct AppStoreFailure: Sendable, Hashable {
    /// Apple's answer, or the obstacle to asking.
    public let error: AppStoreServerError
    public let at: Instant

    public init(_ error: AppStoreServerError, at instant: Instant) {
        self.error = error
        at = instant
    }

    /// Whether the same request may succeed later; otherwise something must be corrected first.
    public var isTransient: Bool {
        switch error.code {
        case .rateLimited, .unavailable, .timedOut, .cancelled: true
        case .notSent, .unauthenticated, .notFound, .refused, .unreachable, .unreadableAnswer: false
        }
    }

    public var detail: String { error.message }

    public var hint: String? { error.hint }

    /// After how many seconds asking again may help: when Apple says so, else after a moment, and after a minute where
    /// something must be corrected first.
    public var secondsToWait: Int {
        guard let retryAt = error.retryAt else { return isTransient ? 10 : 60 }
        let milliseconds = max(retryAt.milliseconds(since: at), 0)
        return Int(min(max(milliseconds.saturatingAdding(999) / 1_000, 1), Self.longestWait))
    }

    /// Apple counts by the hour ("Identifying rate limits").
    private static let longestWait: Int64 = 3_600
}

extension AppStoreServerError {
    /// The error for the caller: Apple knows no customer by the id, or there is no answer.
    func requestError(at now: Instant) -> RequestError {
        switch (code, errorCode) {
        case (.notFound, .appNotFound), (.notFound, .invalidAppIdentifier):
            .appStoreFailed(AppStoreFailure(self, at: now))
        case (.notFound, _), (_, .invalidTransactionId), (_, .appTransactionIdNotSupported):
            .unknownToAppStore(detail: message, hint: hint)
        default: .appStoreFailed(AppStoreFailure(self, at: now))
        }
    }
}
