import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

/// Requests that share a commit, about customers that have identifiers, aliases, merges and offers in common. On
/// PostgreSQL each answer that was asked ahead is asked again, and a difference fails every later write.
@Suite("Requests that share a commit")
struct SharedCommitTests {
    private let bench: Workbench

    init() async throws { bench = try await Workbench(onFile: true) }

    /// Runs bodies so that their writes, one of each, wait together for one commit, in this order.
    private func together(
        _ bodies: [@Sendable () async throws -> Void], over other: (any DatabaseDriver)? = nil
    ) async throws {
        let (gate, database) = (Gate(), other ?? bench.database)
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, body) in bodies.enumerated() {
                group.addTask { try await body() }
                while database.waitingWrites <= number { await Task.yield() }
            }
            gate.open()
            try await group.waitForAll()
        }
        try await held
        try await bench.checkLedger()
    }

    private func deliver(_ delivery: SignedDelivery, _ aliases: CustomerIdentifiers = CustomerIdentifiers())
        async throws
    {
        _ = try await bench.useCases.ingestion.ingest(delivery, aliases: aliases, caller: Workbench.client)
    }

    private func customers() async throws -> Int {
        try await bench.count("customer WHERE merged_into IS NULL")
    }

    @Test("the transactions of one new customer that come at once make one customer")
    func oneNewCustomer() async throws {
        let pieces = try bench.shop.delivery(.lapsed, "100").pieces
        let other = try bench.shop.delivery(.subscriber, "200").pieces
        try await together((pieces + other).map { piece in { try await deliver(piece) } })
        #expect(try await customers() == 2)
        let report = try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        #expect(report.results.allSatisfy { $0.outcome == .unchanged })
        try bench.database.close()
    }

    @Test("a use by another account is seen by the owner's request of the same commit (invariant 2)")
    func useOfAnother() async throws {
        let foreign = ForeignUse(bench: bench)
        try await bench.deliver(try foreign.account())
        _ = try await bench.granted(try foreign.order())
        bench.clock.advance(hours: 1)
        let use = SignedDelivery(signedTransactions: [try foreign.use(at: bench.clock.now)])
        var order = try foreign.order(fresh: true)
        order.delivery = SignedDelivery()
        let answers = Mutex<[IssueAnswer]>([])
        try await together([
            { try await deliver(use) },
            { [order] in
                let answer = try await bench.useCases.issuing.issue(order, caller: Workbench.client)
                answers.withLock { $0.append(answer) }
            },
        ])
        #expect(answers.withLock { $0 }.map { $0.refusal?.decision.obstacles.contains(.limitCustomer) } == [true])
        #expect(try await foreign.states("100") == [.redeemed])
        try bench.database.close()
    }

    @Test("a transaction that proves two customers to be one is seen by what is kept with it")
    func merge() async throws {
        let (first, second) = (try bench.shop.delivery(.lapsed, "100"), try bench.shop.delivery(.subscriber, "200"))
        for delivery in [first, second] {
            try await bench.deliver(
                SignedDelivery(
                    signedTransactions: delivery.signedTransactions.map { jws in
                        try bench.shop.edited(jws) { $0["appTransactionId"] = nil }
                    }))
        }
        #expect(try await customers() == 2)
        // The same Apple Account bought both, as the newer copies say.
        let linking = try [first, second].map { delivery in
            SignedDelivery(signedTransactions: [
                try bench.shop.edited(delivery.signedTransactions[0]) { payload in
                    payload["appTransactionId"] = "app-100"
                    payload["signedDate"] = Workbench.start.milliseconds
                }
            ])
        }
        let more = try bench.shop.edited(second.signedTransactions[0]) { payload in
            payload["appTransactionId"] = nil
            payload["transactionId"] = "201"
        }
        try await together([
            { try await deliver(linking[0]) }, { try await deliver(linking[1]) },
            { try await deliver(SignedDelivery(signedTransactions: [more])) },
            {
                _ = try await bench.useCases.issuing.issue(
                    IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
            },
        ])
        #expect(try await customers() == 1)
        let merged = try await bench.deliver(linking[1])
        #expect(merged.customers.map(\.originalTransactionIds) == [["100", "200"]])
        try bench.database.close()
    }

    @Test("an alias that two requests state at once belongs to both customers, and each is kept once")
    func alias() async throws {
        for number in [100, 200] { try await bench.deliver(try bench.shop.delivery(.lapsed, "\(number)")) }
        try await together(
            [100, 200, 100].map { number in
                {
                    var identifiers = named("\(number)")
                    identifiers.customerId = "anna"
                    try await deliver(SignedDelivery(historyComplete: true), identifiers)
                }
            })
        #expect(try await bench.count("customer_alias") == 2)
        try bench.database.close()
    }

    /// An issue request of a customer under a key.
    private func issue(
        _ number: Int, key: String, body: UInt8, by caller: Caller, over useCases: UseCases
    ) async throws -> WrittenAnswer {
        try await useCases.issuing.issue(
            IssueRequest(offerId: "comeback", customer: named("\(number)")), caller: caller,
            as: IdempotentRequest(key: key, route: "POST /v1/issued-offers", body: [body]),
            write: { answer in
                WrittenAnswer(status: 201, contentType: "application/json", body: Array("\(answer.artefacts)".utf8))
            })
    }

    private func caller() async throws -> Caller {
        let token = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client).text
        return try #require(try await bench.useCases.apiKeys.caller(forToken: token))
    }

    @Test("equal requests under one Idempotency-Key that share a commit are answered once")
    func oneKey() async throws {
        for number in [100, 200] { try await bench.deliver(try bench.shop.delivery(.lapsed, "\(number)")) }
        let caller = try await caller()
        let bodies = Mutex<[[UInt8]]>([])
        try await together(
            (0..<4).map { _ in
                {
                    let answer = try await issue(100, key: "one", body: 1, by: caller, over: bench.useCases)
                    bodies.withLock { $0.append(answer.body) }
                }
            })
        #expect(Set(bodies.withLock { $0 }).count == 1)
        #expect(try await bench.count("issued_offer") == 1)
        #expect(try await bench.count("kept_answer") == 1)
        try bench.database.close()
    }

    @Test("a request that fails on what was asked ahead fails alone", .onPostgres("SQLite asks nothing ahead"))
    func failsAlone() async throws {
        for number in 100..<104 { try await bench.deliver(try bench.shop.delivery(.lapsed, "\(number)")) }
        let caller = try await caller()
        let database = try TestStore(of: bench.directory).open(checksPrefetched: false)
        let useCases = bench.useCases(over: database)
        let conflicts = Mutex(0)
        try await together(
            (100..<104).map { number in
                {
                    do {
                        // Two have one key and different bodies.
                        _ = try await issue(
                            number, key: "\(max(number, 101))", body: UInt8(number), by: caller, over: useCases)
                    } catch RequestError.idempotencyConflict {
                        conflicts.withLock { $0 += 1 }
                    }
                }
            }, over: database)
        #expect(conflicts.withLock { $0 } == 1)
        #expect(try await bench.count("issued_offer") == 3)
        try database.close()
        try bench.database.close()
    }
}
