public import OfferModel
import Synchronization

/// A wall clock that tests set, also backwards.
public final class TestClock: Sendable {
    private let time: Mutex<Instant>

    public init(_ start: Instant) {
        time = Mutex(start)
    }

    public var now: Instant { time.withLock { $0 } }

    public func advance(hours: Int64 = 0, milliseconds: Int64 = 0) {
        time.withLock { $0 = $0.adding(milliseconds: hours * Instant.Duration.hour + milliseconds) }
    }

    /// Reads the clock and moves it on by a millisecond, so that no two readings are equal.
    public func tick() -> Instant {
        time.withLock { time in
            time = time.adding(milliseconds: 1)
            return time
        }
    }
}
