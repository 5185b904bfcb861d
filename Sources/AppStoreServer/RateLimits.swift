public import OfferModel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The calls that share one of Apple's limits.
public enum CallClass: Sendable, Hashable, CaseIterable {
    case transactionHistory
    case appTransactionInfo
    case subscriptionStatuses
    case notificationHistory
    case orderLookup
}

/// How many calls a second are made, for each class of them.
///
/// Apple counts by app and environment and over an hour, so an even pace below its figures is never refused for its
/// own calls. Source: Apple, "Identifying rate limits".
public struct AppleRateLimits: Sendable, Hashable {
    private let thousandthsPerSecond: [CallClass: Int64]

    /// Apple's figures: 50 a second for what reads history, 10 for orders; a tenth of it in the sandbox.
    /// The limit of Get App Transaction Info is not known and taken as the lowest for a look-up.
    public static func apple(_ environment: AppStoreEnvironment) -> AppleRateLimits {
        let production: [CallClass: Int64] = [
            .transactionHistory: 50, .appTransactionInfo: 10, .subscriptionStatuses: 50, .notificationHistory: 50,
            .orderLookup: 10,
        ]
        let share: Int64 = environment == .production ? 1_000 : 100
        return AppleRateLimits(thousandthsPerSecond: production.mapValues { $0 * share })
    }

    /// The part of these limits that one of several users of them takes, such as a backfill beside support.
    public func share(percent: Int) -> AppleRateLimits {
        let percent = Int64(min(max(percent, 1), 100))
        return AppleRateLimits(thousandthsPerSecond: thousandthsPerSecond.mapValues { max($0 * percent / 100, 1) })
    }

    func intervalMilliseconds(_ calls: CallClass) -> Int64 {
        guard let thousandths = thousandthsPerSecond[calls] else { return 0 }
        return (1_000_000 + thousandths - 1) / thousandths
    }
}

/// Spaces calls so that together they keep to Apple's limits. One for all clients of an app and environment.
public final class RateLimiter: Sendable {
    private let limits: AppleRateLimits
    private let nextTurns = Mutex<[CallClass: Int64]>([:])

    /// After a pause, one second's calls may be made at once.
    public init(_ limits: AppleRateLimits) {
        self.limits = limits
    }

    /// How long the next call of this class must wait, in milliseconds; the turn is taken unless that is longer than
    /// `most`.
    func reserve(_ calls: CallClass, at now: Int64, waitingAtMost most: Int64) -> Int64 {
        let interval = limits.intervalMilliseconds(calls)
        return nextTurns.withLock { turns in
            let burst = max(Self.burstMilliseconds - interval, 0)
            let turn = max(turns[calls] ?? .min, now - burst)
            let wait = max(turn - now, 0)
            if wait <= most { turns[calls] = turn + interval }
            return wait
        }
    }

    private static let burstMilliseconds: Int64 = 1_000
}

/// The time a client lives in, so that tests need not wait.
public protocol CallTime: Sendable {
    /// The wall clock: what tokens are dated by and what Apple's `Retry-After` counts on.
    var now: Instant { get }
    /// Milliseconds of a clock that is never set: what deadlines are measured by.
    var elapsedMilliseconds: Int64 { get }
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(milliseconds: Int64) async throws
}

public struct SystemCallTime: CallTime {
    private let start = ContinuousClock.now

    public init() {}

    public var now: Instant { Instant(milliseconds: Int64(saturating: Date().timeIntervalSince1970 * 1_000)) }

    public var elapsedMilliseconds: Int64 {
        let passed = (ContinuousClock.now - start).components
        return passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }

    public func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
