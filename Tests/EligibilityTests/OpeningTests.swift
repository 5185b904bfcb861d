import Testing

@testable import OfferModel

@Suite("decisions that open an offer")
struct OpeningTests {
    private static let now = Instant(milliseconds: 1_780_000_000_000)

    private static func question(_ change: (inout Question) -> Void = { _ in }) -> Question {
        var offer = Offer(
            id: "trial", type: .introductory, delivery: .introductoryEligibility, offerIdentifier: nil,
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(days: 7), periodCount: 1,
            limits: [.perCustomer(count: 1, window: nil, across: .thisOffer)])
        offer.availableFor = Period(timeMilliseconds: 48 * Instant.Duration.hour)
        offer.eligibility = .comparison(
            Comparison(fact: "signals.interactions", comparisonOperator: .atLeast, operands: [.number(50)]))
        var question = Question(
            now: now, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001",
            signals: ["interactions": .number(50)])
        change(&question)
        return question
    }

    private static func opening(_ question: Question, _ facts: SubjectFacts = SubjectFacts()) -> Instant? {
        decide(question, facts: facts).opening(question, facts: facts)
    }

    @Test("the first decision that finds the condition held opens the offer, whatever else stands against it")
    func opens() {
        #expect(Self.opening(Self.question()) == Self.now)
    }

    @Test("a condition that does not hold or is not known opens nothing")
    func closed() {
        #expect(Self.opening(Self.question { $0.signals = ["interactions": .number(49)] }) == nil)
        #expect(Self.opening(Self.question { $0.signals = [:] }) == nil)
    }

    @Test("an offer is opened once, also after it has closed")
    func once() {
        let opened = Self.now.adding(milliseconds: -Instant.Duration.day)
        #expect(Self.opening(Self.question(), SubjectFacts(openedAt: ["trial": opened])) == nil)
        let closed = Self.now.adding(milliseconds: -90 * Instant.Duration.day)
        #expect(Self.opening(Self.question(), SubjectFacts(openedAt: ["trial": closed])) == nil)
        #expect(Self.opening(Self.question(), SubjectFacts(openedAt: ["other": opened])) == Self.now)
    }

    @Test("an offer that stays open for ever is not opened")
    func plain() {
        #expect(Self.opening(Self.question { $0.offerAsked.availableFor = nil }) == nil)
    }

    @Test("what keeps the offer back on our side does not use up the customer's time")
    func heldBack() {
        #expect(Self.opening(Self.question { $0.pause = .offer }) == nil)
        #expect(Self.opening(Self.question { $0.offerAsked.status = .draft }) == nil)
        #expect(Self.opening(Self.question { $0.offerAsked.starts = Self.now.adding(milliseconds: 1) }) == nil)
        #expect(Self.opening(Self.question { $0.offerAsked.environments = [.sandbox] }) == nil)
        #expect(Self.opening(Self.question { $0.offerAsked.rollout = Rollout(percent: 0) }) == nil)
        #expect(Self.opening(Self.question { $0.offerAsked.rollout = Rollout(percent: 100, holdout: 100) }) == nil)
        #expect(Self.opening(Self.question { $0.offerAsked.rollout = Rollout(percent: 100) }) == Self.now)
    }
}
