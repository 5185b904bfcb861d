import Dispatch
import OfferStore
import Synchronization

/// A share of the machine for work that takes long: a bounded number at once, on threads of its own. What finds no
/// free thread waits first-in, first-out up to a limit; beyond it, calls fail with ``RequestError/busy``.
package final class LongWork: Sendable {
    private let turns: AsyncSemaphore
    private let idle: Mutex<[WorkThread]>

    /// - Parameters:
    ///   - name: of the threads, as a debugger shows them.
    ///   - atOnce: how many run at once, each on a thread.
    ///   - waiting: how many more may wait.
    package init(_ name: String, atOnce: Int, waiting: Int) {
        turns = AsyncSemaphore(atOnce, waiting: waiting)
        idle = Mutex((0..<atOnce).map { WorkThread(label: "offerd.\(name).\($0)") })
    }

    package var waiting: Int { turns.waiting }

    /// Does something in a turn and on a thread of this share; work of the same share in it would wait for itself.
    ///
    /// - Throws: `busy` where too many wait already, `CancellationError` for a call that is cancelled while waiting,
    ///   and what the work throws.
    package func run<Result: Sendable>(
        _ work: @concurrent @Sendable () async throws -> Result
    ) async throws -> Result {
        try await turns.run {
            // There are as many threads as turns.
            let thread = idle.withLock { $0.removeLast() }
            defer { idle.withLock { $0.append(thread) } }
            return try await withTaskExecutorPreference(thread) { @concurrent in try await work() }
        }
    }

    /// Reads a snapshot in a turn.
    func read<Result: Sendable>(
        _ database: any StoreDatabase, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await run { try await database.read(body) }
    }
}

/// The share of each kind of work that callers may start and that may take long.
///
/// A supposition with a catalog waits for a turn of the catalogs, which wait for no other share.
package struct LongWorkShares: Sendable {
    /// Catalogs that are read, checked and compared.
    package let catalogs = LongWork("catalogs", atOnce: 1, waiting: 30)
    /// Dry-runs that suppose something: a history or a catalog may have two megabytes, and a past instant has all
    /// issued offers read.
    package let suppositions = LongWork("suppositions", atOnce: 2, waiting: 30)
    /// Signature checks: a wrong signature takes up to half a second.
    package let signatures = LongWork("signatures", atOnce: 1, waiting: 30)
    /// Customers' stories, replays, lists and exports, which read a whole history or decide again.
    package let stories = LongWork("stories", atOnce: 2, waiting: 60)
    /// Reports, each of which reads all customers of a range: seconds, so none waits for another.
    package let reports = LongWork("reports", atOnce: 1, waiting: 0)
    /// Counts of all customers: a minute for a million.
    package let audiences = LongWork("audiences", atOnce: 1, waiting: Simulations.mostWaiting)
}

/// A thread for tasks whose steps may take milliseconds, the longest waiting first.
///
/// Swift runs all other tasks in turn on as many threads as there are cores, where such a step would keep every request
/// waiting that is quick to answer. From a thread of its own it competes for processor time only, which the system
/// divides fairly.
package final class WorkThread: TaskExecutor {
    /// Dispatch gives a serial queue a thread besides those of Swift's own tasks.
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
