import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("when a decision changes")
struct OutlookTests {
    private static let seeds: ClosedRange<UInt64> = 1...500

    /// A subject, an offer with every kind of term, and the instant of the question, by a seed.
    private struct Situation {
        var random: RandomSubject
        var question: Question
        var facts: SubjectFacts

        init(seed: UInt64) {
            random = RandomSubject(seed: seed)
            let now = random.instant()
            var offer = random.withTerms(random.offer())
            if seed % 2 == 0 { offer.eligibility = nil }
            let other = random.otherOffer()
            question = random.question(offer, at: now)
            question.offersOfCatalog = [offer, other]
            question.groupsOfOffers = ["offer": "21500001", "offer-b": "21500001"]
            facts = SubjectFacts(history: random.history(transactions: seed % 3 == 0 ? 1 : 3))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            facts.issuedOffers = random.issuedOffers(of: offer) + random.issuedOffers(of: other)
            if seed % 4 < 2 { facts.openedAt = ["offer": random.instant()] }
        }

        /// As if nothing else happened until then and the history were still known to be complete.
        func outcome(at instant: Instant) -> Outcome {
            var (question, facts) = (question, facts)
            question.now = instant
            facts.history.coverage.asOf = instant
            return decide(question, facts: facts).outcome
        }
    }

    @Test("a decision turns at its combined turning point's millisecond and at no instant before")
    func exact() {
        var turns: [Outcome: Int] = [:]
        for seed in Self.seeds {
            var situation = Situation(seed: seed)
            let now = situation.question.now
            let decision = decide(situation.question, facts: situation.facts)
            let outlook = decision.outlook(situation.question, facts: situation.facts)
            let isEligible = decision.outcome == .eligible
            guard let instant = outlook.changesAt else { continue }
            turns[decision.outcome, default: 0] += 1
            #expect(instant > now, "seed \(seed)")
            #expect((situation.outcome(at: instant) == .eligible) != isEligible, "seed \(seed)")
            let last = instant.adding(milliseconds: -1)
            for moment in [last] + (0..<20).map({ _ in situation.random.instant(from: now, to: last) }) {
                #expect((situation.outcome(at: moment) == .eligible) == isEligible, "seed \(seed), \(moment)")
            }
        }
        #expect(turns[.eligible, default: 0] > 8, "the seeds should reach many ends: \(turns)")
        #expect(turns[.ineligible, default: 0] > 8, "the seeds should reach many beginnings: \(turns)")
    }

    @Test("without a combined turning point no instant of the next two years gives another answer")
    func none() {
        var seen = 0
        for seed in Self.seeds {
            var situation = Situation(seed: seed)
            let now = situation.question.now
            let decision = decide(situation.question, facts: situation.facts)
            let outlook = decision.outlook(situation.question, facts: situation.facts)
            guard outlook.changesAt == nil else { continue }
            seen += 1
            let isEligible = decision.outcome == .eligible
            let end = now.adding(milliseconds: 730 * Instant.Duration.day)
            for moment in (0..<40).map({ _ in situation.random.instant(from: now, to: end) }) {
                #expect((situation.outcome(at: moment) == .eligible) == isEligible, "seed \(seed), \(moment)")
            }
            #expect(isEligible || outlook.isFinal != !outlook.events.isEmpty, "seed \(seed)")
        }
        #expect(seen > 70, "the seeds should reach many decisions that stay: \(seen)")
    }

    @Test("a rule that holds now and will not when the others do moves the date on")
    func flipBefore() throws {
        // The offer runs from 10 to 20 June.
        var question = Self.question()
        question.offerAsked.starts = Instant(iso8601: "2026-06-10T00:00:00Z")
        question.offerAsked.ends = Instant(iso8601: "2026-06-20T00:00:00Z")
        let facts = Self.subscriber()
        let decision = decide(question, facts: facts)
        let outlook = decision.outlook(question, facts: facts)
        #expect(outlook.changesAt == Instant(iso8601: "2026-06-10T00:00:00Z"))
        // It also needs 25 days since the end of access, which is on 1 June: then the offer has ended.
        question.offerAsked.eligibility = .comparison(
            Comparison(
                fact: "subscription.daysSinceExpired", comparisonOperator: .atLeast, operands: [.number(25)]))
        let late = decide(question, facts: facts)
        let never = late.outlook(question, facts: facts)
        #expect(never.changesAt == nil)
        #expect(never.isFinal)
        #expect(Explanation(late, outlook: never).change == "this will not change")
    }

    @Test("what waits for an event says which, and before when it is of no use")
    func events() {
        var question = Self.question()
        question.pause = .offer
        question.offerAsked.starts = Instant(iso8601: "2026-06-10T00:00:00Z")
        question.offerAsked.eligibility = .comparison(
            Comparison(fact: "signals.interactions", comparisonOperator: .atLeast, operands: [.number(50)]))
        let facts = Self.subscriber()
        let decision = decide(question, facts: facts)
        let outlook = decision.outlook(question, facts: facts)
        #expect(outlook.changesAt == nil)
        #expect(outlook.events == [.offerResumed, .signalReceived])
        #expect(outlook.notBefore == Instant(iso8601: "2026-06-10T00:00:00Z"))
        #expect(outlook.turningPoint == .event(.offerResumed))
        #expect(
            Explanation(decision, outlook: outlook).change
                == "not eligible until the pause is lifted and the backend sends the signal, or a different value of it, "
                + "not before 2026-06-10T00:00:00Z")
    }

    /// Asked on 5 May 2026.
    private static func question() -> Question {
        let offer = Offer(
            id: "stay", type: .promotional, delivery: .signature, offerIdentifier: "stay50",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        return Question(
            now: Instant(iso8601: "2026-05-05T00:00:00Z") ?? .distantPast,
            scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001")
    }

    /// Bought on 1 May 2026, ends on 1 June, does not renew.
    private static func subscriber() -> SubjectFacts {
        let bought = Instant(iso8601: "2026-05-01T00:00:00Z") ?? .distantPast
        let transaction = Transaction.fixture("1", purchased: bought)
        let info = RenewalInfo.fixture("1", signed: bought.adding(milliseconds: 1)) { $0.autoRenewStatus = .off }
        return SubjectFacts(
            history: History(
                transactions: [
                    Recorded(payload: transaction, payloadBytes: [1], provenance: .serverAPI, sequence: 1)
                ],
                renewalInfos: [Recorded(payload: info, payloadBytes: [2], provenance: .serverAPI, sequence: 2)]))
    }
}
