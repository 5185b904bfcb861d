import Dispatch
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Commits of a quiet server", .timeLimit(.minutes(5)))
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
        // However late a busy machine runs the rest of the test.
        let patient = WriteLimits(patience: .seconds(60))
        let database = try SQLiteDatabase(path: path, limits: .init(writes: patient), isQuiet: { true })
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

    @Test(
        "a quick look of a quiet server is on the writer's connection and sees its last commit; any other is not",
        .timeLimit(.minutes(5)))
    func looks() async throws {
        let quiet = Mutex(false)
        let database = try SQLiteDatabase(path: path, isQuiet: { quiet.withLock { $0 } })
        let writer = try await database.write { ObjectIdentifier($0) }
        #expect(try await database.readInline { ObjectIdentifier($0) } != writer)
        quiet.withLock { $0 = true }
        for number in 1...3 {
            let instant = Instant(milliseconds: Int64(number))
            try await database.write { try StoreClock($0).advance(to: instant) }
            // After a commit that took long, the writer's thread may not have finished yet.
            var connection: ObjectIdentifier?
            while connection != writer {
                let (looked, seen) = try await database.readInline {
                    (ObjectIdentifier($0), try StoreClock($0).lastInstant())
                }
                #expect(seen == instant)
                connection = looked
            }
            #expect(connection == writer)
        }
        #expect(try await database.read { ObjectIdentifier($0) } != writer)
        try database.close()
        await #expect(throws: StoreError.unavailable("the database is closed")) {
            try await database.readInline { _ in }
        }
        thread.end()
    }

    @Test("a look at a quiet server's database can write nothing, and the next write can")
    func looksOnly() async throws {
        let database = try SQLiteDatabase(path: path, isQuiet: { true })
        await #expect {
            try await database.readInline { try $0.execute(Statement("UPDATE store_state SET tried_at = 5")) }
        } throws: { error in
            guard case .readOnly? = error as? StoreError else { return false }
            return true
        }
        let tried = Statement("SELECT tried_at FROM store_state")
        #expect(try await database.readInline { try $0.row(tried)?.values } == [.null])
        try await database.write { try StoreClock($0).tryWriting(at: Instant(milliseconds: 6)) }
        #expect(try await database.readInline { try $0.row(tried)?.values } == [.integer(6)])
        try database.close()
        thread.end()
    }

    @Test("what is written while a quiet server looks is committed after it")
    func writtenMeanwhile() async throws {
        let database = try SQLiteDatabase(path: path, isQuiet: { true })
        let write = try await database.readInline { _ in
            Task.immediate { try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 7)) } }
        }
        try await write.value
        #expect(try await database.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 7))
        try database.close()
        thread.end()
    }

    @Test("a write that came during a look of a quiet server is kept, also when the database is closed meanwhile")
    func closedMeanwhile() async throws {
        let database = try SQLiteDatabase(
            path: path, limits: .init(writes: .init(waiting: 1)), isQuiet: { true })
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let look = Task(executorPreference: thread) {
            try await database.readInline { _ in
                begun.signal()
                goOn.wait()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        let write = Task.immediate {
            try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 7)) }
        }
        #expect(database.waitingWrites == 1)
        let closing = Task.detached {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try database.close() }) }
            }
        }
        // One more would have to wait, until the database is closed for new ones.
        var refusal: StoreError?
        while refusal != .unavailable("the database is closed") {
            refusal = await #expect(throws: StoreError.self) { try await database.write { _ in } }
        }
        goOn.signal()
        try await look.value
        try await write.value
        try await closing.value
        let next = try SQLiteDatabase(path: path)
        #expect(try await next.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 7))
        try next.close()
        thread.end()
    }

    @Test("a look does not wait for a write that is under way")
    func looksBesideWrite() async throws {
        let database = try SQLiteDatabase(path: path, isQuiet: { true })
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let write = Task(executorPreference: thread) {
            try await database.write { transaction in
                begun.signal()
                goOn.wait()
                return ObjectIdentifier(transaction)
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        let looked = try await database.readInline { ObjectIdentifier($0) }
        goOn.signal()
        #expect(try await write.value != looked)
        try database.close()
        thread.end()
    }

    @Test("writes of a quiet server and of one that no longer is are all kept, in the order of arrival")
    func changing() async throws {
        let number = Atomic(0)
        // Quiet and not, in turn.
        let database = try SQLiteDatabase(
            path: path, limits: .init(writes: .init(batch: 3)),
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
