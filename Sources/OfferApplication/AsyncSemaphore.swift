import Synchronization

/// Bounds concurrency. Waiters queue first-in, first-out up to a limit; beyond it, calls fail with
/// ``RequestError/busy``.
///
/// For work that holds a thread and a reader for long, while requests that decide and issue must always find another.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let state: Mutex<State>
    private let waitingAtMost: Int

    package init(_ count: Int, waiting: Int) {
        state = Mutex(State(free: count))
        waitingAtMost = waiting
    }

    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Throws: `busy` where too many wait already, `CancellationError` for a call that is cancelled while waiting,
    ///   and what the work throws.
    package func run<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await take()
        defer { give() }
        return try await work()
    }

    private func take() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let answer = enter(number, continuation) { continuation.resume(with: answer) }
            }
        } onCancel: {
            leave(number)?.resume(throwing: CancellationError())
        }
    }

    /// - Returns: what to resume with at once; `nil` for a call that waits.
    private func enter(
        _ number: Int, _ continuation: CheckedContinuation<Void, any Error>
    ) -> Result<Void, any Error>? {
        state.withLock { state in
            if state.cancelled.contains(number) { return .failure(CancellationError()) }
            if state.free > 0 {
                state.free -= 1
                return .success(())
            }
            guard state.waiting.count < waitingAtMost else { return .failure(RequestError.busy) }
            state.waiting.append((number, continuation))
            return nil
        }
    }

    /// A task that is cancelled before it waits is remembered by number.
    private func leave(_ number: Int) -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiting.remove(at: place).continuation
        }
    }

    /// Hands the turn to the longest waiter.
    private func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
