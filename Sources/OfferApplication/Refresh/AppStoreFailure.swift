public import AppStoreServer
public import OfferModel

/// Why the App Store Server API gave no answer that can be used.
public struct AppStoreFailure: Sendable, Hashable {
    /// What Apple said, or what kept the question from Apple.
    public let error: AppStoreServerError
    /// When.
    public let at: Instant

    /// A failure by its parts.
    public init(_ error: AppStoreServerError, at instant: Instant) {
        self.error = error
        at = instant
    }

    /// Whether asking again later may be enough; else somebody has something to set right first.
    public var isPassing: Bool {
        switch error.code {
        case .rateLimited, .unavailable, .timedOut, .cancelled: true
        case .notSent, .unauthenticated, .notFound, .refused, .unreachable, .unreadableAnswer: false
        }
    }

    /// What went wrong, for people.
    public var detail: String { error.message }

    /// What to do next.
    public var hint: String? { error.hint }

    /// After how many seconds asking again may help: when Apple says so, else after a moment, and after a minute where
    /// somebody has to act first.
    public var secondsToWait: Int {
        guard let retryAt = error.retryAt else { return isPassing ? 10 : 60 }
        let milliseconds = max(retryAt.milliseconds(since: at), 0)
        return Int(min(max(milliseconds.saturatingAdding(999) / 1_000, 1), Self.longestWait))
    }

    /// Apple counts by the hour ("Identifying rate limits").
    private static let longestWait: Int64 = 3_600
}

extension AppStoreServerError {
    /// What it means to who asked: that Apple knows nobody by the id, or that there is no answer.
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
