import Testing

@testable import OfferModel

@Suite("renamed offers")
struct RenamedOfferTests {
    @Test("an offer renamed with `formerly` decides as it did under its former id, for 1,000 random histories")
    func sameDecision() {
        var (outcomes, forgetful) = (Set<Outcome>(), 0)
        for seed in 1...1_000 as ClosedRange<UInt64> {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.withTerms(random.offer())
            if seed % 3 == 0 { offer.rollout = Rollout(percent: 60, holdout: 20) }
            if seed % 4 == 0 { offer.limits.append(.total(count: 10)) }
            var other = random.otherOffer()
            other.excludes = ["offer"]
            var facts = random.facts(random.history())
            facts.rolloutKey = "customer-\(seed)"
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            facts.issuedOffers = random.issuedOffers(of: offer) + random.issuedOffers(of: other)
            if seed % 5 < 2 { facts.openedAt["offer"] = random.instant() }
            facts.counters["offer"] = random.counters(open: [], at: now)
            var renamed = offer
            renamed.id = "renamed"
            renamed.formerly = ["offer"]
            var later = facts
            later.counters = ["renamed": facts.counters["offer"]].compactMapValues(\.self)
            for place in later.issuedOffers.indices where place % 2 == 1 && later.issuedOffers[place].offerId == "offer"
            {
                later.issuedOffers[place].offerId = "renamed"
            }
            let question = random.question(offer, at: now)

            for (before, after) in [(offer, renamed), (other, other)] {
                let first = Self.decide(question, about: before, among: [offer, other], facts)
                let second = Self.decide(question, about: after, among: [renamed, other], later)
                #expect(first.outcome == second.outcome, "seed \(seed)")
                #expect(first.findings.map(Self.words) == second.findings.map(Self.words), "seed \(seed)")
                outcomes.insert(second.outcome)
            }
            renamed.formerly = []
            let forgotten = Self.decide(question, about: renamed, among: [renamed, other], later)
            let first = Self.decide(question, about: offer, among: [offer, other], facts)
            if forgotten.findings.map(\.verdict) != first.findings.map(\.verdict) { forgetful += 1 }
        }
        #expect(outcomes == Set(Outcome.allCases), "the seeds should reach every outcome")
        #expect(forgetful > 100, "without `formerly` many decisions differ: \(forgetful)")
    }

    private static func decide(
        _ question: Question, about offer: Offer, among offers: [Offer], _ facts: SubjectFacts
    ) -> Decision {
        var question = question
        question.offersOfCatalog = offers
        question.compiledOffer = question.catalog.compiled(offer)
        return OfferModel.decide(question, facts: facts)
    }

    /// All that a finding says, with the former id for the new one.
    private static func words(_ finding: Finding) -> String {
        let own = [
            finding.rule.rawValue, finding.verdict.rawValue, finding.reason.rawValue, finding.message,
            "\(finding.evidence)", "\(finding.turningPoint.map { "\($0)" } ?? "-")",
        ]
        return (own + (finding.children ?? []).map(words)).joined(separator: "\n")
            .replacing("`renamed`", with: "`offer`")
    }
}
