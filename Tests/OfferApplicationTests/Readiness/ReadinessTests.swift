import OfferAPI
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
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

    @Test("a commit that does not end makes it red in time, and green once it has ended")
    func endless() async throws {
        let bench = try await Workbench(onFile: true)
        let gate = Gate()
        let isHeld = Mutex(true)
        let database = WatchedDatabase(
            InterposedDatabase(real: bench.database, insideWrite: { if isHeld.withLock({ $0 }) { gate.hold() } }))
        let readiness = Readiness(
            database: database, registry: bench.registry,
            clock: RequestClock(wallClock: { [clock = bench.clock] in clock.now }),
            patience: .milliseconds(100), freeSpace: { nil })
        // If the answer waits for the commit after all, that ends, and the answer is another one.
        let end = Task {
            try await Task.sleep(for: .seconds(20))
            gate.open()
        }
        for _ in 0..<2 {
            let reason = try await Self.reason { try await readiness.check() }
            #expect(reason == "a commit was begun more than 0 seconds ago and has not ended")
        }
        end.cancel()
        isHeld.withLock { $0 = false }
        gate.open()
        while try await Self.reason({ try await readiness.check() }) != nil { await Task.yield() }
        try bench.database.close()
    }

    @Test("a commit that succeeded is believed for a second, unless the database has failed since")
    func believed() async throws {
        let bench = try await Workbench()
        let writes = Counter()
        let isFull = Mutex(false)
        let uptime = Mutex(ContinuousClock.now)
        let database = WatchedDatabase(
            InterposedDatabase(
                real: bench.database,
                insideWrite: {
                    writes.next()
                    if isFull.withLock({ $0 }) { throw StoreError.full("") }
                }))
        let readiness = Readiness(
            database: database, registry: bench.registry,
            clock: RequestClock(wallClock: { [clock = bench.clock] in clock.now }),
            uptime: { uptime.withLock { $0 } }, freeSpace: { nil })
        try await readiness.check()
        uptime.withLock { $0 += .milliseconds(999) }
        try await readiness.check()
        #expect(writes.total == 1, "the second check believes the first one's commit")
        uptime.withLock { $0 += .milliseconds(1) }
        try await readiness.check()
        #expect(writes.total == 2, "a commit a second ago is too old")
        isFull.withLock { $0 = true }
        await #expect(throws: StoreError.full("")) { try await database.write { _ in } }
        isFull.withLock { $0 = false }
        try await readiness.check()
        #expect(writes.total == 4, "after a write that failed the check commits again")
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
            database: WatchedDatabase(bench.database), registry: bench.registry,
            clock: RequestClock(wallClock: { [clock = bench.clock] in clock.now }),
            freeSpace: { free.withLock { $0 } })
        #expect(try await Self.reason { try await readiness.check() }?.contains("255 KiB") == true)
        free.withLock { $0 = Readiness.leastFreeSpace }
        try await readiness.check()
    }

    @Test("a key that fails its self-test signs nothing until it passes; what is signed already is handed out")
    func brokenKey() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let key = BreakableKey(real: bench.key)
        let app = try bench.registry.app(for: Workbench.scope)
        bench.registry.replace(with: [
            RegisteredApp(
                bundleId: app.bundleId, appAppleId: app.appAppleId, issuerId: app.issuerId,
                signingKeys: [.localTesting: key], verifier: app.verifier)
        ])
        var order = IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(originalTransactionId: "100"))
        let first = try await bench.granted(order)

        key.isBroken.withLock { $0 = true }
        #expect(bench.registry.testKeys() == [Workbench.scope])
        let red = try await Self.reason { try await bench.useCases.readiness.check() }
        #expect(red == "a signing key fails its self-test")
        #expect(try await bench.granted(order).offer == first.offer)
        order.fresh = true
        #expect(try await Self.reason { _ = try await bench.granted(order) } == red)
        #expect(try await bench.count("signing") == 0)

        key.isBroken.withLock { $0 = false }
        #expect(try await Self.reason { _ = try await bench.granted(order) } == red, "no test has passed yet")
        #expect(bench.registry.testKeys().isEmpty)
        try await bench.useCases.readiness.check()
        #expect(try await bench.granted(order).isNew)
    }

    @Test("a key that fails to sign is tested at once: without it nothing is signed, and the server is not ready")
    func failingKey() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let key = BreakableKey(real: bench.key)
        let app = try bench.registry.app(for: Workbench.scope)
        bench.registry.replace(with: [
            RegisteredApp(
                bundleId: app.bundleId, appAppleId: app.appAppleId, issuerId: app.issuerId,
                signingKeys: [.localTesting: key], verifier: app.verifier)
        ])
        let order = IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(originalTransactionId: "100"))
        key.failures.withLock { $0 = 1 }
        await #expect(throws: BreakableKey.Failed.self) { _ = try await bench.granted(order) }
        try await bench.useCases.readiness.check()

        key.failures.withLock { $0 = 100 }
        #expect(try await Self.reason { _ = try await bench.granted(order) } == "a signing key fails its self-test")
        #expect(
            try await Self.reason { try await bench.useCases.readiness.check() } == "a signing key fails its self-test")
        key.failures.withLock { $0 = 0 }
        #expect(bench.registry.testKeys().isEmpty)
        #expect(try await bench.granted(order).isNew)
    }
}

/// A key whose signatures can be made worthless, or fail.
private final class BreakableKey: SigningKey {
    let real: OpenSSLSigningKey
    let isBroken = Mutex(false)
    /// How many of the next signatures fail.
    let failures = Mutex(0)

    struct Failed: Error {}

    init(real: OpenSSLSigningKey) {
        self.real = real
    }

    var keyId: KeyId { real.keyId }
    var works: Bool {
        let message = Array("test".utf8)
        return (try? derSignature(of: message)).map { real.publicKey.isValid(derSignature: $0, of: message) } ?? false
    }

    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        real.isValid(derSignature: derSignature, of: message)
    }

    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        real.isValid(rawSignature: rawSignature, of: message)
    }

    func derSignature(of message: [UInt8]) throws -> [UInt8] {
        try fail()
        return try real.derSignature(of: isBroken.withLock { $0 } ? message + [0] : message)
    }

    func rawSignature(of message: [UInt8]) throws -> [UInt8] {
        try fail()
        return try real.rawSignature(of: isBroken.withLock { $0 } ? message + [0] : message)
    }

    private func fail() throws {
        let isFailing = failures.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if isFailing { throw Failed() }
    }
}
