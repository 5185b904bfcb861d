import Synchronization

/// Turns that come one after the other, an interval apart, in the order in which they are waited for.
package final class SpacedTurns: Sendable {
    private let interval: Duration
    private let next = Mutex(ContinuousClock.now)

    package init(interval: Duration) {
        self.interval = interval
    }

    /// Waits for a turn, at most the longest wait.
    ///
    /// - Parameter longest: by default shorter than connections wait for an answer.
    /// - Returns: false, after that wait, if the turn would have come later.
    @discardableResult
    package func turn(within longest: Duration = .seconds(5)) async -> Bool {
        let now = ContinuousClock.now
        let (turn, isInTime) = next.withLock { next in
            let turn = max(next, now)
            guard turn <= now + longest else { return (now + longest, false) }
            next = turn + interval
            return (turn, true)
        }
        // A task that is cancelled needs no turn.
        if turn > now { try? await Task.sleep(until: turn, clock: .continuous) }
        return isInTime
    }
}
