import Foundation
import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("properties over random histories")
struct PropertyTests {
    /// Every property runs over so many random subjects; `OFFERD_PROPERTY_SEEDS=10000` is the run before a release.
    private static let count =
        ProcessInfo.processInfo.environment["OFFERD_PROPERTY_SEEDS"].flatMap { UInt64($0) } ?? 400
    private static let seeds = 1...max(count, 400)
    /// Those that look for what is rarer need more of them.
    private static let manySeeds = 1...max(count, 2_000)

    @Test("any order and repetition of a 12-transaction history gives the same states and decision (invariant 7)")
    func orderOfData() {
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var facts = random.facts(random.history(misplacedPercent: 10))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            let offer = random.offer()
            facts.issuedOffers = random.issuedOffers(of: offer)
            let question = random.question(offer, at: now)
            let decision = decide(question, facts: facts)
            let states = facts.history.subscriptionStates(at: now)
            for _ in 0..<2 {
                var other = facts
                other.history = random.reordered(facts.history)
                other.issuedOffers = random.shuffled(facts.issuedOffers)
                #expect(other.history.subscriptionStates(at: now) == states, "seed \(seed)")
                #expect(other.redemptions() == facts.redemptions(), "seed \(seed)")
                #expect(decide(question, facts: other) == decision, "seed \(seed)")
            }
        }
    }

    @Test("the order of the rules never changes the outcome or a finding")
    func orderOfRules() {
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            let facts = random.facts(random.history())
            let question = random.question(random.offer(), at: now)
            let decision = decide(question, facts: facts)
            var policy = Policy.standard
            policy.rules = random.shuffled(policy.rules)
            let other = decide(question, facts: facts, policy: policy)
            #expect(other.outcome == decision.outcome, "seed \(seed)")
            #expect(Set(other.findings) == Set(decision.findings), "seed \(seed)")
        }
    }

    @Test("taking any finding's certainty away never leaves the outcome eligible (invariant 3)")
    func undeterminedIsNeverEligible() {
        var outcomes: Set<Outcome> = []
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let question = random.question(random.offer(), at: random.instant())
            var facts = random.facts(random.history(transactions: 3))
            if seed % 2 == 0 { facts.history.coverage = Coverage(level: .complete, asOf: question.now) }
            let outcome = decide(question, facts: facts).outcome
            outcomes.insert(outcome)
            for id in Policy.standard.rules.map(\.id) {
                var policy = Policy.standard
                policy.rules = policy.rules.map { $0.id == id ? UncertainRule(rule: $0) : $0 }
                guard policy.rules.contains(where: { $0.id == id && $0.concerns(question.offer) }) else { continue }
                let expected: Outcome = outcome == .eligible ? .undetermined : outcome
                let other = decide(question, facts: facts, policy: policy)
                #expect(other.outcome != .eligible, "seed \(seed), \(id.rawValue)")
                // Where it was the only refusal, what is left is not known either.
                let isOnlyRefusal = !other.findings.contains { $0.verdict == .violated }
                #expect(other.outcome == (isOnlyRefusal ? .undetermined : expected), "seed \(seed), \(id.rawValue)")
            }
        }
        #expect(outcomes == Set(Outcome.allCases), "the seeds should reach every outcome")
    }

    @Test("an absence is never believed without a complete history whose rows name their groups (invariant 3)")
    func absenceNeedsProof() {
        var seen = 0
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            while offer.type != .introductory { offer = random.offer() }
            let question = random.question(offer, at: now)
            var facts = SubjectFacts(history: random.history(transactions: 3, misplacedPercent: seed % 2 == 0 ? 60 : 0))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            let isMisplaced = facts.history.purchases.rows.contains {
                $0.isSubscription && $0.payload.subscriptionGroupIdentifier == nil
                    || $0.payload.subscriptionGroupIdentifier == "999"
                        && question.groupProducts.contains($0.payload.productId)
            }
            seen += isMisplaced ? 1 : 0
            if isMisplaced {
                #expect(decide(question, facts: facts).outcome != .eligible, "seed \(seed)")
            }
            facts.history = random.forgetful(facts.history)
            #expect(decide(question, facts: facts).outcome != .eligible, "seed \(seed)")
        }
        #expect(seen > 50, "the seeds should reach many rows of other groups")
    }

    @Test("without a complete history nobody is eligible who is not with it (invariant 3)")
    func lessIsNeverMore() {
        var shown = 0
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            let question = random.question(random.offer(), at: now)
            var facts = random.facts(random.history(transactions: 4))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            let informed = decide(question, facts: facts)
            facts.history.coverage = Coverage(level: .partial)
            if decide(question, facts: facts).outcome == .eligible {
                shown += 1
                #expect(informed.outcome == .eligible, "seed \(seed)")
            }
            #expect(decide(question, facts: SubjectFacts()).outcome != .eligible, "seed \(seed)")
        }
        #expect(shown > 5, "the seeds should reach eligibility without a complete history")
    }

    @Test(
        "a rule flips at its turning point's millisecond and not one before",
        arguments: [
            RuleId.winBackLapsed, .winBackNoActiveInGroup, .winBackTimeSinceLastSubscribed, .winBackWaitBetweenOffers,
            .introductoryNotSubscribed, .limitCustomer, .limitCustomerWindow, .limitCoolDown, .limitExcludes,
            .ruleAvailableFor, .promotionalNotApplied,
        ])
    func turningPoints(of id: RuleId) {
        var flips = 0
        for seed in Self.manySeeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.withTerms(random.offer())
            while !Policy.standard.rules.contains(where: { $0.id == id && $0.concerns(offer) }) {
                offer = random.withTerms(random.offer())
            }
            let other = random.otherOffer()
            var question = random.question(offer, at: now)
            question.offersOfCatalog = [offer, other]
            var facts = random.facts(random.history(transactions: 3))
            facts.issuedOffers = random.issuedOffers(of: offer) + random.issuedOffers(of: other)
            facts.openedAt = ["offer": random.instant(from: now.adding(milliseconds: -1_000_000_000), to: now)]
            if flipsExactly(question, facts, at: now, of: id, seed: seed) { flips += 1 }
        }
        #expect(flips > 10, "the seeds should reach many turning points")
    }

    @Test(
        "a limit for everyone flips at its turning point's millisecond and not one before, and not without one",
        arguments: [RuleId.limitTotal, .limitBudget])
    func sharedTurningPoints(of id: RuleId) {
        var (flips, finals) = (0, 0)
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            offer.limits = [.total(count: 10), .budget(Money(milliunits: 99_900, currency: "USD"))]
            var question = random.question(offer, at: now)
            question.products = [CaseWorld.product]
            var facts = random.facts(random.history(transactions: 3))
            facts.issuedOffers = random.issuedOffers(of: offer)
            let own = facts.openIssuedOffer(of: offer, at: now)
            facts.issuedOffers.removeAll { $0.isOpen(at: now) && $0.id != own?.id }
            // Without the others a redemption may be the own issued offer's, which then is no open place of the
            // counters.
            let open = facts.openIssuedOffer(of: offer, at: now)
            facts.counters[offer.id] = random.counters(open: open.map { [$0] } ?? [], at: now)
            if flipsExactly(question, facts, at: now, of: id, seed: seed) {
                flips += 1
            } else if let before = verdict(question, facts, at: now, of: id), before.verdict != .undetermined {
                finals += 1
                let later = verdict(question, facts, at: now.adding(months: 24), of: id)
                #expect(later?.verdict == before.verdict, "seed \(seed)")
            }
        }
        #expect(flips > 50 && finals > 50, "the seeds should reach both")
    }

    @Test("a condition flips at its turning point's millisecond and not one before")
    func turningPoints() {
        var flips = 0
        for seed in Self.manySeeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            while offer.eligibility == nil { offer = random.offer() }
            let question = random.question(offer, at: now)
            let facts = random.facts(random.history(transactions: 3))
            if flipsExactly(question, facts, at: now, seed: seed) { flips += 1 }
        }
        #expect(flips > 50, "the seeds should reach many turning points")
    }

    @Test("a condition about any fact flips at its turning point's millisecond and not one before", arguments: timed)
    func turningPoints(of name: String) throws {
        let fact = try #require(FactName(name))
        var flips = 0
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            offer.eligibility = random.comparison(of: fact, name)
            let question = random.question(offer, at: now)
            let facts = random.facts(random.history(transactions: 4))
            if flipsExactly(question, facts, at: now, seed: seed) { flips += 1 }
        }
        #expect(flips > 5, "the seeds should reach many turning points")
    }

    /// Facts that time alone changes.
    private static let timed =
        FactVocabulary.all.filter { $0.unit == "days" || $0.unit == "months" }.map(\.name)
        .filter { FactName($0)?.dependsOnTime == true } + ["subscription.state"]

    @Test("without a turning point no later day of a year turns a condition around")
    func noTurningPoint() {
        var seen = 0
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            while offer.eligibility == nil { offer = random.offer() }
            let question = random.question(offer, at: now)
            let facts = random.facts(random.history(transactions: 3))
            guard let before = verdict(question, facts, at: now) else { continue }
            if case .at = before.turningPoint { continue }
            seen += 1
            let wanted: Verdict = before.verdict == .satisfied ? .violated : .satisfied
            for days in stride(from: Int64(1), through: 365, by: 29) {
                let later = now.adding(milliseconds: days * Instant.Duration.day + days)
                #expect(verdict(question, facts, at: later)?.verdict != wanted, "seed \(seed), \(days) days later")
            }
        }
        #expect(seen > 50, "the seeds should reach many conditions without a turning point")
    }

    @Test("a part of a history never decides a count or a day against the whole of it (invariant 3)")
    func partsAgreeWithTheWhole() throws {
        var decided = 0
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            let name = random.pick(Self.monotonous)
            offer.eligibility = random.comparison(of: try #require(FactName(name)), name)
            let question = random.question(offer, at: now)
            var facts = random.facts(random.history(transactions: 6))
            facts.issuedOffers = random.issuedOffers(of: offer)
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            // What restates another row, or outranks an unproven one, is news and not a part that was missing.
            let current = CurrentHistory(facts.history)
            facts.history.transactions = current.transactions
            facts.history.appTransactions = current.appTransactions
            facts.history.renewalInfos = facts.history.renewalInfos.map { row in
                Recorded(
                    payload: row.payload, payloadBytes: row.payloadBytes, provenance: .notification,
                    sequence: row.sequence)
            }
            let whole = decide(question, facts: facts).findings.first { $0.rule == .ruleEligibility }
            facts.history = random.forgetful(facts.history)
            let part = decide(question, facts: facts).findings.first { $0.rule == .ruleEligibility }
            guard let part, part.verdict == .satisfied || part.verdict == .violated else { continue }
            decided += 1
            #expect(whole?.verdict == part.verdict, "seed \(seed): \(part.message); \(whole?.message ?? "")")
        }
        #expect(decided > 50, "the seeds should reach many decided parts")
    }

    private static let monotonous = [
        "customer.daysSinceFirstPurchase", "customer.daysSinceFirstSeen", "customer.everSubscribed",
        "customer.refunds", "customer.offersRedeemed", "customer.daysSinceLastOffer", "customer.redeemed.offer",
        "customer.redeemed.other", "customer.owns.lifetime", "customer.purchases.coins", "subscription.everInGroup",
    ]

    @Test("negation, De Morgan and double negation hold of any condition at any time")
    func lawsOfLogic() {
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            let facts = random.facts(random.history(transactions: 3))
            let question = random.question(offer, at: now)
            let nodes = (0..<3).map { _ in random.node(depth: 2) }
            func judged(_ node: RuleNode) -> Verdict? {
                offer.eligibility = node
                var asked = question
                asked.offerAsked = offer
                return verdict(asked, facts, at: now)?.verdict
            }
            let each = nodes.compactMap(judged)
            #expect(judged(.all(nodes)) == Kleene.all(each), "seed \(seed)")
            #expect(judged(.any(nodes)) == Kleene.any(each), "seed \(seed)")
            #expect(judged(.not(.all(nodes))) == judged(.any(nodes.map { .not($0) })), "seed \(seed)")
            #expect(judged(.not(.any(nodes))) == judged(.all(nodes.map { .not($0) })), "seed \(seed)")
            #expect(judged(.not(.not(nodes[0]))) == each.first, "seed \(seed)")
            #expect(judged(.all([.all(nodes), nodes[0]])) == judged(.all(nodes)), "seed \(seed)")
        }
    }

    /// Checks that a rule which names an instant flips then and not a millisecond before.
    ///
    /// - Returns: whether it names one.
    private func flipsExactly(
        _ question: Question, _ facts: SubjectFacts, at now: Instant, of id: RuleId = .ruleEligibility, seed: UInt64
    ) -> Bool {
        guard let before = verdict(question, facts, at: now, of: id), case .at(let instant) = before.turningPoint else {
            return false
        }
        let wanted: Verdict = before.verdict == .satisfied ? .violated : .satisfied
        #expect(verdict(question, facts, at: instant, of: id)?.verdict == wanted, "seed \(seed)")
        let earlier = verdict(question, facts, at: instant.adding(milliseconds: -1), of: id)
        #expect(earlier?.verdict != wanted, "seed \(seed)")
        return true
    }

    /// As if the history were complete and nothing else happened until then.
    private func verdict(
        _ question: Question, _ facts: SubjectFacts, at instant: Instant, of id: RuleId = .ruleEligibility
    ) -> Finding? {
        var later = question
        later.now = instant
        var policy = Policy.standard
        policy.rules.removeAll { $0.id != id }
        var fresh = facts
        fresh.history.coverage = Coverage(level: .complete, asOf: instant)
        return decide(later, facts: fresh, policy: policy).findings.first
    }
}

/// Answers that it does not know, whatever the rule says.
private struct UncertainRule: Rule {
    let rule: any Rule

    var id: RuleId { rule.id }
    var requirement: String { rule.requirement }

    func concerns(_ offer: Offer) -> Bool { rule.concerns(offer) }

    func finding(_ context: RuleContext) -> Finding { undetermined(.historyIncomplete, "not known") }
}
