import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("An identical refusal is the recorded one")
struct RepeatedRefusalTests {
    private static let catalog =
        TestCatalog.yaml + TestCatalog.shared("{ count: 1 }")
            + """
              - id: soon
                type: promotional
                offerIdentifier: soon50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                starts: 2026-11-02T00:00:00Z
                limits: []

            """

    private func bench(onFile: Bool = false) async throws -> Workbench {
        let bench = try await Workbench(onFile: onFile, catalog: Self.catalog)
        try await bench.deliver(try bench.shop.delivery(.subscriber, "1"))
        return bench
    }

    /// An offer that a subscriber may not have.
    private let back = IssueRequest(offerId: "back", customer: named("1"))

    @Test(
        "a flood of identical refusals writes nothing and names the recorded decision, whatever the time (attack: filling the disk)"
    )
    func flood() async throws {
        let bench = try await bench()
        let first = try await bench.refused(back)
        let before = try await (bench.ledger().sequence, bench.count("audit_event"), bench.ledger().lastInstant)
        for _ in 0..<20 {
            bench.clock.advance(milliseconds: 3_600_000)
            let again = try await bench.refused(back)
            #expect(again.decisionId == first.decisionId)
            #expect(again.outlook == first.outlook)
            #expect(again.decision.obstacles == first.decision.obstacles)
        }
        let after = try await (bench.ledger().sequence, bench.count("audit_event"), bench.ledger().lastInstant)
        #expect(after == before)
        #expect(try await bench.count("decision") == 1)
    }

