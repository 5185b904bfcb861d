import Dispatch
import OfferStore
import OfferTestSupport

/// A caller with a thread of its own, which may be kept from looking at the answer.
actor Absent {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "absent")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private nonisolated let executor = Executor()
    private let (askings, asking) = AsyncStream<Void>.makeStream()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func write(_ key: StoredAPIKey, to database: KeptDatabase) async throws {
        asking.yield()
        try await database.write { try APIKeyStore($0).insert(key) }
    }

    /// Waits until the write waits in the queue, which is when the caller's thread is free again.
    nonisolated func hasAsked() async {
        for await _ in askings { break }
        await withCheckedContinuation { continuation in executor.queue.async { continuation.resume() } }
    }

    /// Holds the caller's thread until the gate opens.
    nonisolated func leave(_ gate: Gate) {
        executor.queue.async { gate.hold() }
    }
}
