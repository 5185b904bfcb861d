import OfferModel
import OfferTestSupport
import Testing

@testable import OfferEligibility

@Suite("properties over random histories")
struct PropertyTests {
    private static let seeds: ClosedRange<UInt64> = 1...400

    @Test("any order and repetition of a 12-transaction history gives the same states and decision (invariant 7)")
    func orderOfData() {
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var facts = SubjectFacts(history: random.history(misplacedPercent: 10))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            let offer = random.offer()
            facts.slots = random.slots(of: offer)
            let question = random.question(offer, at: now)
            let decision = decide(question, facts: facts)
            let states = facts.history.subscriptionStates(at: now)
            for _ in 0..<5 {
                var other = facts
                other.history = random.reordered(facts.history)
                other.slots = random.shuffled(facts.slots)
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
            let facts = SubjectFacts(history: random.history())
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
            var facts = SubjectFacts(history: random.history(transactions: 3))
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
            let isMisplaced = facts.history.currentTransactions.contains {
                $0.payload.subscriptionGroupIdentifier == nil
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
            var facts = SubjectFacts(history: random.history(transactions: 4))
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
            .introductoryNotSubscribed, .limitCustomer,
        ])
    func turningPoints(of id: RuleId) {
        var flips = 0
        for seed in UInt64(1)...2_000 {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            while !Policy.standard.rules.contains(where: { $0.id == id && $0.concerns(offer) }) {
                offer = random.offer()
            }
            let question = random.question(offer, at: now)
            var facts = SubjectFacts(history: random.history(transactions: 3))
            facts.slots = random.slots(of: offer)
            guard let before = verdict(question, facts, at: now, of: id), case .at(let instant) = before.turningPoint
            else { continue }
            flips += 1
            let wanted: Verdict = before.verdict == .satisfied ? .violated : .satisfied
            #expect(verdict(question, facts, at: instant, of: id)?.verdict == wanted, "seed \(seed)")
            let earlier = verdict(question, facts, at: instant.adding(milliseconds: -1), of: id)
            #expect(earlier?.verdict != wanted, "seed \(seed)")
        }
        #expect(flips > 10, "the seeds should reach many turning points")
    }

    @Test("a condition flips at its turning point's millisecond and not one before")
    func turningPoints() {
        var flips = 0
        for seed in UInt64(1)...2_000 {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.offer()
            while offer.eligibility == nil { offer = random.offer() }
            let question = random.question(offer, at: now)
            let facts = SubjectFacts(history: random.history(transactions: 3))
            guard let before = verdict(question, facts, at: now), case .at(let instant) = before.turningPoint else {
                continue
            }
            flips += 1
            let wanted: Verdict = before.verdict == .satisfied ? .violated : .satisfied
            #expect(verdict(question, facts, at: instant)?.verdict == wanted, "seed \(seed)")
            #expect(verdict(question, facts, at: instant.adding(milliseconds: -1))?.verdict != wanted, "seed \(seed)")
        }
        #expect(flips > 50, "the seeds should reach many turning points")
    }

    /// As if the history were complete and nothing else happened until then.
    private func verdict(
        _ question: Question, _ facts: SubjectFacts, at instant: Instant, of id: RuleId = .ruleEligibility
    ) -> Finding? {
        var later = question
        later.now = instant
        var fresh = facts
        fresh.history.coverage = Coverage(level: .complete, asOf: instant)
        return decide(later, facts: fresh).findings.first { $0.rule == id }
    }
}

/// Answers that it does not know, whatever the rule says.
private struct UncertainRule: Rule {
    let rule: any Rule

    var id: RuleId { rule.id }

    func concerns(_ offer: Offer) -> Bool { rule.concerns(offer) }

    func finding(_ context: RuleContext) -> Finding { undetermined(.historyIncomplete, "not known") }
}
