import Synchronization

/// Gives each call its turn, so that together they keep to Apple's limits. One for all clients of an app and
/// environment.
public final class CallPace: Sendable {
    private let limits: AppleRateLimits
    private let nextTurns = Mutex<[CallClass: Int64]>([:])

    /// A pace that keeps to these limits; after a pause one second's calls may be made at once.
    public init(_ limits: AppleRateLimits) {
        self.limits = limits
    }

    /// How long the next call of this class must wait, in milliseconds; the turn is taken unless that is longer than
    /// `most`.
    func takeTurn(_ calls: CallClass, at now: Int64, waitingAtMost most: Int64) -> Int64 {
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
