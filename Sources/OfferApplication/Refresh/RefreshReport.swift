public import AppStoreServer
public import OfferEligibility
public import OfferModel

/// The result of fetching a customer's purchases from the App Store.
public struct RefreshReport: Sendable, Hashable {
    /// The customers they belong to, as far as proven.
    public var customers: [KnownIdentifiers] = []
    public var transactions = OutcomeCounts()
    public var renewalInfos = OutcomeCounts()
    public var appTransactions = OutcomeCounts()
    /// What could not be verified; the pointer names its place in Apple's answer.
    public var refused: [RefusedData] = []
    /// Why the history does not count as complete; empty if it does.
    public var gaps: [RefreshGap] = []
    /// How much of the history is known now.
    public var coverage = Coverage.none

    mutating func add(_ kept: KeptAccount) {
        transactions.add(kept.transactions)
        renewalInfos.add(kept.renewalInfos)
        appTransactions.add(kept.appTransactions)
        refused += kept.refused
        gaps += kept.gaps.filter { !gaps.contains($0) }
    }
}

public struct OutcomeCounts: Sendable, Hashable {
    private var counts: [IngestOutcome: Int] = [:]

    public subscript(outcome: IngestOutcome) -> Int { counts[outcome] ?? 0 }

    public var total: Int { counts.values.saturatingSum() }

    mutating func add(_ outcome: IngestOutcome) {
        counts[outcome, default: 0] += 1
    }

    mutating func add(_ others: OutcomeCounts) {
        counts.merge(others.counts, uniquingKeysWith: +)
    }
}

/// Why what the App Store answered does not count as all there is (invariant 3).
public enum RefreshGap: String, Sendable, Hashable, CaseIterable, Codable {
    case refusedData
    case morePages
    /// A subscription that is known of the customer was not part of it.
    case missingSubscription
    case severalCustomers

    public var detail: String {
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
    /// What Apple said, or what kept the question from Apple.
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
    /// What it means to the caller: Apple knows no customer by the id, or there is no answer.
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
