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
            var facts = SubjectFacts(history: random.history())
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

    @Test("what is undetermined is never eligible, and no outcome is without its findings (invariant 3)")
    func undeterminedIsNeverEligible() {
        var outcomes: Set<Outcome> = []
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let question = random.question(random.offer(), at: random.instant())
            let decision = decide(question, facts: SubjectFacts(history: random.history(transactions: 3)))
            let verdicts = Set(decision.findings.map(\.verdict))
            outcomes.insert(decision.outcome)
            switch decision.outcome {
            case .eligible: #expect(verdicts.isDisjoint(with: [.violated, .undetermined]), "seed \(seed)")
            case .undetermined: #expect(verdicts.contains(.undetermined) && !verdicts.contains(.violated))
            case .ineligible: #expect(verdicts.contains(.violated), "seed \(seed)")
            }
        }
        #expect(outcomes == Set(Outcome.allCases), "the seeds should reach every outcome")
    }

    @Test("knowing less never makes anybody eligible (invariant 3)")
    func lessIsNeverMore() {
        for seed in Self.seeds {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            let question = random.question(random.offer(), at: now)
            var facts = SubjectFacts(history: random.history(transactions: 4))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            let informed = decide(question, facts: facts)
            facts.history.coverage = Coverage(level: .partial)
            if decide(question, facts: facts).outcome == .eligible {
                #expect(informed.outcome == .eligible, "seed \(seed)")
            }
            #expect(decide(question, facts: SubjectFacts()).outcome != .eligible, "seed \(seed)")
        }
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
            let before = verdict(question, facts, at: now)
            guard case .at(let instant) = before.turningPoint else { continue }
            flips += 1
            let wanted: Verdict = before.verdict == .satisfied ? .violated : .satisfied
            #expect(verdict(question, facts, at: instant).verdict == wanted, "seed \(seed)")
            #expect(verdict(question, facts, at: instant.adding(milliseconds: -1)).verdict != wanted, "seed \(seed)")
        }
        #expect(flips > 50, "the seeds should reach many turning points")
    }

    /// As if the history were complete and nothing else happened until then.
    private func verdict(_ question: Question, _ facts: SubjectFacts, at instant: Instant) -> Finding {
        var later = question
        later.now = instant
        var fresh = facts
        fresh.history.coverage = Coverage(level: .complete, asOf: instant)
        let decision = decide(later, facts: fresh)
        return decision.findings.first { $0.rule == .ruleEligibility }
            ?? Finding(rule: .ruleEligibility, verdict: .notApplicable, reason: .notApplicable, message: "")
    }
}
