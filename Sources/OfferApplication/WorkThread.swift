import Dispatch

/// A thread for tasks whose steps may take milliseconds, the longest waiting first.
///
/// Swift runs all other tasks in turn on as many threads as there are cores, where such a step would keep every request
/// waiting that is quick to answer. From a thread of its own it competes for processor time only, which the system
/// divides fairly.
package final class WorkThread: TaskExecutor {
    /// Dispatch gives a serial queue a thread besides those of Swift's own tasks.
    private let queue: DispatchQueue

    /// - Parameter label: the name that a debugger shows.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
