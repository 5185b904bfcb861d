import Synchronization

/// Spaces out what is done for clients that may be anyone and send too much, so that one that asks again and again
/// without waiting waits all the same, and the server does something else meanwhile.
final class RefusalPace: Sendable {
    private let interval: Duration
    private let longest: Duration
    private let next = Mutex(ContinuousClock.now)

    /// - Parameters:
    ///   - interval: the time from one turn to the next: a lone client hardly notices five milliseconds, a crowd gets 200
    ///     turns a second.
    ///   - longest: the longest wait for a turn; connections give up later (``HTTPTimeouts``).
    init(interval: Duration = .milliseconds(5), longest: Duration = .seconds(5)) {
        self.interval = interval
        self.longest = longest
    }

    /// Waits for a turn, at most the longest wait.
    ///
    /// - Returns: false, after that wait, if the turn would have come later.
    @discardableResult
    func turn() async -> Bool {
        let now = ContinuousClock.now
        let (turn, isInTime) = next.withLock { next in
            guard next <= now + longest else { return (now + longest, false) }
            let turn = max(next, now)
            next = turn + interval
            return (turn, true)
        }
        // A request that is cancelled needs no turn.
        if turn > now { try? await Task.sleep(until: turn, clock: .continuous) }
        return isInTime
    }
}