    @Test("a flood of identical refusals of an unknown customer writes nothing either")
    func unknown() async throws {
        let bench = try await bench()
        let order = IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(customerId: "stranger"))
        let first = try await bench.refused(order).decisionId
        let before = try await bench.ledger().sequence
        for _ in 0..<20 { #expect(try await bench.refused(order).decisionId == first) }
        #expect(try await bench.ledger().sequence == before)
        let other = IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(customerId: "another"))
        #expect(try await bench.refused(other).decisionId != first)
    }

    @Test("signed data with an identical refusal that is known already writes nothing")
    func knownData() async throws {
        let bench = try await bench()
        let order = IssueRequest.of("back", try bench.shop.delivery(.subscriber, "1"))
        let first = try await bench.refused(order).decisionId
        let before = try await bench.ledger().sequence
        for _ in 0..<3 { #expect(try await bench.refused(order).decisionId == first) }
        #expect(try await bench.ledger().sequence == before)
    }

    @Test(
        "a request with another signal, device, flag, name, offer or language has a record of its own (invariant 5)")
    func otherInputs() async throws {
        let bench = try await bench()
        var orders = [IssueRequest](repeating: back, count: 8)
        orders[1].signals = ["interactions": .number(3)]
        orders[2].signals = ["interactions": .number(4)]
        orders[3].device.appVersion = "2.0"
        orders[4].fresh = true
        orders[5].customer.appTransactionId = "app-1"
        orders[6].offerId = "engaged"
        orders[7].device.locale = "de"
        var decisions: [LowercaseUUID] = []
        for order in orders { decisions.append(try await bench.refused(order).decisionId) }
        #expect(Set(decisions).count == orders.count)
        let again = try await orders.asyncMap { try await bench.refused($0).decisionId }
        #expect(again == decisions)
    }

    @Test("a change to the customer is decided and recorded again")
    func changedCustomer() async throws {
        let bench = try await bench()
        var decisions = [try await bench.refused(back).decisionId]
        _ = try await bench.useCases.changes.replace(
            ["plan": .text("gold")], of: named("1"), caller: Workbench.client)
        decisions.append(try await bench.refused(back).decisionId)
        bench.clock.advance(hours: 1)
        try await bench.deliver(try bench.shop.delivery(.subscriber, "1"))
        decisions.append(try await bench.refused(back).decisionId)
        #expect(Set(decisions).count == 3)
        bench.clock.advance(hours: 1)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "1"))
        #expect(try await bench.granted(back).isNew)
    }

    @Test("a new catalog, a pause and its end are decided and recorded again")
    func changedCatalog() async throws {
        let bench = try await bench()
        var decisions = [try await bench.refused(back).decisionId]
        try await bench.apply(Self.catalog + "# changed\n", expected: 1)
        decisions.append(try await bench.refused(back).decisionId)
        _ = try await bench.useCases.switches.set("back", paused: true, caller: Workbench.marketing)
        decisions.append(try await bench.refused(back).decisionId)
        _ = try await bench.useCases.switches.set("back", paused: false, caller: Workbench.marketing)
        decisions.append(try await bench.refused(back).decisionId)
        #expect(Set(decisions).count == 4)
    }

    @Test("a turning point that passes is decided again, though nothing was written since")
    func turningPoint() async throws {
        let bench = try await bench()
        let order = IssueRequest(offerId: "soon", customer: named("1"))
        let first = try await bench.refused(order)
        guard case .at(let instant) = first.outlook.turningPoint else {
            Issue.record("no instant: \(first.outlook)")
            return
        }
        // A customer who is refused for another reason too stays refused.
        let stranger = IssueRequest(offerId: "soon", customer: CustomerIdentifiers(customerId: "stranger"))
        let early = try await bench.refused(stranger)
        bench.clock.advance(milliseconds: instant.milliseconds(since: bench.clock.now) - 1)
        #expect(try await bench.refused(order).decisionId == first.decisionId)
        #expect(try await bench.refused(stranger).decisionId == early.decisionId)
        bench.clock.advance(milliseconds: 1)
        let late = try await bench.refused(stranger)
        #expect(late.decisionId != early.decisionId)
        #expect(late.decision.obstacles.count < early.decision.obstacles.count)
        #expect(try await bench.refused(stranger).decisionId == late.decisionId)
        #expect(try await bench.granted(order).isNew)
    }

    @Test("a place that others free under a limit for everyone is seen by the next request")
    func freedPlace() async throws {
        let bench = try await bench()
        try await bench.deliver(try bench.shop.delivery(.subscriber, "2"))
        let taken = try await bench.granted(IssueRequest(offerId: "drop", customer: named("2"))).offer
        let order = IssueRequest(offerId: "drop", customer: named("1"))
        let first = try await bench.refused(order).decisionId
        #expect(try await bench.refused(order).decisionId == first)
        _ = try await bench.useCases.voiding.void(taken.id, reason: "test", release: true, caller: Workbench.client)
        #expect(try await bench.granted(order).isNew)
    }

    @Test("a clock that goes back a little changes nothing")
    func clockBack() async throws {
        let bench = try await bench()
        let first = try await bench.refused(back).decisionId
        bench.clock.advance(milliseconds: -30_000)
        #expect(try await bench.refused(back).decisionId == first)
    }

    @Test("a refusal whose commit failed is not handed out (fault: rolled back)")
    func rolledBack() async throws {
        let bench = try await bench()
        let broken = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                insideWrite: { throw InterposedDatabase.Broken() }))
        await #expect(throws: InterposedDatabase.Broken.self) {
            try await broken.issuing.issue(back, caller: Workbench.client)
        }
        #expect(try await bench.count("decision") == 0)
        let answer = try await bench.refused(back)
        #expect(try await bench.count("decision") == 1)
        #expect(try await bench.refused(back).decisionId == answer.decisionId)
    }

    @Test("each of two servers on one database records a refusal once, and sees what the other changes")
    func twoServers() async throws {
        let bench = try await bench(onFile: true)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        let first = try await bench.refused(back).decisionId
        let others = try #require(try await other.issuing.issue(back, caller: Workbench.client).refusal?.decisionId)
        #expect(first != others)
        #expect(try await other.issuing.issue(back, caller: Workbench.client).refusal?.decisionId == others)
        #expect(try await bench.refused(back).decisionId == first)
        #expect(try await bench.count("decision") == 2)
        _ = try await other.switches.set("back", paused: true, caller: Workbench.marketing)
        #expect(try await bench.refused(back).decisionId != first)
        try second.close()
        try bench.database.close()
    }

    @Test("a decision that retention has removed is not returned: the refusal is recorded again")
    func removed() async throws {
        let bench = try await bench()
        let order = IssueRequest(offerId: "sketch", customer: named("1"))
        let first = try await bench.refused(order).decisionId
        bench.clock.advance(hours: 24 * 366)
        _ = try await Retention(
            ledger: OfferStore.Ledger(bench.database, digest: OpenSSLDigest()), terms: .standard,
            author: .service, clock: { [clock = bench.clock] in clock.now }
        ).sweep(rest: .zero)
        #expect(try await bench.refused(order).decisionId != first)
    }

    @Test("the recorded decision of an erased customer is not handed out")
    func erased() async throws {
        let erasing = ErasingBench(on: try await bench())
        let first = try #require(try await erasing.ask(back).refusal?.decisionId)
        #expect(try await erasing.ask(back).refusal?.decisionId == first)
        try await erasing.erase(named("1"))
        let after = try #require(try await erasing.ask(back).refusal?.decisionId)
        #expect(after != first)
        try await erasing.verify()
    }

    @Test("the statement that blocks the introductory offer is given again while an hour of its life is left")
    func introductory() async throws {
        let bench = try await bench()
        try await bench.deliver(try bench.shop.delivery(.trialUsed, "7"))
        let order = IssueRequest(offerId: "welcome", customer: named("7"))
        let first = try await bench.refused(order)
        let block = try #require(first.introductoryEligibility)
        bench.clock.advance(hours: 23)
        let again = try await bench.refused(order)
        #expect(again.decisionId == first.decisionId)
        #expect(again.introductoryEligibility == block)
        #expect(try await bench.count("signature") == 1)
        bench.clock.advance(milliseconds: 1)
        let late = try await bench.refused(order)
        #expect(late.decisionId != first.decisionId)
        #expect(late.introductoryEligibility != block)
        #expect(try await bench.count("signature") == 2)
    }

    @Test(
        "under an Idempotency-Key an identical refusal keeps its answer and no second decision, and an erasure finds it"
    )
    func idempotent() async throws {
        let erasing = ErasingBench(on: try await bench())
        let (bench, order) = (erasing.bench, back)
        let key = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let caller = Caller(apiKeyId: key.id, scope: Workbench.scope, role: .client)
        func ask(_ key: String) async throws -> WrittenAnswer {
            try await erasing.useCases.issuing.issue(
                order, caller: caller, as: IdempotentRequest(key: key, route: "r", body: [1])
            ) { answer in
                let body = answer.refusal?.decisionId.description ?? ""
                return WrittenAnswer(status: 403, contentType: "t", body: Array(body.utf8))
            }
        }
        let first = try await ask("first")
        bench.clock.advance(hours: 1)
        let second = try await ask("second")
        #expect(second.body == first.body && !second.isReplayed)
        #expect(try await ask("second").isReplayed)
        #expect(try await bench.count("decision") == 1)
        #expect(try await bench.count("kept_answer") == 2)
        try await erasing.erase(named("1"))
        #expect(try await bench.count("kept_answer") == 0)
    }

    @Test("a refusal that opens an offer is recorded, and the same again is not")
    func opening() async throws {
        let bench = try await Workbench(
            catalog: TestCatalog.head
                + """
                  - id: stay
                    type: promotional
                    offerIdentifier: stay50
                    products: [monthly]
                    paymentMode: freeTrial
                    period: P1M
                    periodCount: 1
                    status: active
                    eligibility: { fact: signals.interactions, atLeast: 50 }
                    availableFor: PT48H
                    excludes: [gone]
                    limits: []
                  - id: gone
                    type: promotional
                    offerIdentifier: gone50
                    products: [monthly]
                    paymentMode: freeTrial
                    period: P1M
                    periodCount: 1
                    status: active
                    limits: []

                """)
        try await bench.deliver(try bench.shop.delivery(.subscriber, "1"))
        _ = try await bench.granted(IssueRequest(offerId: "gone", customer: named("1")))
        let order = IssueRequest(
            offerId: "stay", customer: named("1"), signals: ["interactions": .number(50)])
        let opened = try await bench.refused(order).decisionId
        #expect(try await bench.count("offer_opening") == 1)
        let later = try await bench.refused(order).decisionId
        #expect(later != opened, "what it rests on has changed: the offer is open")
        #expect(try await bench.refused(order).decisionId == later)
        let stranger = IssueRequest(
            offerId: "stay", customer: CustomerIdentifiers(customerId: "x"), signals: ["interactions": .number(50)])
        let refused = try await bench.refused(stranger).decisionId
        #expect(try await bench.refused(stranger).decisionId == refused, "nobody is known for whom it could open")
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var results: [T] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
