import Synchronization

/// Spaces out answers to those who may be anyone and send too much, so that one who asks again and again without
/// waiting waits all the same, and the server does something else meanwhile.
final class RefusalPace: Sendable {
    /// The time from one answer to the next: a lone caller hardly notices it, a crowd gets 200 a second.
    private static let interval = Duration.milliseconds(5)
    /// The longest that an answer waits; connections give up later (``HTTPTimeouts``).
    private static let longest = Duration.seconds(5)

    private let next = Mutex(ContinuousClock.now)

    /// Waits for the turn of an answer.
    func turn() async {
        let now = ContinuousClock.now
        let turn = next.withLock { next in
            let turn = max(next, now)
            next = min(turn + Self.interval, now + Self.longest)
            return turn
        }
        // A request that is cancelled needs no turn.
        if turn > now { try? await Task.sleep(until: turn, clock: .continuous) }
    }
}
