import Dispatch
import OfferAPI
import OfferModel
import Synchronization

/// A simulation that this server counts or is going to.
final class SimulationJob: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var done = 0
        var of = 0
        var isCancelled = false
        var isCounted = false
        var isStopped = false
    }

    let apiKeyId: String
    let offerId: OfferId
    private let state = Mutex(State())

    init(_ offer: OfferId, by caller: Caller) {
        (apiKeyId, offerId) = (caller.apiKeyId, offer)
    }

    var progress: (done: Int, of: Int) { state.withLock { ($0.done, $0.of) } }
    var isStopped: Bool { state.withLock { $0.isStopped } }
    /// Whether its key waits for it. What is cancelled or counted may take a moment to end.
    var isWanted: Bool { state.withLock { !$0.isCancelled && !$0.isCounted } }

    func begin(_ task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    /// Ends the count at its next page.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        // One that waits for its turn need not wait for its end.
        task?.cancel()
    }

    /// The same because the server stops.
    func stop() {
        state.withLock { $0.isStopped = true }
        cancel()
    }

    /// Notes that only its result has still to be written.
    func noteCounted() {
        state.withLock { $0.isCounted = true }
    }

    func end() async {
        await state.withLock { $0.task }?.value
    }

    /// - Throws: `CancellationError`.
    func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    /// Notes how far it is.
    ///
    /// - Throws: `CancellationError`.
    func note(_ done: Int, of total: Int) throws {
        try check()
        state.withLock { ($0.done, $0.of) = (done, total) }
    }

    /// Leaves the processor to others for a moment. While requests are answered, a count so takes half a processor at
    /// most.
    static func pause() {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
    }
}

extension AudiencePrivacy {
    /// How far a count is; of an app with few customers not how many there are.
    func progress(_ done: Int, of total: Int, isDone: Bool) -> SimulationProgress {
        SimulationProgress {
            guard mayTell(total) else {
                // As of one that waits for its turn, so that nothing tells none from a few.
                ($0.done, $0.of) = isDone ? (Self.fewest, Self.fewest) : (0, 0)
                return
            }
            ($0.done, $0.of) = (count(done).number, count(total).number)
        }
    }
}
