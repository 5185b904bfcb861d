import OfferTestSupport
import Testing

@testable import OfferModel

/// Cases that case files cannot express.
@Suite("facts of customers")
struct CustomerFactTests {
    private let january = Instant(milliseconds: 1_767_225_600_000)

    private func row(_ transaction: Transaction) -> Recorded<Transaction> {
        Recorded(payload: transaction, payloadBytes: [], provenance: .client, sequence: 1)
    }

    private func subject(_ transactions: [Transaction], issuedOffers: [IssuedOffer] = []) -> Subject {
        let now = january.adding(months: 6)
        let history = History(
            transactions: transactions.map(row), coverage: Coverage(level: .complete, asOf: now))
        return SubjectFacts(history: history, issuedOffers: issuedOffers).subject(of: question)
    }

    private var question: Question {
        Question(
            now: january.adding(months: 6), scope: Scope(bundleId: "com.example.pro", environment: .production),
            offer: Offer(
                id: "asked", type: .promotional, delivery: .signature, offerIdentifier: "asked",
                products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1),
                periodCount: 1, limits: []),
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001")
    }

    private func consumable(_ id: TransactionId, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
        .fixture(id, product: "com.example.coins", purchased: january) {
            $0.type = .consumable
            $0.subscriptionGroupIdentifier = nil
            $0.expiresDate = nil
            change(&$0)
        }
    }

    private func value(_ name: String, _ subject: Subject) -> FactValue? {
        let fact = FactReader(question: question, subject: subject).fact(FactName(name), at: question.now, nil)
        guard case .known(let value) = fact.knowledge else { return nil }
        return value
    }

    @Test("purchases of any kind count as the first one, as refunds and for the storefront")
    func otherKinds() {
        let subject = subject([
            consumable("1") {
                $0.revocationDate = $0.purchaseDate.adding(milliseconds: 1)
                $0.revocationReason = 0
                $0.storefront = "CHE"
            }
        ])
        #expect(value("customer.daysSinceFirstPurchase", subject) == .number(181))
        #expect(value("customer.refunds", subject) == .number(1))
        #expect(value("customer.storefront", subject) == .text("CHE"))
        #expect(value("customer.everSubscribed", subject) == .boolean(false))
    }

    @Test(
        "a revocation of an unknown reason is not certainly a refund, nor is one of Apple's without a reason; an operator's is",
        arguments: [
            (Provenance.client, Int?.none, false), (.client, 0, true), (.client, 9, false), (.operator, nil, true),
        ])
    func reasons(provenance: Provenance, reason: Int?, isRefund: Bool) {
        let taken = consumable("1") {
            $0.revocationDate = $0.purchaseDate.adding(milliseconds: 1)
            $0.revocationReason = reason
        }
        let row = Recorded(payload: taken, payloadBytes: [], provenance: provenance, sequence: 1)
        #expect(row.isRefund == (isRefund ? true : nil))
    }

    @Test("an offer that left the catalog is counted by what we issued of it, and by its name at Apple")
    func removedOffer() throws {
        let issuedOffer = IssuedOffer(
            id: try #require(LowercaseUUID("00000001-0000-4000-8000-000000000000")), offerId: "gone",
            offerIdentifier: "gone50", offerType: .promotional, delivery: .signature,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001", issuedAt: january,
            expiresAt: january, countsUntil: january, signings: 1)
        func offered(_ id: TransactionId, _ purchased: Instant) -> Transaction {
            .fixture(id, purchased: purchased) {
                $0.offerType = .promotional
                $0.offerIdentifier = "gone50"
                $0.offerPeriod = "P1M"
            }
        }
        let before = offered("1", january.adding(months: -2))
        let after = offered("2", january.adding(months: 2))
        #expect(value("customer.redeemed.gone", subject([before, after], issuedOffers: [issuedOffer])) == .number(2))
        #expect(value("customer.redeemed.gone", subject([before, after])) == nil)
    }

    @Test("evidence of what the backend says names it, whatever the history's provenance")
    func provenance() {
        var facts = SubjectFacts(history: History(transactions: [row(.fixture("1", purchased: january))]))
        facts.attributes = ["level": .number(3)]
        var question = question
        question.signals = ["uses": .number(5)]
        question.request = DeviceRequest(appVersion: "2.1")
        let names = ["signals.uses", "customer.attributes.level", "request.appVersion", "customer.everSubscribed"]
        question.offerAsked.eligibility = .all(
            names.map {
                .comparison(Comparison(fact: $0, comparisonOperator: .exists, operands: [.boolean(true)]))
            })
        let finding = decide(question, facts: facts).findings.first { $0.rule == .ruleEligibility }
        #expect(finding?.verdict == .satisfied)
        let evidence = finding?.children?.flatMap(\.evidence) ?? []
        #expect(evidence.map(\.field) == names)
        #expect(evidence.map(\.provenance) == [.caller, .caller, .caller, .client])
    }
}
