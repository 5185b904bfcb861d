import Dispatch
import OfferStore
import Synchronization

/// Reading connections, each used by one thread at a time.
///
/// A body runs where its caller runs. There are never more connections in use than threads, so none waits for one.
final class Readers: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isClosed = false
    }

    /// How many stay open; what more were needed at once are closed again.
    private static let kept = 8

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    func read<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.reading(body)
    }

    /// Closes what is idle; a look that has begun closes its connection when it is done.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    /// The one used last has the most of the file in its memory.
    private func take() throws -> Connection {
        let known = try state.withLock { state in
            if state.isClosed { throw StoreError.unavailable("the database is closed") }
            return state.idle.popLast()
        }
        return try known ?? Connection(path: path, .readOnly)
    }

    private func giveBack(_ connection: Connection) {
        // A snapshot that could not be ended would be seen by every later look.
        guard !connection.isInTransaction else { return }
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.kept { state.idle.append(connection) }
        }
    }
}

/// Runs tasks on threads that may wait for the disk, so that they keep none of those that all other tasks share.
final class ReadingThreads: TaskExecutor {
    private struct State {
        var idle: [DispatchQueue]
        var waiting: [UnownedJob] = []
    }

    private let state: Mutex<State>

    /// - Parameter queues: as many tasks run at once. Serial ones: Dispatch gives such a queue a thread beyond those of
    ///   Swift's own tasks, and a concurrent one it does not.
    init(_ queues: [DispatchQueue]) {
        state = Mutex(State(idle: queues))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let idle = state.withLock { state in
            if state.idle.isEmpty { state.waiting.append(job) }
            return state.idle.popLast()
        }
        if let queue = idle { queue.async { self.run(job, on: queue) } }
    }

    private func run(_ first: UnownedJob, on queue: DispatchQueue) {
        var next: UnownedJob? = first
        while let job = next {
            job.runSynchronously(on: asUnownedTaskExecutor())
            next = state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.idle.append(queue)
                return nil
            }
        }
    }
}
