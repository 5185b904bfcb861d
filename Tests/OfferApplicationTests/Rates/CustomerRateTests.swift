import OfferAPI
import OfferApplication
import Testing

@testable import OfferModel

@Suite("Requests about one customer")
struct CustomerRateTests {
    private func bench(_ time: TestTime, burst: Int) async throws -> Workbench {
        let limits = RateLimits(key: nil, customer: RateLimit(perSecond: 1, burst: burst), failedAuthentication: nil)
        return try await Workbench(rates: RequestRates(limits, clock: { time.now }))
    }

    /// Why a request was rejected; `nil` if it was not.
    private func rejection(_ request: () async throws -> some Sendable) async throws -> RateLimited? {
        do {
            _ = try await request()
            return nil
        } catch RequestError.rateLimited(let rejected) {
            return rejected
        }
    }

    @Test("many aliases of one customer share the customer's rate (attack: an alias for every request)")
    func aliases() async throws {
        let time = TestTime()
        let bench = try await bench(time, burst: 19)
        let delivery = try bench.shop.delivery(.subscriber, "1")
        for number in 1...10 {
            try await bench.deliver(delivery, aliases: CustomerIdentifiers(customerId: CustomerId("alias \(number)")))
        }
        func ask(_ number: Int) async throws -> RateLimited? {
            let customer = CustomerIdentifiers(customerId: CustomerId("alias \(number)"))
            return try await rejection {
                try await bench.useCases.issuing.issue(
                    IssueRequest(offerId: "back", customer: customer), caller: Workbench.client)
            }
        }
        // The first delivery found no customer yet, so nine have taken a token of the customer's.
        for number in 1...10 { #expect(try await ask(number) == nil) }
        let rejected = try #require(try await ask(1))
        #expect(rejected.policy == .customer)
        #expect(rejected.secondsToWait == 1)
        time.advance(seconds: 1)
        #expect(try await ask(2) == nil)
        #expect(try await ask(3) != nil)
    }

    @Test("signed data sent without a name is limited by the customer it proves, and what is new of it is not kept")
    func proven() async throws {
        let time = TestTime()
        let bench = try await bench(time, burst: 2)
        let delivery = try bench.shop.delivery(.subscriber, "1")
        let newer = try bench.shop.delivery(.lapsed, "1")
        func deliver(_ delivery: SignedDelivery) async throws -> RateLimited? {
            try await rejection { try await bench.deliver(delivery) }
        }
        // The customer is unknown to the first.
        for _ in 1...3 { #expect(try await deliver(delivery) == nil) }
        let before = try await bench.ledger().sequence
        #expect(try await deliver(newer)?.policy == .customer)
        #expect(try await bench.ledger().sequence == before, "a rejected request writes nothing")
        time.advance(seconds: 1)
        #expect(try await deliver(newer) == nil)
        #expect(try await bench.ledger().sequence > before)
    }

    @Test("a flood by the app's backend keeps neither support nor other customers out")
    func others() async throws {
        let time = TestTime()
        let bench = try await bench(time, burst: 3)
        func decide(_ id: String, _ role: Role) async throws -> RateLimited? {
            try await rejection {
                try await bench.useCases.decisions.decide(
                    Inquiry(customer: named(id)), caller: Workbench.caller(role))
            }
        }
        for _ in 1...3 { #expect(try await decide("1", .client) == nil) }
        #expect(try await decide("1", .client) != nil)
        #expect(try await decide("2", .client) == nil)
        #expect(try await decide("1", .support) == nil)
    }

    @Test("a customer named many times in one request uses one token")
    func repeated() async throws {
        let time = TestTime()
        let bench = try await bench(time, burst: 2)
        let caller = Workbench.caller(.client)
        let asked = Array(repeating: named("1"), count: 100)
        func ask() async throws -> RateLimited? {
            try await rejection { try await bench.useCases.status.statuses(of: asked, caller: caller) }
        }
        #expect(try await ask() == nil)
        #expect(try await ask() == nil)
        #expect(try await ask() != nil)
        time.advance(seconds: 1)
        #expect(try await ask() == nil, "no debt is left")
    }

    @Test("an answer kept under an Idempotency-Key is given once there is a token again; a rejection is never kept")
    func idempotent() async throws {
        let time = TestTime()
        let bench = try await bench(time, burst: 1)
        let order = IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(customerId: "c"))
        let key = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let caller = Caller(apiKeyId: key.id, scope: Workbench.scope, role: .client)
        func ask(_ key: String) async throws -> WrittenAnswer {
            try await bench.useCases.issuing.issue(
                order, caller: caller, as: IdempotentRequest(key: key, route: "r", body: [1])
            ) { _ in WrittenAnswer(status: 422, contentType: "t", body: [2]) }
        }
        #expect(try await !ask("first").isReplayed)
        #expect(try await rejection { try await ask("second") } != nil)
        #expect(try await bench.count("kept_answer") == 1)
        time.advance(seconds: 1)
        #expect(try await ask("first").isReplayed)
        time.advance(seconds: 1)
        #expect(try await !ask("second").isReplayed)
    }
}
