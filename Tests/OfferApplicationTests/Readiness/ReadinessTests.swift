import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@testable import OfferApplication

@Suite("Readiness")
struct ReadinessTests {
    private static func reason(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch RequestError.notReady(let detail, _) {
            return detail
        }
    }

    @Test(
        "a failing commit makes it red in words without a file's name, and the next good one green",
        arguments: [
            (StoreError.full("/secret/path"), "is full"), (.readOnly("/secret/path"), "cannot be written"),
            (.busy("/secret/path"), "held by another program"), (.unavailable("/secret/path"), "cannot be used"),
        ] as [(StoreError, String)])
    func failures(_ error: StoreError, words: String) async throws {
        let bench = try await Workbench()
        let failure = Mutex<StoreError?>(error)
        let readiness = bench.useCases(
            over: InterposedDatabase(
                real: bench.database, insideWrite: { if let error = failure.withLock({ $0 }) { throw error } })
        ).readiness
        let reason = try await Self.reason { try await readiness.check() }
        #expect(reason?.contains(words) == true && reason?.contains("secret") == false, "\(reason ?? "green")")
        failure.withLock { $0 = nil }
        try await readiness.check()
    }

    @Test("a commit that succeeded is believed for a second, unless the database has failed since")
    func believed() async throws {
        let bench = try await Workbench()
        let commits = Counter()
        let isFull = Mutex(false)
        let useCases = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                insideWrite: {
                    commits.next()
                    if isFull.withLock({ $0 }) { throw StoreError.full("") }
                }))
        try await useCases.readiness.check()
        try await useCases.readiness.check()
        isFull.withLock { $0 = true }
        await #expect(throws: StoreError.full("")) {
            try await useCases.switches.set(nil, paused: true, caller: Workbench.marketing)
        }
        isFull.withLock { $0 = false }
        try await useCases.readiness.check()
        #expect(commits.next() == 4, "one for two looks, one that failed, one to look again")
    }

    @Test("damage that a request met keeps it red, though what it reads itself is whole")
    func damage() async throws {
        let bench = try await Workbench()
        let isBroken = Mutex(true)
        let useCases = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                insideWrite: { if isBroken.withLock({ $0 }) { throw StoreError.damaged("page 5") } }))
        await #expect(throws: StoreError.self) {
            try await useCases.switches.set(nil, paused: true, caller: Workbench.marketing)
        }
        isBroken.withLock { $0 = false }
        #expect(try await Self.reason { try await useCases.readiness.check() } == "the database is damaged")
    }

    @Test("too little room on the disk is red before a commit fails")
    func space() async throws {
        let bench = try await Workbench()
        let free = Mutex<Int64>(Readiness.leastFreeSpace - 1)
        let readiness = Readiness(
            database: WatchedDatabase(bench.database),
            clock: RequestClock(wallClock: { [clock = bench.clock] in clock.now }),
            freeSpace: { free.withLock { $0 } })
        #expect(try await Self.reason { try await readiness.check() }?.contains("255 KiB") == true)
        free.withLock { $0 = Readiness.leastFreeSpace }
        try await readiness.check()
    }
}
