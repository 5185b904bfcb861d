import OfferModel
import OfferStore
import Synchronization

/// Whether requests can be answered now, the recording of what is signed included.
public struct Readiness: Sendable {
    /// Less room on the disk than this, in bytes, is as good as none: a single request may need some of it.
    public static let leastFreeSpace: Int64 = 256 * 1_024

    private let database: WatchedDatabase
    private let clock: RequestClock
    private let trial: WriteTrial
    private let registry: AppRegistry
    private let freeSpace: @Sendable () -> Int64?
    private let drained = Drained()

    /// - Parameters:
    ///   - uptime: what the age of a successful commit is measured by.
    ///   - patience: how long a commit may take.
    init(
        database: WatchedDatabase, registry: AppRegistry, clock: RequestClock,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, patience: Duration = .seconds(8),
        freeSpace: @escaping @Sendable () -> Int64?
    ) {
        self.registry = registry
        self.database = database
        self.clock = clock
        self.freeSpace = freeSpace
        trial = WriteTrial(database: database, clock: clock, uptime: uptime, patience: patience)
    }

    /// Lets the check fail from now on, so that no new traffic is sent to a server that is about to stop.
    ///
    /// - Returns: false if it does already.
    public func drain() -> Bool { !drained.value.exchange(true, ordering: .relaxed) }

    /// Looks at the latest self-test of the signing keys, reads the clock, looks for room on the disk, and commits
    /// something durably.
    ///
    /// - Throws: ``RequestError``, naming no file of the machine: the check is public.
    public func check() async throws {
        guard !drained.value.load(ordering: .relaxed) else {
            throw RequestError.notReady(
                detail: "the server is draining: it answers what still comes, and stops soon",
                hint: "send new requests to another server")
        }
        do {
            if let damage = database.damage { throw damage }
            try registry.requireWorkingKeys()
            _ = try await database.readInline { try clock.instant($0) }
            if let free = freeSpace(), free < Self.leastFreeSpace {
                throw RequestError.notReady(
                    detail: "the disk that holds the database is nearly full: \(free / 1_024) KiB are left",
                    hint: "free space on it; nothing needs a restart")
            }
            try await trial.check()
        } catch let error as StoreError {
            throw RequestError.notReady(detail: error.publicDetail, hint: "`offerd doctor` says more")
        }
    }

    /// The clock beside what was recorded and signed.
    public func readClock() async throws -> ClockReading {
        let marks = try await database.readOnce { try StoreClock($0).marks() }
        return ClockReading(now: clock.wallClock(), marks: marks)
    }
}

/// Whether a server is draining; shared by the copies of ``Readiness``.
private final class Drained: Sendable {
    let value = Atomic(false)
}

/// The database, with a memory for what its failures have shown.
final class WatchedDatabase: StoreDatabase {
    private struct State {
        var failures = 0
        var damage: StoreError?
    }

    private let base: any StoreDatabase
    private let state = Mutex(State())

    init(_ base: any StoreDatabase) {
        self.base = base
    }

    /// Set once a part of the file was found damaged: what is read elsewhere may be wrong too.
    var damage: StoreError? { state.withLock { $0.damage } }

    var failures: Int { state.withLock { $0.failures } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await noting { try await base.read(body) }
    }

    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await noting { try await base.readInline(body) }
    }

    func readOnce<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await noting { try await base.readOnce(body) }
    }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await noting { try await base.write(expecting: expectation, body) }
    }

    private func noting<T>(_ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch let error as StoreError {
            state.withLock { state in
                if error.isOfFile { state.failures += 1 }
                if case .damaged = error { state.damage = error }
            }
            throw error
        }
    }
}

/// Finds out whether a commit is possible, by making one.
///
/// The check is public, and each commit costs a flush of the disk: concurrent checks share one, and a success is reused
/// for a second unless the database has failed meanwhile. A failure is never reused. A commit that does not end, as where
/// PostgreSQL waits for a standby that is gone, is no reason to wait longer than for any other.
actor WriteTrial {
    private static let life = Duration.seconds(1)

    private let database: WatchedDatabase
    private let clock: RequestClock
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let patience: Duration
    private var success: (at: ContinuousClock.Instant, failures: Int)?
    private var isRunning = false
    private var isLate = false
    private var waiting: [CheckedContinuation<Void, any Error>] = []

    init(
        database: WatchedDatabase, clock: RequestClock, uptime: @escaping @Sendable () -> ContinuousClock.Instant,
        patience: Duration
    ) {
        self.database = database
        self.clock = clock
        self.uptime = uptime
        self.patience = patience
    }

    func check() async throws {
        if !isRunning, let success, success.failures == database.failures, uptime() - success.at < Self.life { return }
        guard !isLate else { throw late }
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(continuation)
            if !isRunning { begin() }
        }
    }

    private func begin() {
        isRunning = true
        let limit = Task {
            try await Task.sleep(for: patience)
            // The commit may have ended as the time did.
            try Task.checkCancellation()
            isLate = true
            answer(.failure(late))
        }
        Task {
            do {
                try await database.write { [clock] in try StoreClock($0).tryWriting(at: clock.wallClock()) }
                success = (uptime(), database.failures)
                answer(.success(()))
            } catch {
                answer(.failure(error))
            }
            limit.cancel()
            (isRunning, isLate) = (false, false)
        }
    }

    private func answer(_ result: Result<Void, any Error>) {
        for continuation in waiting { continuation.resume(with: result) }
        waiting = []
    }

    private var late: RequestError {
        .notReady(
            detail: "a commit was begun more than \(patience.components.seconds) seconds ago and has not ended",
            hint: "`offerd doctor` says more: the disk may be very slow, or a synchronous standby gone")
    }
}
