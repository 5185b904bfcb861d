import Dispatch
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Commits of a quiet server", .timeLimit(.minutes(1)))
struct QuietCommitTests {
    /// Runs tasks on one thread, which runs nothing else.
    private final class OwnThread: TaskExecutor {
        private let jobs = Mutex([UnownedJob?]())
        private let wanted = DispatchSemaphore(value: 0)

        init() {
            Thread.detachNewThread { [self] in
                while true {
                    wanted.wait()
                    guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }

        func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

        func end() { add(nil) }

        private func add(_ job: UnownedJob?) {
            jobs.withLock { $0.append(job) }
            wanted.signal()
        }
    }

    private let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }
    private let thread = OwnThread()

    init() throws {
        directory = try TemporaryDirectory()
        try SQLiteDatabase.migrate(path: directory.path("offers.sqlite"))
    }

    /// Does something on the suite's thread.
    private func there<T: Sendable>(_ body: @concurrent @Sendable () async throws -> T) async rethrows -> T {
        try await withTaskExecutorPreference(thread, operation: body)
    }

    /// Whether a body of a write runs on the thread of its caller.
    private func runsHere(_ database: SQLiteDatabase, lasting duration: Duration = .zero) async throws -> Bool {
        try await there {
            let caller = pthread_self()
            return try await database.write { _ in
                let end = ContinuousClock.now + duration
                while ContinuousClock.now < end {}
                return pthread_equal(pthread_self(), caller) != 0
            }
        }
    }

    @Test("a commit runs on its caller's thread while the server is quiet, and on the writer's otherwise")
    func threads() async throws {
        let quiet = Mutex(false)
        let database = try SQLiteDatabase(path: path, isQuiet: { quiet.withLock { $0 } })
        #expect(try await !runsHere(database))
        quiet.withLock { $0 = true }
        // A commit that took long, which a busy machine can cause, sends the next one to the writer's thread.
        var found = false
        for _ in 0..<100 where !found { found = try await runsHere(database) }
        #expect(found)
        quiet.withLock { $0 = false }
        #expect(try await !runsHere(database))
        try database.close()
        thread.end()
    }

    @Test("after a commit that took long, the next one runs on the writer's thread")
    func slow() async throws {
        let database = try SQLiteDatabase(path: path, isQuiet: { true })
        _ = try await runsHere(database, lasting: .milliseconds(5))
        #expect(try await !runsHere(database))
        try database.close()
        thread.end()
    }

    @Test("a caller's thread does not wait for another process that writes")
    func otherWriter() async throws {
        let database = try SQLiteDatabase(path: path, isQuiet: { true })
        let other = try Connection(path: path, .readWrite)
        try other.execute(.beginWriting)
        let isWritten = Mutex(false)
        let write = Task(executorPreference: thread) {
            try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 7)) }
            isWritten.withLock { $0 = true }
        }
        // Runs after the write began and before it can be done.
        for _ in 0..<3 { await there { #expect(!isWritten.withLock { $0 }) } }
        try other.execute(.rollback)
        try await write.value
        #expect(try await database.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 7))
        try other.close()
        try database.close()
        thread.end()
    }

    @Test("writes of a quiet server and of one that no longer is are all kept, in the order of arrival")
    func changing() async throws {
        let number = Atomic(0)
        // Quiet and not, in turn.
        let database = try SQLiteDatabase(
            path: path, limits: .init(batch: 3),
            isQuiet: { number.wrappingAdd(1, ordering: .relaxed).oldValue.isMultiple(of: 2) })
        let order = Mutex([Int]())
        let writes = (0..<200).map { number in
            Task.immediate { @Sendable in
                try await database.write { _ in order.withLock { $0.append(number) } }
            }
        }
        for write in writes { try await write.value }
        #expect(order.withLock { $0 } == Array(0..<200))
        try database.close()
        await #expect(throws: StoreError.unavailable("the database is closed")) {
            try await database.write { _ in }
        }
        thread.end()
    }
}
