import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@Suite("Group commit", .timeLimit(.minutes(5)))
struct GroupCommitTests {
    private struct Refused: Error {}

    /// The first to begin is first.
    private final class Order: Sendable {
        let numbers = Mutex([Int]())
    }

    private static func key(_ id: String) -> StoredAPIKey {
        StoredAPIKey(
            id: id, scope: Scope(bundleId: "com.example.pro", environment: .sandbox), role: .client,
            secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Bench.now)
    }

    @Test("of 500 waiting writers those that throw or are cancelled harm no neighbour", arguments: Driver.allCases)
    func fiveHundredWriters(driver: Driver) async throws {
        let database = try await Bench(driver).database
        let succeeded = await withTaskGroup(of: String?.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let id = "key-\(number)"
                    let write = Task {
                        try await database.write { transaction in
                            try APIKeyStore(transaction).insert(Self.key(id))
                            if number % 5 == 0 { throw Refused() }
                        }
                    }
                    if number % 7 == 0 { write.cancel() }
                    return await (try? write.value) == nil ? nil : id
                }
            }
            return await group.reduce(into: Set<String>()) { all, id in
                if let id { all.insert(id) }
            }
        }
        let stored = try await database.read { Set(try APIKeyStore($0).keys().map(\.id)) }
        #expect(stored == succeeded)
        let untouched = (0..<500).filter { $0 % 5 != 0 && $0 % 7 != 0 }.map { "key-\($0)" }
        #expect(stored.isSuperset(of: untouched))
        #expect(!stored.contains { $0.hasSuffix("5") || $0.hasSuffix("0") })
    }

    @Test("a writer cancelled while it waits never begins", arguments: Driver.allCases)
    func cancelledWhileWaiting(driver: Driver) async throws {
        let database = try await Bench(driver, limits: .init(waiting: 1)).database
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<2 {
                group.addTask {
                    do {
                        try await database.write { try APIKeyStore($0).insert(Self.key("cancelled-\(number)")) }
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            // One is refused once the other waits: that one is now cancelled, while the writer is still held.
            let refused = await group.next() ?? nil
            #expect(refused as? StoreError == .busy("1 writes are already queued"))
            group.cancelAll()
            let cancelled = await group.next() ?? nil
            #expect(cancelled is CancellationError)
        }
        async let neighbour: Void = database.write { try APIKeyStore($0).insert(Self.key("neighbour")) }
        gate.open()
        try await held
        try await neighbour
        #expect(try await database.read { try APIKeyStore($0).keys().map(\.id) } == ["neighbour"])
    }

    @Test("more than may wait are told that the store is busy", arguments: Driver.allCases)
    func boundedQueue(driver: Driver) async throws {
        let database = try await Bench(driver, limits: .init(waiting: 3)).database
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<10 {
                group.addTask {
                    do {
                        try await database.write { try APIKeyStore($0).insert(Self.key("key-\(number)")) }
                        return true
                    } catch {
                        #expect(error as? StoreError == .busy("3 writes are already queued"))
                        return false
                    }
                }
            }
            for _ in 0..<7 { #expect(await group.next() == false) }
            gate.open()
            for _ in 0..<3 { #expect(await group.next() == true) }
        }
        try await held
        #expect(try await database.read { try APIKeyStore($0).keys().count } == 3)
    }

    @Test("writers run in the order of arrival", arguments: Driver.allCases)
    func order(driver: Driver) async throws {
        // Batches of three, so that the order must hold within a commit and between two.
        let database = try await Bench(driver, limits: .init(batch: 3)).database
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        let seen = Order()
        // Each runs here until it waits in the queue, before the next one is made.
        let writes = (0..<20).map { number in
            Task.immediate { @Sendable in
                try await database.write { _ in seen.numbers.withLock { $0.append(number) } }
            }
        }
        gate.open()
        try await held
        for write in writes { try await write.value }
        #expect(seen.numbers.withLock { $0 } == Array(0..<20))
    }

    @Test(
        "bodies of one commit run once; where one throws, those that ran are undone and run once more",
        arguments: Driver.allCases)
    func runAgain(driver: Driver) async throws {
        let database = try await Bench(driver).database
        for failing in [nil, 2] {
            let before = try await Self.auditSequences(in: database)
            let runs = Order()
            let gate = Gate()
            async let held: Void = database.write { _ in gate.hold() }
            await gate.entered()
            let writes = (0..<4).map { number in
                Task.immediate { @Sendable in
                    try await database.write { transaction in
                        runs.numbers.withLock { $0.append(number) }
                        try APIKeyStore(transaction).insert(Self.key("key-\(number)-\(failing ?? -1)"))
                        if number == failing { throw Refused() }
                    }
                }
            }
            gate.open()
            try await held
            var kept = [Int]()
            for (number, write) in writes.enumerated() {
                do {
                    try await write.value
                    kept.append(number)
                } catch {
                    #expect(error is Refused)
                }
            }
            #expect(runs.numbers.withLock { $0 } == (failing == nil ? [0, 1, 2, 3] : [0, 1, 2, 0, 1, 2, 3]))
            #expect(kept == (failing == nil ? [0, 1, 2, 3] : [0, 1, 3]))
            // What the first run told the audit, and what it remembered of its head, is gone.
            let after = try await Self.auditSequences(in: database)
            let first = try #require(after.first)
            #expect(after == Array(first..<first + Int64(after.count)))
            #expect(after.count - before.count == kept.count)
        }
        let stored = try await database.read { Set(try APIKeyStore($0).keys().map(\.id)) }
        #expect(stored == ["key-0--1", "key-1--1", "key-2--1", "key-3--1", "key-0-2", "key-1-2", "key-3-2"])
    }

    private static func auditSequences(in database: KeptDatabase) async throws -> [Int64] {
        try await database.read { transaction in
            try transaction.rows(Statement("SELECT sequence FROM audit_event ORDER BY sequence"))
                .map { try $0.value(0) }
        }
    }

    @Test("a failed body that cannot be undone alone leaves nothing of its batch", arguments: Driver.allCases)
    func lostSavepoint(driver: Driver) async throws {
        let database = try await Bench(driver).database
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        let write = { @Sendable (id: String, isBroken: Bool) -> (any Error)? in
            do {
                try await database.write { transaction in
                    try APIKeyStore(transaction).insert(Self.key(id))
                    guard isBroken else { return }
                    // Without its savepoint the body cannot be undone, and the transaction stays open.
                    _ = try transaction.changes(by: Statement("RELEASE SAVEPOINT job"))
                    throw Refused()
                }
                return nil
            } catch {
                return error
            }
        }
        let writes = (0..<3).map { number in Task.immediate { await write("key-\(number)", number == 1) } }
        gate.open()
        try await held
        let lost = StoreError.unavailable(
            "a write of the same commit failed and could not be undone alone, so nothing of it was kept")
        #expect(await writes[0].value as? StoreError == lost)
        #expect(await writes[1].value is Refused)
        #expect(await writes[2].value as? StoreError == lost)
        #expect(try await database.read { try APIKeyStore($0).keys().map(\.id) } == [])
        #expect(await write("after", false) == nil)
    }

    @Test(
        "a commit that fails fails every writer of its batch",
        .onSQLite("the driver of PostgreSQL runs statements late, and tries each body alone then"),
        arguments: Driver.allCases)
    func failedCommit(driver: Driver) async throws {
        let database = try await Bench(driver, limits: .init(waiting: 2)).database
        let gate = Gate()
        let begun = Mutex(0)
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        let write = { @Sendable (id: String) -> StoreError? in
            do {
                try await database.write { transaction in
                    if begun.withLock({
                        $0 += 1; return $0
                    }) == 1 {
                        try Self.breakCommit(transaction)
                    }
                    try APIKeyStore(transaction).insert(Self.key(id))
                }
                return nil
            } catch {
                return error as? StoreError
            }
        }
        await withTaskGroup(of: StoreError?.self) { group in
            for number in 0..<3 { group.addTask { await write("key-\(number)") } }
            // The third is refused once the other two wait, so these two share the next commit.
            #expect(await group.next() == .busy("2 writes are already queued"))
            gate.open()
            for _ in 0..<2 { #expect(await group.next() == .constraint("a foreign key")) }
        }
        try await held
        #expect(try await database.read { try APIKeyStore($0).keys().count } == 0)
        #expect(await write("after") == nil)
    }

    @Test("the effect of a body that was lost in the same commit is not reported", arguments: Driver.allCases)
    func failureOverLostRow(driver: Driver) async throws {
        let database = try await Bench(driver).database
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        let lost = Task.immediate { @Sendable () -> (any Error)? in
            do {
                try await database.write { transaction in
                    try APIKeyStore(transaction).insert(Self.key("never"))
                    try Self.breakCommit(transaction)
                }
                return nil
            } catch {
                return error
            }
        }
        let reader = Task.immediate { @Sendable () -> (any Error)? in
            do {
                try await database.write { transaction in
                    guard try APIKeyStore(transaction).key("never") == nil else { throw Refused() }
                }
                return nil
            } catch {
                return error
            }
        }
        gate.open()
        try await held
        #expect(await lost.value as? StoreError == .constraint("a foreign key"))
        #expect(await reader.value as? StoreError == .constraint("a foreign key"))
    }

    @Test("whoever does not come for an answer keeps nobody waiting", arguments: Driver.allCases)
    func slowCaller(driver: Driver) async throws {
        let database = try await Bench(driver).database
        let (first, gate) = (Gate(), Gate())
        async let held: Void = database.write { _ in first.hold() }
        await first.entered()
        let absent = Absent()
        let late = Task { try await absent.write(Self.key("late"), to: database) }
        await absent.hasAsked()
        absent.leave(gate)
        await gate.entered()
        async let neighbour: Void = database.write { try APIKeyStore($0).insert(Self.key("neighbour")) }
        first.open()
        try await held
        try await neighbour
        try await database.write { try APIKeyStore($0).insert(Self.key("next")) }
        #expect(try await database.read { try APIKeyStore($0).keys().count } == 3)
        gate.open()
        try await late.value
    }

    @Test("a reader is answered while the writer is held, here and in another process's stead")
    func readersDoNotWait() async throws {
        let bench = try await Bench(.file)
        let other = try bench.reopened()
        let gate = Gate()
        async let held: Void = bench.database.write { transaction in
            try APIKeyStore(transaction).insert(Self.key("unseen"))
            gate.hold()
        }
        await gate.entered()
        // The gate opens only after both have been answered, from what is committed.
        #expect(try await bench.database.read { try APIKeyStore($0).key("unseen") } == nil)
        #expect(try await other.read { try APIKeyStore($0).key("unseen") } == nil)
        gate.open()
        try await held
        #expect(try await other.read { try APIKeyStore($0).key("unseen") } != nil)
        try other.close()
    }

    /// Leaves a broken foreign key that is looked for at the commit only.
    private static func breakCommit(_ transaction: any StoreTransaction) throws {
        for sql in TestStore.breaking(atCommit: true) { try transaction.execute(Statement(sql, values: [])) }
        try transaction.execute(
            Statement(
                """
                INSERT INTO customer (scope_id, rollout_key, first_stored_at, version) VALUES (999, 'x', 0, 0)
                """))
    }

    @Test("a write that has returned is seen by every later read", arguments: Driver.allCases)
    func readYourWrites(driver: Driver) async throws {
        let database = try await Bench(driver).database
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await database.write { try APIKeyStore($0).insert(Self.key("key-\(number)")) }
                    return try await database.read { try APIKeyStore($0).key("key-\(number)") } != nil
                }
            }
            for try await isSeen in group { #expect(isSeen) }
        }
    }

    @Test("text with a NUL is refused instead of cut", arguments: Driver.allCases)
    func nul(driver: Driver) async throws {
        let database = try await Bench(driver).database
        await #expect(throws: StoreError.constraint("text without U+0000")) {
            try await database.write { try APIKeyStore($0).insert(Self.key("a\0b")) }
        }
    }

    @Test("a closed database refuses", arguments: Driver.allCases)
    func closed(driver: Driver) async throws {
        let database = try await Bench(driver).database
        try database.close()
        await #expect(throws: StoreError.unavailable("the database is closed")) {
            try await database.write { try APIKeyStore($0).insert(Self.key("late")) }
        }
        await #expect(throws: StoreError.unavailable("the database is closed")) {
            try await database.read { try APIKeyStore($0).key("late") }
        }
    }
}
