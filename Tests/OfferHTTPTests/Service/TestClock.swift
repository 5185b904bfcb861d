import OfferModel
import Synchronization

/// A wall clock that tests set.
final class TestClock: Sendable {
    private let time: Mutex<Instant>

    init(_ start: Instant) {
        time = Mutex(start)
    }

    var now: Instant { time.withLock { $0 } }

    func advance(milliseconds: Int64) {
        time.withLock { $0 = $0.adding(milliseconds: milliseconds) }
    }
}
