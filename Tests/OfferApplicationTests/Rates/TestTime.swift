import Synchronization

/// A monotonic clock that tests set.
final class TestTime: Sendable {
    private let time = Mutex<Int64>(0)

    /// Nanoseconds.
    var now: Int64 { time.withLock { $0 } }

    func advance(seconds: Int64 = 0, milliseconds: Int64 = 0) {
        time.withLock { $0 += seconds * 1_000_000_000 + milliseconds * 1_000_000 }
    }
}
