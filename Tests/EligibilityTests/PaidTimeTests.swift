import Testing

@testable import OfferModel

@Suite("time paid for")
struct PaidTimeTests {
    private static let now = Instant(milliseconds: 1_780_272_000_000)

    /// A customer with a complete history of one paid purchase that Apple gave no end.
    private static let facts: SubjectFacts = {
        var transaction = Transaction(
            transactionId: "1", originalTransactionId: "1", bundleId: "com.example.pro", productId: "monthly",
            purchaseDate: now.adding(months: -4), signedDate: now.adding(months: -4))
        transaction.subscriptionGroupIdentifier = "21500001"
        transaction.type = .autoRenewableSubscription
        transaction.inAppOwnershipType = .purchased
        transaction.price = 9_990
        transaction.currency = "USD"
        var history = History()
        history.transactions = [
            Recorded(payload: transaction, payloadBytes: [1], provenance: .serverAPI, sequence: 1)
        ]
        history.coverage = Coverage(level: .complete, asOf: now, provenance: .caller)
        return SubjectFacts(history: history)
    }()

    @Test(
        "a paid purchase without an end proves neither that nothing was paid nor how much was (invariant 3)",
        arguments: ["subscription.paidPeriods", "subscription.paidMonths"])
    func withoutEnd(fact: String) {
        var offer = Offer(
            id: "o", type: .promotional, delivery: .signature, offerIdentifier: "o", products: ["monthly"],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
        offer.eligibility = .comparison(Comparison(fact: fact, comparisonOperator: .atMost, operands: [.number(0)]))
        let question = Question(
            now: Self.now, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
            productId: "monthly", subscriptionGroupIdentifier: "21500001", groupProducts: ["monthly"])
        let finding = decide(question, facts: Self.facts).findings.first { $0.rule == .ruleEligibility }
        #expect(finding?.verdict == .undetermined)
        #expect(finding?.children == nil)
    }
}
