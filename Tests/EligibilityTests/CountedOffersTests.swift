import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("uses under a limit across offers")
struct CountedOffersTests {
    private static let start = Instant(milliseconds: 1_767_225_600_000)
    private static let now = start.adding(milliseconds: 90 * Instant.Duration.day)

    private static func offer(_ id: OfferId, _ product: ProductId, limits: [Limit] = []) -> Offer {
        Offer(
            id: id, type: .promotional, delivery: .signature, offerIdentifier: "same50", products: [product],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: limits)
    }

    /// Used "same50" of the group once.
    private static func facts(in group: SubscriptionGroupId) -> SubjectFacts {
        let used = Transaction.fixture("1", group: group, purchased: start) {
            $0.offerType = .promotional
            $0.offerIdentifier = "same50"
        }
        return SubjectFacts(
            history: History(
                transactions: [Recorded(payload: used, payloadBytes: [1], provenance: .serverAPI, sequence: 1)]))
    }

    private static func question(groups: [OfferId: SubscriptionGroupId]) -> Question {
        let other = offer("basic", "com.example.basic.monthly")
        var asked = offer(
            "pro", "com.example.pro.monthly", limits: [.perCustomer(count: 1, window: nil, across: .all)])
        asked.offerIdentifier = "pro50"
        return Question(
            now: now, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: asked,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001", offers: [asked, other],
            offerGroups: groups)
    }

    @Test(
        "a use is recognised by Apple's name of the offer in its own group; where the group is not known, by the name",
        arguments: [
            ([:], "21500002", Verdict.violated), ([:], "21500003", .violated),
            (["basic": "21500002"], "21500002", .violated), (["basic": "21500002"], "21500003", .satisfied),
        ] as [([OfferId: SubscriptionGroupId], SubscriptionGroupId, Verdict)])
    func groups(groups: [OfferId: SubscriptionGroupId], usedIn: SubscriptionGroupId, verdict: Verdict) {
        let decision = decide(Self.question(groups: groups), facts: Self.facts(in: usedIn))
        #expect(decision.findings.first { $0.rule == .limitCustomer }?.verdict == verdict)
    }

    @Test("the length of another offer tells its uses apart where Apple does not state one")
    func lengths() throws {
        var facts = Self.facts(in: "21500002")
        let next = Transaction.fixture(
            "2", original: "1", group: "21500002", purchased: Self.start.adding(months: 1)
        ) {
            $0.offerType = .promotional
            $0.offerIdentifier = "same50"
            $0.transactionReason = .renewal
        }
        facts.history.transactions.append(
            Recorded(payload: next, payloadBytes: [2], provenance: .serverAPI, sequence: 2))
        let finding = try #require(
            decide(Self.question(groups: ["basic": "21500002"]), facts: facts).findings
                .first { $0.rule == .limitCustomer })
        // The offer lasts one month, so the second month with it is another use.
        #expect(finding.evidence.first?.observed == .number(2))
    }
}
