import OfferEligibility
import OfferModel

/// A catalog of twenty offers: introductory, promotional and win-back, each with a condition of six comparisons, limits,
/// a cool-down and a rollout.
enum TwentyOffers {
    static func offers() -> [Offer] {
        (0..<20).map { number in
            let type: OfferType = number % 10 == 0 ? .introductory : number % 3 == 0 ? .winBack : .promotional
            var offer = Offer(
                id: OfferId("offer\(number)"), type: type,
                delivery: type == .introductory ? .introductoryEligibility : .signature,
                offerIdentifier: type == .introductory ? nil : OfferIdentifier("promotional\(number)"),
                products: ["monthly"], paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 3,
                price: Money(milliunits: 4_990, currency: "USD"),
                limits: [.perCustomer(count: 1, window: nil, across: .thisOffer)])
            offer.eligibility = condition(number)
            offer.tags = ["season"]
            offer.priority = number
            offer.starts = LongHistory.instant("2026-01-01T00:00:00Z")
            offer.ends = LongHistory.instant("2027-01-01T00:00:00Z")
            return offer
        }
    }

    private static func condition(_ number: Int) -> RuleNode {
        .all([
            compare("subscription.state", .in, [.text("expired"), .text("subscribed")]),
            compare("subscription.daysSinceExpired", .between, [.number(1), .number(Double(100 + number))]),
            compare("subscription.paidMonths", .atLeast, [.number(3)]),
            compare("subscription.everInGroup", .is, [.boolean(true)]),
            .any([
                compare("signals.interactions", .atLeast, [.number(50)]),
                compare("subscription.monthsSinceExpired", .atLeast, [.number(1)]),
            ]),
        ])
    }

    private static func compare(
        _ fact: String, _ comparisonOperator: ComparisonOperator, _ operands: [FactValue]
    ) -> RuleNode {
        .comparison(Comparison(fact: fact, comparisonOperator: comparisonOperator, operands: operands))
    }

    static func questions() -> [Question] {
        let offers = offers()
        return offers.map { offer in
            Question(
                now: LongHistory.now, scope: Scope(bundleId: "com.example.pro", environment: .production),
                offer: offer, productId: "monthly", subscriptionGroupIdentifier: "21500001",
                signals: ["interactions": .number(60)], groupProducts: ["monthly", "yearly"], offers: offers)
        }
    }
}
