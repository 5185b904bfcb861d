import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Grants of support")
struct GrantTests {
    private static let catalog =
        TestCatalog.head + TestCatalog.comeback()
        + TestCatalog.comeback("subscribers", to: "subscribed")
        + TestCatalog.shared("{ count: 1 }", id: "few")
        + TestCatalog.shared("{ spend: \"9.99\", currency: USD }", id: "dear")

    /// A workbench with lapsed customers.
    private func bench(_ customers: String..., catalog: String = catalog) async throws -> Workbench {
        let bench = try await Workbench(catalog: catalog)
        for customer in customers { try await bench.deliver(try bench.shop.delivery(.lapsed, customer)) }
        return bench
    }

    private func order(_ offer: OfferId, _ customer: String, fresh: Bool = false) -> IssueRequest {
        IssueRequest(offerId: offer, customer: named(customer), fresh: fresh)
    }

    @Test("a customer whose condition does not hold gets the offer once, and then no more")
    func condition() async throws {
        let bench = try await bench("100")
        #expect(try await bench.refused(order("subscribers", "100")).decision.obstacles == [.ruleEligibility])
        let grant = try await bench.grant("subscribers", to: "100")
        #expect(grant.state == .open)
        let dryRun = try await bench.dryRun(named("100"), "subscribers")
        #expect(dryRun.outcome == .eligible)
        #expect(dryRun.lifted == [.ruleEligibility])
        #expect(dryRun[.grantApplied]?.message.contains("`\(grant.grantId)`") == true)
        let issued = try await bench.granted(order("subscribers", "100")).offer
        #expect(issued.grantId == grant.grantId)
        let used = try #require(try await bench.grants(of: "100").first)
        #expect(used.state == .used)
        #expect(used.issuedOfferId == issued.id)
        // The open issued offer may be asked for again, with the stored signatures and with further ones.
        #expect(try await bench.granted(order("subscribers", "100")).offer.id == issued.id)
        #expect(try await bench.granted(order("subscribers", "100", fresh: true)).offer.id == issued.id)
        bench.clock.advance(hours: 26)
        #expect(try await bench.refused(order("subscribers", "100")).decision.obstacles == [.ruleEligibility])
        #expect(try await bench.count("offer_grant") == 1)
    }

    @Test("a total and a budget that are used up give a granted customer the offer, and take nothing from anyone")
    func apart() async throws {
        let bench = try await bench("100", "200", "300")
        for offer: OfferId in ["few", "dear"] {
            try await bench.grant(offer, to: "200")
            #expect(try await bench.granted(order(offer, "100")).offer.grantId == nil)
            let granted = try await bench.granted(order(offer, "200")).offer
            #expect(granted.grantId != nil)
            #expect(try await bench.refused(order(offer, "300")).decision.outcome == .ineligible)
            let places = try await bench.database.read { transaction in
                try transaction.rows(
                    Statement("SELECT amount FROM offer_counter WHERE offer_id = ?1 AND unit = 'places'", offer)
                ).map { try $0.value(0, as: Int64.self) }
            }
            #expect(places == [1])
            bench.clock.advance(hours: 1)
            try await bench.redeem(offer, of: "200", as: "9\(offer)")
        }
        try await verify(bench)
    }

    @Test("a grant that the customer does not need is not used up")
    func notNeeded() async throws {
        let bench = try await bench("100")
        let grant = try await bench.grant("comeback", to: "100")
        let decision = try await bench.dryRun(named("100"), "comeback")
        #expect(decision[.grantApplied]?.verdict == .notApplicable)
        #expect(!decision.needsGrant)
        let first = try await bench.granted(order("comeback", "100")).offer
        #expect(first.grantId == nil)
        #expect(try await bench.grants(of: "100").map(\.state) == [.open])
        // It waits for the end of the open issued offer, which it did not give, and is used then.
        let waiting = try await bench.dryRun(named("100"), "comeback")
        #expect(waiting[.grantApplied]?.message.contains(first.id.description) == true)
        bench.clock.advance(hours: 1)
        try await bench.redeem("comeback", of: "100", as: "900")
        try await bench.end("100")
        let second = try await bench.granted(order("comeback", "100")).offer
        #expect(second.grantId == grant.grantId)
    }

