import NIOCore
import Synchronization

/// How many requests a server is answering, and whether they come one at a time.
public final class RequestsInProgress: Sendable {
    /// After this many requests in a row that began with no other in progress, the server is quiet. One request that
    /// begins beside another ends that: requests in step would otherwise look alone for an instant.
    private static let requestsAlone = 32

    private let number = Atomic(0)
    private let alone = Atomic(0)
    private let quiet = Atomic(false)

    public init() {}

    public var count: Int { number.load(ordering: .relaxed) }

    /// Whether a step of the only request may run where it is, because no other could use the time that handing it to
    /// another thread takes.
    public var areQuiet: Bool { quiet.load(ordering: .relaxed) }

    func began() {
        if number.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
            alone.store(0, ordering: .relaxed)
            quiet.store(false, ordering: .relaxed)
        } else if !areQuiet, alone.wrappingAdd(1, ordering: .relaxed).newValue > Self.requestsAlone {
            quiet.store(true, ordering: .relaxed)
        }
    }

    func ended() { number.wrappingSubtract(1, ordering: .relaxed) }
}

/// Runs a connection's task on its event loop while the server is quiet, and on Swift's threads otherwise.
final class ConnectionExecutor: TaskExecutor {
    private let loop: any EventLoop
    private let requests: RequestsInProgress

    init(_ loop: any EventLoop, _ requests: RequestsInProgress) {
        self.loop = loop
        self.requests = requests
    }

    func enqueue(_ job: consuming ExecutorJob) {
        guard requests.areQuiet else { return globalConcurrentExecutor.enqueue(job) }
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
