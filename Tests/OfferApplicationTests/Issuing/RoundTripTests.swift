import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite("Round trips to PostgreSQL", .onPostgres("SQLite has none"))
struct RoundTripTests {
    /// How many round trips were made: while reading, and while the lock was held.
    private struct Trips: Equatable {
        var reading: Int
        var writing: Int
    }

    private let bench: Workbench
    private let database: PostgresDatabase
    private let useCases: UseCases

    init() async throws {
        bench = try await Workbench(
            onFile: true, catalog: TestCatalog.head + TestCatalog.comeback() + TestCatalog.shared("{ count: 100 }"))
        for number in 100..<140 { try await bench.deliver(try bench.shop.delivery(.lapsed, "\(number)")) }
        database = try #require(
            try TestStore(of: bench.directory).open(checksPrefetched: false) as? PostgresDatabase)
        useCases = bench.useCases(over: database)
        // Statements are prepared, and the catalog is read.
        for number in 100..<104 {
            try await issue(number)
            try await issue(number, "drop")
        }
    }

    private func issue(_ number: Int, _ offer: OfferId = "comeback", withData: Bool = true) async throws {
        var order = IssueRequest(offerId: offer, customer: named("\(number)"))
        if withData { order.delivery = try bench.shop.delivery(.lapsed, "\(number)") }
        let answer = try await useCases.issuing.issue(order, caller: Workbench.client)
        #expect(answer.issued?.isNew == true)
    }

    private func trips(_ body: () async throws -> Void) async throws -> Trips {
        let (reading, writing) = (database.roundTrips.reading, database.roundTrips.writing)
        try await body()
        return Trips(
            reading: database.roundTrips.reading - reading, writing: database.roundTrips.writing - writing)
    }

    @Test(
        "an issue with a known signed transaction takes at most five, besides that of its API key; two under the lock")
    func alone() async throws {
        let trips = try await trips { try await issue(110) }
        #expect(trips.writing == 2 && trips.reading <= 3, "\(trips)")
        let bare = try await self.trips { try await issue(111, withData: false) }
        #expect(bare == Trips(reading: 2, writing: 2))
        database.close()
    }

    @Test(
        "an issue of an offer whose places all customers share takes no more, and one under a key one more to look for its answer"
    )
    func shared() async throws {
        let trips = try await trips { try await issue(110, "drop", withData: false) }
        #expect(trips == Trips(reading: 2, writing: 2))
        let key = try await useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let caller = Caller(apiKeyId: key.id, scope: Workbench.scope, role: .client)
        let order = IssueRequest(offerId: "drop", customer: named("111"))
        let repeatable = IdempotentRequest(key: "k1", route: "issue", body: [1])
        let kept = try await self.trips {
            _ = try await useCases.issuing.issue(order, caller: caller, as: repeatable) { answer in
                #expect(answer.issued?.isNew == true)
                return WrittenAnswer(status: 201, contentType: "t", body: [])
            }
        }
        #expect(kept == Trips(reading: 3, writing: 2))
        database.close()
    }

    /// A new transaction of a customer.
    private func renewal(_ number: Int, _ transaction: String) throws -> SignedDelivery {
        let bought = try bench.shop.delivery(.lapsed, "\(number)").signedTransactions[0]
        return SignedDelivery(signedTransactions: [
            try bench.shop.edited(bought) { payload in
                payload["transactionId"] = transaction
                payload["purchaseDate"] = Workbench.start.milliseconds
                payload["expiresDate"] = Workbench.start.adding(months: 1).milliseconds
            }
        ])
    }

    private func deliver(_ delivery: SignedDelivery) async throws {
        let report = try await useCases.ingestion.ingest(
            delivery, aliases: CustomerIdentifiers(), caller: Workbench.client)
        #expect(report.results.map(\.outcome) == delivery.signedTransactions.map { _ in .added })
    }

    @Test("a new transaction of a known customer takes two under the lock, and at most four besides")
    func newTransaction() async throws {
        try await deliver(try renewal(110, "5110"))
        let delivery = try renewal(111, "5111")
        let trips = try await trips { try await deliver(delivery) }
        #expect(trips.writing == 2 && trips.reading <= 4, "\(trips)")
        database.close()
    }

    @Test("new transactions of 32 known customers that wait together share commits too")
    func newTransactionsTogether() async throws {
        try await deliver(try renewal(106, "5106"))
        let deliveries = try (108..<140).map { try renewal($0, "5\($0)") }
        let trips = try await together(deliveries.map { delivery in { try await deliver(delivery) } })
        #expect(trips.writing <= 8, "\(trips)")
        database.close()
    }

    /// What bodies take whose writes wait together, with the write that holds them up.
    private func together(_ bodies: [@Sendable () async throws -> Void]) async throws -> Trips {
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        let trips = try await trips {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for body in bodies { group.addTask { try await body() } }
                while database.waitingWrites < bodies.count { await Task.yield() }
                gate.open()
                try await group.waitForAll()
            }
        }
        try await held
        return trips
    }

    @Test("an API key is looked up in one")
    func key() async throws {
        let text = try await useCases.apiKeys.create(scope: Workbench.scope, role: .client).text
        let trips = try await trips { _ = try await useCases.apiKeys.caller(forToken: text) }
        #expect(trips == Trips(reading: 1, writing: 0))
        database.close()
    }

    @Test("32 that wait together share commits: a quarter of a round trip each under the lock")
    func together() async throws {
        let trips = try await together((108..<140).map { number in { try await issue(number) } })
        #expect(trips.writing <= 8, "\(trips)")
        database.close()
    }
}
