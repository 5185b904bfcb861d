import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("A clock that is behind")
struct ClockBehindTests {
    /// What decides or writes, each in a request of its own.
    private enum Work: String, CaseIterable {
        case issue, issueKept, decide, transactions, catalog, attributes, resume, void

        func run(_ bench: Workbench, known: SignedDelivery, issued: LowercaseUUID) async throws {
            let customer = named("100")
            let order = IssueRequest(offerId: "twice", customer: customer)
            switch self {
            case .issue: _ = try await bench.ask(order)
            case .issueKept:
                let token = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
                let caller = Caller(apiKeyId: token.id, scope: Workbench.scope, role: .client)
                _ = try await bench.useCases.issuing.issue(
                    order, caller: caller, as: IdempotentRequest(key: "k", route: "r", body: [])
                ) { _ in WrittenAnswer(status: 201, contentType: "application/json", body: []) }
            case .decide: _ = try await bench.dryRun(customer, "twice")
            case .transactions: try await bench.deliver(known)
            case .catalog: try await bench.apply(TestCatalog.yaml + "# again\n", expected: 1)
            case .attributes:
                _ = try await bench.useCases.changes.replace(
                    ["vip": .boolean(true)], of: customer, caller: Workbench.client)
            case .resume:
                _ = try await bench.useCases.switches.set("twice", paused: false, caller: Workbench.marketing)
            case .void:
                _ = try await bench.useCases.voiding.void(
                    issued, reason: "mistake", release: true, caller: Workbench.client)
            }
        }
    }

    private static func lag(_ body: () async throws -> Void) async throws -> ClockLag? {
        do {
            try await body()
            return nil
        } catch RequestError.clockBehind(let lag) {
            return lag
        }
    }

    @Test(
        "60 s behind the last committed instant everything goes on; a millisecond more and nothing is written or decided"
    )
    func behindWhatIsRecorded() async throws {
        for work in Work.allCases {
            let bench = try await Workbench()
            let delivery = try bench.shop.delivery(.lapsed, "100")
            try await bench.deliver(delivery)
            let issued = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"))).offer
            let before = try await bench.ledger()

            bench.clock.advance(milliseconds: -60_001)
            let lag = try await Self.lag { try await work.run(bench, known: delivery, issued: issued.id) }
            #expect(lag?.mark == .lastInstant && lag?.milliseconds == 60_001, "\(work)")
            let after = try await bench.ledger()
            #expect(after.sequence == before.sequence && after.decisions == before.decisions, "\(work)")
            #expect(after.lastInstant == before.lastInstant)

            bench.clock.advance(milliseconds: 1)
            try await work.run(bench, known: delivery, issued: issued.id)
            #expect(try await bench.ledger().lastInstant == before.lastInstant, "\(work)")
        }
    }

    @Test("requests that only read or only stop something are answered however late the clock is")
    func looking() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let issued = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"))).offer
        bench.clock.advance(hours: -48)
        #expect(try await bench.known(named("100")).now == issued.issuedAt)
        _ = try await bench.useCases.customers.story(named("100"), caller: Workbench.client)
        #expect(try await bench.useCases.customers.issuedOffer(issued.id, caller: Workbench.client).state == .open)
        #expect(try await bench.useCases.switches.set(nil, paused: true, caller: Workbench.marketing).changed)
        func void(release: Bool) async throws -> IssuedOfferView {
            try await bench.useCases.voiding.void(
                issued.id, reason: "mistake", release: release, caller: Workbench.client)
        }
        #expect(try await Self.lag { _ = try await void(release: true) } != nil, "what frees a place waits")
        #expect(try await void(release: false).state == .voided)
        #expect(try await bench.known(named("100")).issued.map(\.issuedOffer.voidedAt) == [issued.issuedAt])
        bench.clock.advance(hours: 48)
        #expect(
            try await bench.refused(IssueRequest(offerId: "twice", customer: named("100"))).decision.obstacles
                == [.catalogPaused])
    }

    @Test("an API key that has expired does not come back with a clock that is set back")
    func expiredKey() async throws {
        let bench = try await Workbench()
        let token = try await bench.useCases.apiKeys.create(
            scope: Workbench.scope, role: .client, expiresAt: bench.clock.now.adding(milliseconds: 1_000))
        bench.clock.advance(milliseconds: 2_000)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        bench.clock.advance(milliseconds: -2_000)
        #expect(try await bench.useCases.apiKeys.caller(forToken: token.text) == nil)
    }

    @Test("signed data from the future is the clock's fault where the clock is known to be behind")
    func future() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        bench.clock.advance(hours: -1)
        #expect(try await Self.lag { try await bench.deliver(delivery) }?.mark == .lastInstant)
        #expect(try await Self.lag { _ = try await bench.ask(.of("comeback", delivery)) }?.mark == .lastInstant)
    }

    @Test("readiness says that the clock is behind, and until when, and is well again when it has caught up")
    func readiness() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        try await bench.useCases.readiness.check()
        bench.clock.advance(hours: -1)
        let lag = try await Self.lag { try await bench.useCases.readiness.check() }
        #expect(lag?.caughtUpAfter == Instant.Duration.hour - 60_000)
        #expect(lag?.detail.contains("3600 s behind") == true)
        bench.clock.advance(hours: 1)
        try await bench.useCases.readiness.check()
    }

    @Test("data under Apple's root holds the clock to its date, also where nothing was committed so late")
    func behindApple() async throws {
        let bench = try await Workbench(catalog: nil, vouchedByApple: true)
        let delivery = try bench.shop.delivery(.lapsed, "100")
        bench.clock.advance(milliseconds: -60_000)
        try await bench.deliver(delivery)
        try await bench.useCases.readiness.check()
        bench.clock.advance(milliseconds: -1)
        let lag = try await Self.lag { try await bench.useCases.readiness.check() }
        #expect(lag?.mark == .signedDate && lag?.milliseconds == 60_001)
        #expect(lag?.detail.contains("App Store") == true)
    }

    @Test("data under a root of one's own says nothing about the clock")
    func behindLocalRoot() async throws {
        let bench = try await Workbench(catalog: nil)
        let delivery = try bench.shop.delivery(.lapsed, "100")
        bench.clock.advance(milliseconds: -60_000)
        try await bench.deliver(delivery)
        bench.clock.advance(milliseconds: -30_000)
        try await bench.useCases.readiness.check()
        #expect(try await bench.database.read { try StoreClock($0).marks().newestSignedDate } == nil)
    }
}