    @Test("after its redemption a granted use counts under no limit of the customer")
    func countsNowhere() async throws {
        let bench = try await bench("100")
        _ = try await bench.granted(order("comeback", "100"))
        bench.clock.advance(hours: 1)
        try await bench.redeem("comeback", of: "100", as: "900")
        try await bench.end("100")
        try await bench.grant("comeback", to: "100")
        _ = try await bench.granted(order("comeback", "100"))
        bench.clock.advance(hours: 1)
        try await bench.redeem("comeback", of: "100", as: "901")
        let finding = try #require(try await bench.dryRun(named("100"), "comeback")[.limitCustomer])
        #expect(finding.verdict == .violated)
        #expect(finding.message == "already used (limit: once per customer)")
        try await verify(bench)
    }

    @Test("a grant is one use: a second redemption of what it gave takes a place like any other (invariant 2)")
    func doubled() async throws {
        for offer: OfferId in ["few", "dear"] {
            let bench = try await bench("100", "200")
            // The first is voided, and its signature lives on; support grants another.
            let first = try await bench.granted(order(offer, "100")).offer
            _ = try await bench.useCases.voiding.void(
                first.id, reason: "the purchase failed", release: false, caller: Workbench.support)
            // A use belongs to the newest of them.
            bench.clock.advance(hours: 1)
            try await bench.grant(offer, to: "100")
            #expect(try await bench.granted(order(offer, "100")).offer.grantId != nil)
            bench.clock.advance(hours: 1)
            try await bench.redeem(offer, of: "100", as: "900")
            try await bench.end("100")
            let limit: RuleId = offer == "few" ? .limitTotal : .limitBudget
            #expect(try await bench.dryRun(named("200"), offer)[limit]?.verdict == .satisfied, "the first has passed")
            try await bench.redeem(offer, of: "100", as: "901")
            #expect(try await bench.refused(order(offer, "200")).decision.obstacles == [limit])
            try await verify(bench)
        }
    }

    @Test("a further signing of what a grant gave tells of no limit, also where the grant is not needed any more")
    func signedAgain() async throws {
        let bench = try await bench("100", "200")
        _ = try await bench.granted(order("few", "200"))
        try await bench.grant("few", to: "100")
        let issued = try await bench.granted(order("few", "100")).offer
        try await bench.apply(Self.catalog.replacing("{ count: 1 }", with: "{ count: 2 }"), expected: 1)
        let again = try await bench.granted(order("few", "100", fresh: true))
        #expect(again.isNew && again.offer.id == issued.id)
        let events = try await bench.database.read {
            try EventStore($0).page(after: 0, types: [.limitReached, .limitNearlyReached], limit: 10)
        }
        #expect(events.count == 1, "that of the total of one")
    }

