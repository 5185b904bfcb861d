import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("a subject prepared for many questions")
struct PreparedSubjectTests {
    /// Questions about one subject that differ in all that is kept between them: offer, catalog, instant, group, the
    /// group's products, and whether the history counts as proven.
    private static func questions(_ random: inout RandomSubject) -> [Question] {
        let offers = [random.withTerms(random.offer()), random.otherOffer()]
        let instants = [random.instant(), random.instant()]
        return instants.flatMap { now in
            offers.flatMap { offer -> [Question] in
                var asked = random.question(offer, at: now)
                asked.offersOfCatalog = offers
                var longer = asked
                longer.offerAsked.periodCount += 2
                var elsewhere = asked
                elsewhere.subscriptionGroupIdentifier = "21500002"
                elsewhere.groupsOfOffers = [offers[1].id: "21500002"]
                var supposed = asked
                supposed.takesHistoryAsProven = true
                var misplaced = asked
                misplaced.groupProducts = ["com.example.basic.monthly"]
                var alone = asked
                alone.offersOfCatalog = []
                return [asked, longer, elsewhere, supposed, misplaced, alone, asked]
            }
        }
    }

    @Test("it decides and looks ahead as the facts alone do, whatever was asked before (invariant 4)")
    func sameAnswers() {
        var outcomes: Set<Outcome> = []
        for seed in UInt64(1)...30 {
            var random = RandomSubject(seed: seed)
            let questions = Self.questions(&random)
            var facts = random.facts(random.history(misplacedPercent: 5))
            facts.issuedOffers = questions.first.map { random.issuedOffers(of: $0.offer) } ?? []
            let subject = PreparedSubject(facts)
            for (place, question) in questions.enumerated() {
                let (decision, outlook) = decideAhead(question, about: subject)
                outcomes.insert(decision.outcome)
                #expect(decision == decide(question, facts: facts), "seed \(seed), question \(place)")
                #expect(decision == decide(question, about: subject), "seed \(seed), question \(place)")
                #expect(outlook == decision.outlook(question, facts: facts), "seed \(seed), question \(place)")
                #expect(
                    outlook == decision.outlook(question, about: subject), "seed \(seed), question \(place)")
            }
        }
        #expect(outcomes == Set(Outcome.allCases), "the seeds should reach every outcome")
    }

    @Test("between two transitions the state of a group is the same but for its instant")
    func states() {
        var changes = 0
        for seed in UInt64(1)...400 {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            let question = random.question(random.offer(), at: now)
            let facts = random.facts(random.history(transactions: 5, misplacedPercent: 5))
            let subject = facts.subject(of: question)
            guard let view = subject.requested else { continue }
            changes += view.transitions.count { $0 > now }
            for _ in 0..<8 {
                let later = max(now, random.instant())
                #expect(subject.state(of: view.group, at: later) == view.state(at: later), "seed \(seed)")
            }
        }
        #expect(changes > 100, "the seeds should reach many transitions")
    }
}
