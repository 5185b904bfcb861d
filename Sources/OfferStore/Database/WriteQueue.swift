public import Dispatch
import OfferModel
import Synchronization

/// The connection of a driver that writes; one thread at a time uses it.
public protocol WriterConnection: StoreTransaction {
    /// The cache of the running transaction.
    var memory: TransactionCache? { get set }
    var isInTransaction: Bool { get }

    /// Begins a transaction in which no other process writes.
    ///
    /// - Parameters:
    ///   - bodies: those that will run; a driver may ask their questions with the beginning.
    ///   - joining: takes the bodies that have arrived since, which run too; a driver may call it while another process
    ///     writes.
    /// - Throws: ``StoreError/busy(_:)`` if another process writes until the deadline.
    func beginWriting(
        until deadline: ContinuousClock.Instant, expecting bodies: [ExpectedBody], joining: () -> [ExpectedBody]
    ) throws

    /// Tells that a body begins.
    ///
    /// - Parameter number: which of those of the beginning it is, if the answers to its questions still hold; absent if
    ///   a body before may have changed them.
    func begin(_ body: ExpectedBody, knowing number: Int?) throws

    /// Whether a driver makes use of what is expected of a body.
    var asksAhead: Bool { get }

    /// Whether a commit failed by a statement that was run as late as then, and not by itself.
    func isOfStatement(_ error: StoreError) -> Bool

    /// Forgets statements of a failed body that were not run yet.
    func dropDeferred()

    func commit() throws
    func rollback() throws
    /// Runs a body on a snapshot, and lets it write nothing.
    func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T
}

extension WriterConnection {
    public func isOfStatement(_ error: StoreError) -> Bool { false }
    public var asksAhead: Bool { false }
    public func begin(_ body: ExpectedBody, knowing number: Int?) throws {}
    public func dropDeferred() {}
}

/// How many writes may wait and share a commit, and how long one waits for another process.
public struct WriteLimits: Sendable {
    /// The maximum number of waiting writes; the next is ``StoreError/busy(_:)``.
    public var waiting: Int
    public var batch: Int
    public var patience: Duration

    /// 4,096 waiting writes, 256 in a commit, 5 seconds of patience, unless given otherwise.
    public init(waiting: Int = 4_096, batch: Int = 256, patience: Duration = .seconds(5)) {
        self.waiting = waiting
        self.batch = batch
        self.patience = patience
    }
}

/// Group commit: bodies that wait together share one durable transaction (docs/design.md#issuing,
/// docs/design.md#storage).
///
/// A batch never waits to fill: the queued bodies are committed, and those that arrive meanwhile form the next. To a batch
/// that waits for another process to finish its commit, a driver may add those that arrive.
public final class WriteQueue: Sendable {
    struct Job: Sendable {
        let ticket: Ticket
        let expected: ExpectedBody
        /// Runs the body, perhaps a second time after the first was undone; the answer gives its result to the caller.
        let run: @Sendable (any StoreTransaction) throws -> Release
        let fail: @Sendable (any Error) -> Void
    }

    /// Lets a caller go on with the result. It only makes the caller's task ready to run elsewhere, so that a slow
    /// caller keeps no other waiting.
    typealias Release = @Sendable () -> Void

    /// Identifies a queued body, so that it can be cancelled. Its flag is touched under the queue's lock alone, so that
    /// a cancellation comes before the body waits, while it waits, or after it has begun, and never in between.
    final class Ticket: Sendable {
        fileprivate let isGivenUp = Mutex(false)
    }

    private struct State {
        var waiting: [Job] = []
        /// Those that found the disk full and were given room since: each is run alone, so that nothing else takes the
        /// room.
        var again: [Job] = []
        var isDraining = false
        var isClosed = false
        /// What the last commit took: on a slow disk callers do not wait for it.
        var lastCommit = Duration.zero

        var isEmpty: Bool { waiting.isEmpty && again.isEmpty }

        mutating func take(atMost most: Int) -> [Job] {
            var jobs = [Job]()
            if waiting.count <= most {
                swap(&jobs, &waiting)
            } else {
                jobs.append(contentsOf: waiting.prefix(most))
                waiting.removeFirst(jobs.count)
            }
            return jobs
        }
    }

    /// A commit that takes longer runs on the writer's thread.
    private static let quickCommit = Duration.milliseconds(2)

    private let state = Mutex(State())
    /// The writer's: whatever uses the connection runs here.
    public let queue = DispatchQueue(label: "offers.write")
    private let connection: any WriterConnection & Sendable
    private let limits: WriteLimits
    private let check: @Sendable () throws -> Void
    private let giveRoom: @Sendable () -> Bool
    private let isQuiet: @Sendable () -> Bool
    private let onCommit: @Sendable (Int, Duration) -> Void

    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Parameters:
    ///   - check: throws if what is committed would not be where the next process looks for it; asked before each
    ///     commit and once it is durable.
    ///   - giveRoom: makes room on a full disk for a write that may use it (``KeptRoom``); false if there is none left to
    ///     give.
    ///   - isQuiet: whether a commit may run on the thread of its caller.
    ///   - onCommit: called after each commit, successful or not, with the number of its bodies and its duration.
    public init(
        connection: any WriterConnection & Sendable, limits: WriteLimits,
        check: @escaping @Sendable () throws -> Void = {}, giveRoom: @escaping @Sendable () -> Bool = { false },
        isQuiet: @escaping @Sendable () -> Bool, onCommit: @escaping @Sendable (Int, Duration) -> Void
    ) {
        self.connection = connection
        self.limits = limits
        self.check = check
        self.giveRoom = giveRoom
        self.isQuiet = isQuiet
        self.onCommit = onCommit
    }

