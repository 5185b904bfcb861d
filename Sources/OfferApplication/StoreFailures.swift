import OfferStore
import Synchronization

/// Counts the requests that fail by the store, such as a full disk: of one cause, one a minute is reported.
public final class StoreFailures: Sendable {
    /// What an operator should read of a failure; the words may name files of the machine.
    public struct Report: Sendable, Hashable {
        public let detail: String
        public let hint: String?
        /// How many requests have failed by this cause since it was last reported, this one included.
        public let requests: Int
    }

    private struct Cause {
        var quietUntil: ContinuousClock.Instant
        /// Since it was last reported.
        var requests = 0
    }

    private static let interval = Duration.seconds(60)
    /// Causes are few; where there are more after all, they are forgotten and reported again.
    private static let most = 32

    private let causes = Mutex<[StoreError: Cause]>([:])

    public init() {}

    /// - Returns: `nil` for an error that is no failure of the store, or if its cause was reported within a minute.
    public func report(_ error: any Error, now: ContinuousClock.Instant = .now) -> Report? {
        guard let error = error as? StoreError, error.isOfFile else { return nil }
        return causes.withLock { causes in
            if causes.count >= Self.most, causes[error] == nil { causes = [:] }
            var cause = causes[error] ?? Cause(quietUntil: now)
            cause.requests += 1
            guard now >= cause.quietUntil else {
                causes[error] = cause
                return nil
            }
            causes[error] = Cause(quietUntil: now + Self.interval)
            return Report(detail: error.detail, hint: error.hint, requests: cause.requests)
        }
    }
}
