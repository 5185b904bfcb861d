import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Limits per account of the app")
struct AccountLimitTests {
    private static let support = Workbench.caller(.support)

    /// A workbench with one offer, and lapsed customers with an Apple Account each.
    private static func bench(
        _ limits: String = "{ count: 1, per: account }", customers: Int, onFile: Bool = false
    ) async throws -> Workbench {
        let bench = try await Workbench(onFile: onFile, catalog: TestCatalog.head + TestCatalog.shared(limits))
        for number in 0..<customers { try await bench.deliver(try bench.shop.delivery(.lapsed, id(number))) }
        return bench
    }

    private static func id(_ number: Int) -> String { "\(1_000 + number)" }

    /// A request by an Apple Account, under an account of the app.
    private static func order(_ number: Int, _ account: CustomerId?, fresh: Bool = false) -> IssueRequest {
        IssueRequest(
            offerId: "drop",
            customer: CustomerIdentifiers(originalTransactionId: TransactionId(id(number)), customerId: account),
            fresh: fresh)
    }

    @Test("one account has its one use with whichever Apple Account, and another account has its own")
    func oneUse() async throws {
        let bench = try await Self.bench(customers: 3)
        let first = try await bench.granted(Self.order(0, "anna")).offer
        #expect(try await bench.granted(Self.order(0, "anna")).offer.id == first.id, "its own does not count")
        let refusal = try await bench.refused(Self.order(1, "anna"))
        #expect(refusal.decision.obstacles == [.limitAccount])
        let finding = try #require(refusal.decision[.limitAccount])
        let frees = first.expiresAt.adding(milliseconds: Instant.Duration.hour)
        #expect(
            finding.message
                == "already used (limit: once per app account), one of the uses with another Apple Account; "
                + "available again at \(frees)")
        #expect(finding.evidence.contains { $0.field == "issuedOffer" && $0.observed == .value(.text("\(first.id)")) })
        #expect(try await bench.dryRun(Self.order(1, "anna").customer, "drop").obstacles == [.limitAccount])
        #expect(try await bench.granted(Self.order(2, "bert")).isNew)
        let replay = try await bench.useCases.replay.replay(first.id, catalogRevision: nil, caller: Self.support)
        #expect(replay.differences.isEmpty, "\(replay.differences)")
    }

    @Test("the use of an account is free again at `countsUntil` to the millisecond, and permanent once redeemed")
    func expiry() async throws {
        let bench = try await Self.bench(customers: 3)
        let first = try await bench.granted(Self.order(0, "anna")).offer
        let frees = first.expiresAt.adding(milliseconds: Instant.Duration.hour)
        bench.clock.advance(milliseconds: frees.milliseconds(since: bench.clock.now) - 1)
        #expect(try await bench.refused(Self.order(1, "anna")).outlook.changesAt == frees)
        bench.clock.advance(milliseconds: 1)
        let second = try await bench.granted(Self.order(1, "anna")).offer
        let like = try #require(try bench.shop.delivery(.lapsed, Self.id(1)).signedTransactions.first)
        let use = try bench.shop.redemption(of: "drop50", "1001900", like: like, at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        bench.clock.advance(hours: 24 * 400)
        let refusal = try await bench.refused(Self.order(0, "anna"))
        #expect(refusal.decision[.limitAccount]?.turningPoint == nil)
        // What the decision saw is in its record: the use it rested on has been redeemed since.
        let replay = try await bench.useCases.replay.replay(second.id, catalogRevision: nil, caller: Self.support)
        #expect(replay.differences.isEmpty, "\(replay.differences)")
    }

    @Test(
        "16 Apple Accounts at once on two databases of one file have the account's one use between them (invariant 2)",
        arguments: 0..<3)
    func atOnce(round: Int) async throws {
        let bench = try await Self.bench(customers: 16, onFile: true)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        let answers = try await ConcurrentIssuingTests.ask(
            bench,
            (0..<16).map { ($0.isMultiple(of: 2) ? bench.useCases : other, Self.order($0, "anna")) },
            persevering: true)
        #expect(answers.compactMap(\.issued).count == 1, "round \(round)")
        for refusal in answers.compactMap(\.refusal) { #expect(refusal.decision.obstacles == [.limitAccount]) }
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try second.close()
        try bench.database.close()
    }

    @Test("two Apple Accounts that wait for one commit have the account's one use between them (invariant 2)")
    func oneCommit() async throws {
        let bench = try await Self.bench(customers: 2, onFile: true)
        for number in 0..<2 {
            try await bench.deliver(SignedDelivery(), aliases: Self.order(number, "anna").customer)
        }
        let gate = Gate()
        async let held: Void = bench.database.write { _ in gate.hold() }
        await gate.entered()
        async let asked = ConcurrentIssuingTests.ask(
            bench, (0..<2).map { (bench.useCases, Self.order($0, "anna")) }, persevering: true)
        while bench.database.waitingWrites < 2 { await Task.yield() }
        gate.open()
        try await held
        let answers = try await asked
        #expect(answers.compactMap(\.issued).count == 1)
        #expect(answers.compactMap(\.refusal).map(\.decision.obstacles) == [[.limitAccount]])
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try bench.database.close()
    }

    @Test("a use that another Apple Account takes between decision and commit is seen by the commit (invariant 2)")
    func lostRace() async throws {
        let bench = try await Self.bench(customers: 2)
        // The accounts are known before, so that the first write is the one that would issue.
        for number in 0..<2 {
            try await bench.deliver(SignedDelivery(), aliases: Self.order(number, "anna").customer)
        }
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { _ = try await bench.granted(Self.order(1, "anna")) } }))
        let answer = try await moved.issuing.issue(Self.order(0, "anna"), caller: Workbench.client)
        #expect(try #require(answer.refusal).decision.obstacles == [.limitAccount])
        #expect(try await bench.count("issued_offer") == 1)
    }

    @Test("a request that names no account is undetermined, and nothing is signed (invariant 3)")
    func unnamed() async throws {
        let bench = try await Self.bench(customers: 1)
        let refusal = try await bench.refused(Self.order(0, nil))
        #expect(refusal.decision.outcome == .undetermined)
        #expect(refusal.decision[.limitAccount]?.reason == .accountUnknown)
        #expect(refusal.decision[.limitAccount]?.turningPoint == .event(.requestChanged))
        #expect(try await bench.count("signature") == 0)
    }

    @Test("an Apple Account has the offer again under another account, unless it is limited per customer too")
    func perCustomer() async throws {
        for (limits, refused) in [
            ("{ count: 1, per: account }", false), ("{ count: 1, per: account }, { count: 1, per: customer }", true),
        ] {
            let bench = try await Self.bench(limits, customers: 1)
            let first = try await bench.granted(Self.order(0, "anna")).offer
            _ = try await bench.useCases.voiding.void(
                first.id, reason: "mistake", release: false, caller: Workbench.client)
            #expect(try await bench.refused(Self.order(0, "anna")).decision.obstacles.contains(.limitAccount))
            let decision = try await bench.dryRun(Self.order(0, "bert").customer, "drop")
            #expect(decision.obstacles == (refused ? [.limitCustomer] : []))
        }
    }

    @Test("a use of unknown account counts for every account of its Apple Account")
    func unknownAccount() async throws {
        let bench = try await Self.bench(customers: 2)
        let like = try #require(try bench.shop.delivery(.lapsed, Self.id(0)).signedTransactions.first)
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(of: "drop50", "1000900", like: like, at: bench.clock.now)
            ]))
        #expect(try await bench.refused(Self.order(0, "anna")).decision.obstacles.contains(.limitAccount))
        #expect(try await bench.refused(Self.order(1, "anna")).decision.obstacles == [.limitAccount])
        #expect(try await bench.granted(Self.order(1, "bert")).isNew)
    }

    @Test("a V1 offer that another Apple Account of the account redeems is one use")
    func redeemedByAnother() async throws {
        let bench = try await Self.bench("{ count: 2, per: account }", customers: 0)
        let (token, day) = (ForeignUse.token, Int64(24))
        for id in ["100", "900"] { try await bench.deliver(try bench.shop.delivery(.lapsed, id, token: token)) }
        func order(_ id: String) -> IssueRequest {
            IssueRequest(
                offerId: "drop",
                customer: CustomerIdentifiers(originalTransactionId: TransactionId(id), appAccountToken: token),
                formats: [.v1])
        }
        _ = try await bench.granted(order("100"))
        bench.clock.advance(hours: 1)
        let like = try #require(try bench.shop.delivery(.lapsed, "900", token: token).signedTransactions.first)
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(of: "drop50", "900900", like: like, at: bench.clock.now)
            ]))
        bench.clock.advance(hours: 40 * day)
        for id in ["100", "900"] {
            let decision = try await bench.dryRun(order(id).customer, "drop")
            #expect(decision[.limitAccount]?.message == "used once (limit: twice per app account)", "\(id)")
        }
        _ = try await bench.granted(order("100"))
        #expect(try await bench.refused(order("900")).decision.obstacles.contains(.limitAccount))
    }

    @Test("an account that more than 16 other Apple Accounts share is not counted, and undetermined")
    func tooMany() async throws {
        let bench = try await Self.bench(customers: 18)
        for number in 0..<17 {
            try await bench.deliver(SignedDelivery(), aliases: Self.order(number, "guest").customer)
        }
        #expect(try await bench.dryRun(Self.order(0, "guest").customer, "drop").outcome == .eligible)
        let refusal = try await bench.refused(Self.order(17, "guest"))
        #expect(refusal.decision[.limitAccount]?.reason == .usesNotCounted)
        #expect(refusal.decision.outcome == .undetermined)
    }

    @Test("at a past instant the account's uses are those of then")
    func past() async throws {
        let bench = try await Self.bench(customers: 2)
        let before = bench.clock.now
        bench.clock.advance(hours: 1)
        _ = try await bench.granted(Self.order(0, "anna"))
        bench.clock.advance(hours: 1)
        var inquiry = Inquiry(customer: Self.order(1, "anna").customer, offerIds: ["drop"])
        func outcome() async throws -> Outcome? {
            try await bench.useCases.decisions.decide(inquiry, caller: Self.support).decisions.first?.decision.outcome
        }
        #expect(try await outcome() == .ineligible)
        inquiry.asOf = before
        #expect(try await outcome() == .eligible)
        inquiry.asOf = bench.clock.now.adding(milliseconds: 24 * Instant.Duration.hour)
        #expect(try await outcome() == .eligible)
    }
}