    @Test("the outlook names the end of the open issued offer, for which the grant waits, and no later date")
    func waits() async throws {
        let bench = try await bench("100")
        let open = try await bench.granted(order("comeback", "100")).offer
        let late = TestCatalog.comeback().replacing(
            "    limits:", with: "    eligibility: { fact: subscription.daysSinceExpired, atLeast: 400 }\n    limits:")
        try await bench.apply(TestCatalog.head + late, expected: 1)
        let grant = try await bench.grant("comeback", to: "100")
        let refusal = try await bench.refused(order("comeback", "100"))
        #expect(refusal.decision.obstacles == [.ruleEligibility])
        // The condition will be lifted: the reason is the open issued offer.
        let sentence = Explanation(refusal.decision, outlook: refusal.outlook).sentence
        #expect(sentence.hasPrefix("support granted one use of the offer on "), "\(sentence)")
        #expect(
            sentence.hasSuffix(
                "(grant `\(grant.grantId)`), for use after \(open.expiresAt.adding(milliseconds: Instant.Duration.hour)), "
                    + "when the issued offer `\(open.id)` no longer counts"), "\(sentence)")
        #expect(refusal.outlook.changesAt == open.expiresAt.adding(milliseconds: Instant.Duration.hour))
        bench.clock.advance(hours: 25)
        #expect(try await bench.granted(order("comeback", "100")).offer.grantId != nil)
    }

    @Test("neither a pause nor the holdout is lifted, and the grant stays")
    func limits() async throws {
        let held = TestCatalog.comeback().replacing(
            "    formats:", with: "    rollout: { percent: 100, holdout: 100 }\n    formats:")
        let bench = try await bench("100", catalog: TestCatalog.head + held)
        #expect(try await bench.refused(order("comeback", "100")).decision.obstacles == [.rolloutHoldout])
        try await bench.grant("comeback", to: "100")
        _ = try await bench.useCases.switches.set("comeback", paused: true, caller: Workbench.marketing)
        let refusal = try await bench.refused(order("comeback", "100"))
        #expect(refusal.decision.obstacles == [.catalogPaused, .rolloutHoldout])
        #expect(try await bench.grants(of: "100").map(\.state) == [.open])
    }

    @Test("the record of a granted decision replays as it was, also after the grant is used up")
    func replay() async throws {
        let bench = try await bench("100")
        try await bench.grant("subscribers", to: "100", expiresAt: bench.clock.now.adding(milliseconds: 3_600_000))
        let issued = try await bench.granted(order("subscribers", "100")).offer
        bench.clock.advance(hours: 48)
        let replay = try await bench.useCases.replay.replay(issued.id, catalogRevision: nil, caller: Workbench.support)
        #expect(replay.differences.isEmpty)
        #expect(replay.recorded.outcome == "eligible")
        #expect(replay.recomputed[.ruleEligibility]?.verdict == "lifted")
        #expect(replay.recomputed[.grantApplied]?.verdict == "satisfied")
    }

    @Test(
        "40 requests at once with one grant give one issued offer, through two openings of one database (invariant 2)")
    func atOnce() async throws {
        let bench = try await Workbench(onFile: true, catalog: Self.catalog)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        try await bench.grant("subscribers", to: "100")
        let orders = (0..<40).map { ($0.isMultiple(of: 2) ? bench.useCases : other, order("subscribers", "100")) }
        let answers = try await ConcurrentIssuingTests.ask(bench, orders, persevering: true)
        #expect(Set(answers.compactMap { $0.issued?.offer.id }).count == 1)
        #expect(answers.filter { $0.issued?.isNew == true }.count == 1)
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try second.close()
        try bench.database.close()
    }

    @Test("an expired or revoked grant gives nothing; a used one is not revoked, and a revoked one stays so")
    func ends() async throws {
        let bench = try await bench("100", "200")
        let hour = Instant.Duration.hour
        try await bench.grant("subscribers", to: "100", expiresAt: bench.clock.now.adding(milliseconds: hour))
        bench.clock.advance(milliseconds: hour)
        #expect(try await bench.refused(order("subscribers", "100")).decision.obstacles == [.ruleEligibility])
        #expect(try await bench.grants(of: "100").map(\.state) == [.expired])
        let next = try await bench.grant("subscribers", to: "100")
        let first = try await bench.useCases.grants.revoke(next.grantId, caller: Workbench.support)
        bench.clock.advance(hours: 1)
        let again = try await bench.useCases.grants.revoke(next.grantId, caller: Workbench.support)
        #expect(first == again && again.state == .revoked)
        #expect(try await bench.refused(order("subscribers", "100")).decision.obstacles == [.ruleEligibility])
        let used = try await bench.grant("subscribers", to: "200")
        let issued = try await bench.granted(order("subscribers", "200")).offer
        await #expect {
            _ = try await bench.useCases.grants.revoke(used.grantId, caller: Workbench.support)
        } throws: { error in
            if case .grantUsed(used.grantId, by: issued.id)? = error as? RequestError { true } else { false }
        }
        try await verify(bench)
    }

    @Test("a customer who is merged takes the grant along")
    func merged() async throws {
        let bench = try await Workbench(catalog: Self.catalog)
        let (first, other) = (try bench.shop.anonymous("100"), try bench.shop.anonymous("200"))
        for delivery in [first, other] { try await bench.deliver(delivery) }
        let grant = try await bench.grant("subscribers", to: "200")
        bench.clock.advance(hours: 1)
        for delivery in [first, other] { try await bench.deliver(try bench.shop.proof(delivery, of: "app-100")) }
        #expect(try await bench.count("customer_merge") == 1)
        #expect(try await bench.grants(of: "100").map(\.grantId) == [grant.grantId])
        #expect(try await bench.granted(order("subscribers", "100")).offer.grantId == grant.grantId)
        try await verify(bench)
    }

    @Test("an erasure ends what was not used and removes the reason; the ledger stays proven")
    func erased() async throws {
        let erasing = try await ErasingBench(catalog: Self.catalog)
        let bench = erasing.bench
        try await erasing.deliver(try bench.shop.delivery(.lapsed, "100"))
        _ = try await erasing.useCases.grants.grant(
            "subscribers", to: named("100"), reason: "Anna called", expiresAt: nil, caller: Workbench.support)
        try await erasing.erase(named("100"))
        await #expect {
            _ = try await erasing.useCases.grants.grant(
                "subscribers", to: named("100"), reason: "again", expiresAt: nil, caller: Workbench.support)
        } throws: { error in
            if case .unknownCustomer? = error as? RequestError { true } else { false }
        }
        let rows = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT reason, revoked_at IS NULL FROM offer_grant"))
        }
        #expect(rows.count == 1)
        #expect(try rows[0].value(0, as: String.self).hasPrefix("hmac-sha256:"))
        #expect(try rows[0].value(1, as: Bool.self) == false)
        // The customer comes back with the same Apple Account, and has nothing left of it.
        try await erasing.deliver(try bench.shop.delivery(.lapsed, "100"))
        #expect(try await erasing.ask(order("subscribers", "100")).refusal != nil)
        try await erasing.verify()
    }

    @Test("a key grants twenty times a day in UTC and no more, also at once, and is told when it may again")
    func capped() async throws {
        let customers = (100..<130).map(String.init)
        let bench = try await Workbench(catalog: Self.catalog)
        for customer in customers { try await bench.deliver(try bench.shop.delivery(.lapsed, customer)) }
        let results = await withTaskGroup(of: Result<GrantView, any Error>.self) { group in
            for customer in customers {
                group.addTask {
                    do {
                        return .success(
                            try await bench.useCases.grants.grant(
                                "comeback", to: named(customer), reason: "x", expiresAt: nil, caller: Workbench.support)
                        )
                    } catch {
                        return .failure(error)
                    }
                }
            }
            var results = [Result<GrantView, any Error>]()
            for await result in group { results.append(result) }
            return results
        }
        let granted = results.compactMap { try? $0.get() }
        #expect(granted.count == GrantTerms.standard.perKeyAndDay)
        let day = bench.clock.now.utcDay
        for case .failure(let error) in results {
            guard case .grantLimitReached(perDay: 20, let resets, let seconds)? = error as? RequestError else {
                Issue.record("\(error)")
                continue
            }
            #expect(resets == day.upperBound)
            #expect((1...86_400).contains(seconds))
        }
        // A revoked one counts too; another key, and the next day, begin at nothing.
        _ = try await bench.useCases.grants.revoke(granted[0].grantId, caller: Workbench.support)
        await #expect(throws: RequestError.self) { try await bench.grant("few", to: "100") }
        var other = Workbench.support
        other.apiKeyId = "fedcba9876543210"
        _ = try await bench.useCases.grants.grant(
            "few", to: named("100"), reason: "x", expiresAt: nil, caller: other)
        bench.clock.advance(milliseconds: day.upperBound.milliseconds(since: bench.clock.now) - 1)
        await #expect(throws: RequestError.self) { try await bench.grant("few", to: "101") }
        bench.clock.advance(milliseconds: 1)
        try await bench.grant("few", to: "101")
    }

    @Test("a key grants as often a day however many people use it at the console, and no key counts for another")
    func cappedTogether() async throws {
        let customers = (100..<121).map(String.init)
        let bench = try await Workbench(catalog: Self.catalog)
        for customer in customers { try await bench.deliver(try bench.shop.delivery(.lapsed, customer)) }
        func grant(_ customer: String, _ person: String?, key: String = Workbench.support.apiKeyId) async throws {
            var caller = Workbench.support
            (caller.apiKeyId, caller.person) = (key, person)
            _ = try await bench.useCases.grants.grant(
                "comeback", to: named(customer), reason: "x", expiresAt: nil, caller: caller)
        }
        let people = ["anna", nil, "Anna (shop)", ")", "%", "bert"]
        for (number, customer) in customers.prefix(20).enumerated() {
            try await grant(customer, people[number % people.count])
        }
        for person in ["anna", nil, "zoë"] {
            await #expect {
                try await grant("120", person)
            } throws: { error in
                if case .grantLimitReached? = error as? RequestError { true } else { false }
            }
        }
        try await grant("120", "anna", key: "fedcba9876543210")
    }

    @Test(
        "a person who used the key at the console is named beside it, of a grant and of its revocation",
        arguments: [("anna", "bert"), ("Anna (shop)", ") ("), ("zoë \u{1F600}", "a, b")])
    func persons(_ granting: String, _ revoking: String) async throws {
        let bench = try await bench("100")
        var (giver, taker) = (Workbench.support, Workbench.support)
        (giver.person, taker.person, taker.apiKeyId) = (granting, revoking, "fedcba9876543210")
        let granted = try await bench.useCases.grants.grant(
            "few", to: named("100"), reason: "sorry", expiresAt: nil, caller: giver)
        #expect(granted.actor == giver.apiKeyId && granted.person == granting)
        #expect(granted.revokedBy == nil && granted.revokedByPerson == nil)
        let revoked = try await bench.useCases.grants.revoke(granted.grantId, caller: taker)
        #expect(revoked.actor == giver.apiKeyId && revoked.person == granting)
        #expect(revoked.revokedBy == taker.apiKeyId && revoked.revokedByPerson == revoking)
        let read = try #require(try await bench.grants(of: "100").first)
        #expect(read.person == granting && read.revokedByPerson == revoking)
        let story = try await bench.useCases.customers.story(named("100"), caller: Workbench.support)
        #expect(story.grants?.first?.person == granting)
        let messages = story.timeline.map(\.message)
        #expect(
            messages.contains(
                "key \(giver.apiKeyId), \(granting), granted the offer `few` once: sorry "
                    + "(grant \(granted.grantId), revoked now)"))
        #expect(
            messages.contains(
                "the grant of the offer `few` was revoked by key \(taker.apiKeyId), \(revoking) "
                    + "(grant \(granted.grantId))"))
        try await bench.checkLedger()
    }

    @Test("the customer's page and timeline tell who was granted what, why, and what came of it")
    func told() async throws {
        let bench = try await bench("100")
        let revoked = try await bench.grant("few", to: "100", reason: "wrong offer")
        var other = Workbench.support
        other.apiKeyId = "fedcba9876543210"
        _ = try await bench.useCases.grants.revoke(revoked.grantId, caller: other)
        let grant = try await bench.grant("subscribers", to: "100")
        let issued = try await bench.granted(order("subscribers", "100")).offer
        let story = try await bench.useCases.customers.story(named("100"), caller: Workbench.support)
        #expect(story.grants?.map(\.grantId) == [grant.grantId, revoked.grantId])
        let messages = story.timeline.map(\.message)
        #expect(
            messages.contains(
                "key 0123456789abcdef granted the offer `subscribers` once: ticket 4711 (grant \(grant.grantId), used now)"
            ))
        #expect(
            messages.contains(
                "the grant of the offer `few` was revoked by key fedcba9876543210 (grant \(revoked.grantId))"))
        #expect(messages.contains { $0.contains("was issued") && $0.contains("by a grant of support") })
        let page = try await bench.useCases.export.page(limit: 10, after: nil, caller: Workbench.support)
        #expect(page.items.map(\.offer.grantId) == [grant.grantId])
        #expect(page.items.map(\.offer.issuedOfferId) == [issued.id])
    }

    @Test("a grant that was changed in the file is found")
    func tampered() async throws {
        let changes = [
            "UPDATE offer_grant SET issued_offer_id = NULL", "UPDATE offer_grant SET offer_id = 'few'",
            "UPDATE offer_grant SET reason = 'hmac-sha256:' || '\(String(repeating: "0", count: 64))'",
            "UPDATE issued_offer SET grant_id = NULL, places = 1",
        ]
        for change in changes {
            let bench = try await bench("100")
            try await bench.grant("subscribers", to: "100")
            _ = try await bench.granted(order("subscribers", "100"))
            try await verify(bench)
            try await bench.write { transaction, _ in try transaction.execute(Statement(change)) }
            await #expect(throws: BrokenRow.self, "\(change)") { try await verify(bench) }
        }
    }

    /// Proves the ledger as `offerd verify-ledger` does.
    private func verify(_ bench: Workbench) async throws {
        let verification = LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil)
        _ = try await bench.database.read { try verification.verify($0) }
    }
}
