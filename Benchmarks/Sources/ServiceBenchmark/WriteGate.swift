import OfferStore
import Rounds
import SQLiteStore
import Synchronization

/// A database whose writers wait at a gate until it opens, and then go in so many at a time.
final class WriteGate: StoreDatabase {
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var free = 0
        var expected: (count: Int, continuation: CheckedContinuation<Void, Never>)?
        var latencies = Rounds()
        var opened = ContinuousClock.now
        var ended = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) {
        self.database = database
    }

    /// Returns once so many writers wait.
    func untilWaiting(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.waiting.count >= count { return true }
                state.expected = (count, continuation)
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Lets the first ones in; each that is done lets in the next.
    func open(places: Int) {
        let first = state.withLock { state in
            state.opened = .now
            let first = Array(state.waiting.prefix(places))
            state.waiting.removeFirst(first.count)
            state.free = places - first.count
            return first
        }
        for continuation in first { continuation.resume() }
    }

    /// How long each write took, and all of them together.
    func times() -> (latencies: Rounds, whole: Duration) {
        state.withLock { ($0.latencies, $0.ended - $0.opened) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await database.readInline(body)
    }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        await turn()
        let began = ContinuousClock.now
        defer { leave(began) }
        return try await database.write(expecting: expectation, body)
    }

    private func turn() async {
        await withCheckedContinuation { continuation in
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if state.free > 0 {
                    state.free -= 1
                    return continuation
                }
                state.waiting.append(continuation)
                guard let expected = state.expected, state.waiting.count >= expected.count else { return nil }
                state.expected = nil
                return expected.continuation
            }
            next?.resume()
        }
    }

    private func leave(_ began: ContinuousClock.Instant) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.ended = .now
            state.latencies.add(state.ended - began)
            if state.waiting.isEmpty { state.free += 1 }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}
