import NIOCore

/// Runs tasks on one event loop, between its looks at its sockets.
///
/// A request that stays there is never handed from one thread to another: not when its bytes come, not when its answer
/// goes (decision 0035).
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
