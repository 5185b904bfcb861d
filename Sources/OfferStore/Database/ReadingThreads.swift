public import Dispatch
import Synchronization

/// Runs tasks on threads that may wait for the disk or the network, so that they keep none of those that all other tasks share.
public final class ReadingThreads: TaskExecutor {
    private struct State {
        var idle: [DispatchQueue]
        var waiting: [UnownedJob] = []
    }

    private let state: Mutex<State>

    /// - Parameter queues: as many tasks run at once. Serial ones: Dispatch gives such a queue a thread beyond those of
    ///   Swift's own tasks, and a concurrent one it does not.
    public init(_ queues: [DispatchQueue]) {
        state = Mutex(State(idle: queues))
    }

    public func enqueue(_ job: consuming ExecutorJob) {
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
