import AppStoreServer
import OfferModel
import Synchronization

/// A clock that moves only when somebody waits, at once, and remembers each wait.
final class TestTime: CallTime {
    /// 2026-11-01T00:00:00Z.
    static let start = Instant(milliseconds: 1_793_491_200_000)

    private let waited = Mutex<[Int64]>([])

    /// The waits so far, in milliseconds.
    var waits: [Int64] { waited.withLock { $0 } }

    var elapsedMilliseconds: Int64 { waits.reduce(0, +) }

    var now: Instant { Self.start.adding(milliseconds: elapsedMilliseconds) }

    func sleep(milliseconds: Int64) async throws {
        try Task.checkCancellation()
        waited.withLock { $0.append(milliseconds) }
    }
}

/// A clock on which a wait lasts until it is cancelled, and says that it has begun.
final class EndlessTime: CallTime {
    let began = AsyncStream<Void>.makeStream()

    var now: Instant { TestTime.start }
    var elapsedMilliseconds: Int64 { 0 }

    func sleep(milliseconds: Int64) async throws {
        began.continuation.yield()
        try await Task.sleep(for: .seconds(3_600))
    }
}