    /// - Parameter expectation: for a connection that makes use of it.
    public func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker? = nil,
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let ticket = Ticket()
        let expected = connection.asksAhead ? ExpectedBody(expectation?()) : .unknown
        let usesKeptRoom = KeptRoom.isOpen
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                @Sendable func job() -> Job {
                    Job(
                        ticket: ticket, expected: expected,
                        run: { transaction in
                            let value = try body(transaction)
                            return { continuation.resume(returning: value) }
                        },
                        fail: { error in
                            guard usesKeptRoom, case .full = error as? StoreError, self.giveRoom() else {
                                return continuation.resume(throwing: error)
                            }
                            self.state.withLock { $0.again.append(job()) }
                        })
                }
                add(job())
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Refuses further bodies, runs those that wait, and then a last body.
    public func close(_ last: () throws -> Void) rethrows {
        state.withLock { $0.isClosed = true }
        try sync {
            drain()
            try last()
        }
    }

    /// Runs a body between two batches, and waits for it.
    public func sync<T>(_ body: () throws -> T) rethrows -> T { try queue.sync(execute: body) }

    private func add(_ job: Job) {
        var runsHere = false
        let refusal: (any Error)? = state.withLock { state in
            if job.ticket.isGivenUp.withLock({ $0 }) { return CancellationError() }
            if state.isClosed { return StoreError.unavailable("the database is closed") }
            if state.waiting.count >= limits.waiting {
                return StoreError.busy("\(state.waiting.count) writes are already queued")
            }
            state.waiting.append(job)
            if !state.isDraining {
                state.isDraining = true
                runsHere = state.lastCommit < Self.quickCommit && isQuiet()
                // Under the lock, so that closing can only come before or after it.
                if !runsHere { queue.async { self.drain() } }
            }
            return nil
        }
        if let refusal { job.fail(refusal) }
        if runsHere { queue.sync { drainOnce() } }
    }

    /// Commits what waits on the thread of the caller, who would only wait for another; leaves to the writer's thread
    /// what came meanwhile, and everything if another process is writing.
    private func drainOnce() {
        let jobs = next()
        if !jobs.isEmpty, !commit(jobs, waits: false) {
            state.withLock { $0.waiting.insert(contentsOf: jobs, at: 0) }
        }
        goOn()
    }

    /// Leaves to the writer's thread what came while the connection was used on another thread.
    private func goOn() {
        let isMore = state.withLock { state in
            state.isDraining = !state.isEmpty
            return state.isDraining
        }
        if isMore { queue.async { self.drain() } }
    }

    /// Runs a quick look on the connection of the commits, while the server is quiet and nothing is written: what that
    /// connection has read of the file still holds after its own commits, and any other reads it again after each.
    ///
    /// - Returns: `nil`, and nothing was run, if another connection has to look.
    public func readQuietly<T>(_ body: (any StoreTransaction) throws -> T) throws -> T? {
        let isFree = state.withLock { state in
            guard !state.isDraining, isQuiet() else { return false }
            state.isDraining = true
            return true
        }
        guard isFree else { return nil }
        defer { goOn() }
        return try sync {
            // What a batch could not undo must not be seen, and this connection waits for no other process.
            guard !connection.isInTransaction else { return nil }
            do {
                let value = try connection.reading(body)
                try check()
                return value
            } catch StoreError.busy {
                return nil
            }
        }
    }

    /// A body that has not begun is taken out; one that has is left to finish.
    private func cancel(_ ticket: Ticket) {
        let job: Job? = state.withLock { state in
            ticket.isGivenUp.withLock { $0 = true }
            guard let index = state.waiting.firstIndex(where: { $0.ticket === ticket }) else { return nil }
            return state.waiting.remove(at: index)
        }
        job?.fail(CancellationError())
    }

    private func drain() {
        while true {
            let jobs = next()
            if jobs.isEmpty { return }
            _ = commit(jobs, waits: true)
        }
    }

    /// The next batch; empty if nothing waits, and then the writer rests.
    private func next() -> [Job] {
        state.withLock { state in
            if !state.again.isEmpty { return [state.again.removeFirst()] }
            let jobs = state.take(atMost: limits.batch)
            if jobs.isEmpty { state.isDraining = false }
            return jobs
        }
    }

    /// - Returns: false if another process is writing and the batch does not wait; then nothing was done.
    private func commit(_ jobs: [Job], waits: Bool) -> Bool {
        let start = ContinuousClock.now
        let batch = WriteBatch(connection: connection, check: check, patience: limits.patience)
        let bodies = batch.commit(jobs, waits: waits) { count in
            state.withLock { $0.take(atMost: limits.batch - count) }
        }
        guard let bodies else { return false }
        let duration = ContinuousClock.now - start
        state.withLock { $0.lastCommit = duration }
        onCommit(bodies, duration)
        return true
    }
}

/// The room on the disk that a driver keeps for writes that stop something: on a full disk it gives it up to them, and to
/// no other write.
///
/// Bound to the task, so that what wraps a database hands it on without knowing of it.
public enum KeptRoom {
    /// Whether the writes of this task may use it.
    @TaskLocal public static var isOpen = false
}
