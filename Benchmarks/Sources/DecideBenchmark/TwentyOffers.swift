import OfferModel

/// A catalog of twenty offers: two introductory, six win-back (three of them Apple's own with months), twelve
/// promotional. Each has a condition of nine comparisons, limits, most of them a window too, a rollout with a holdout;
/// many a cool-down, a tag, offers it excludes.
enum TwentyOffers {
    static func offers() -> [Offer] {
        (0..<20).map { number in
            let type: OfferType = number % 10 == 0 ? .introductory : number % 3 == 0 ? .winBack : .promotional
            let isByAppStore = type == .winBack && number % 2 == 0
            var offer = Offer(
                id: OfferId("offer\(number)"), type: type,
                delivery: type == .introductory
                    ? .introductoryEligibility : isByAppStore ? .appStore : .signature,
                offerIdentifier: type == .introductory ? nil : OfferIdentifier("promotional\(number)"),
                products: ["monthly"], paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 3,
                price: Money(milliunits: 4_990, currency: "USD"), limits: limits(number))
            offer.eligibility = condition(number)
            offer.tags = number % 2 == 0 ? ["season"] : ["season", "comeback"]
            offer.priority = number
            offer.starts = LongHistory.instant("2026-01-01T00:00:00Z")
            offer.ends = LongHistory.instant("2027-01-01T00:00:00Z")
            offer.rollout = Rollout(percent: 90, holdout: 5)
            if number % 4 == 1 { offer.coolDown = Period(days: 180) }
            if number % 5 == 2 {
                offer.excludes = [OfferId("offer\(number + 1)"), OfferId("offer\((number + 9) % 20)")]
            }
            if type == .winBack {
                offer.winBackTerms = WinBackTerms(
                    paidSubscriptionDurationInMonths: 3, timeSinceLastSubscribedInMonths: 1...24,
                    waitBetweenOffersInMonths: 6)
            }
            return offer
        }
    }

    private static func limits(_ number: Int) -> [Limit] {
        var limits: [Limit] = [.perCustomer(count: 2, window: nil, across: .thisOffer)]
        if number % 2 == 0 { limits.append(.perCustomer(count: 40, window: Period(days: 90), across: .tag("season"))) }
        if number % 3 == 0 { limits.append(.perCustomer(count: 40, window: Period(months: 12), across: .all)) }
        return limits
    }

    private static func condition(_ number: Int) -> RuleNode {
        .all([
            compare("subscription.state", .in, [.text("expired"), .text("subscribed")]),
            compare("subscription.daysSinceExpired", .between, [.number(1), .number(Double(100 + number))]),
            compare("subscription.paidMonths", .atLeast, [.number(3)]),
            compare("subscription.everInGroup", .is, [.boolean(true)]),
            compare("customer.daysSinceFirstPurchase", .atLeast, [.number(90)]),
            compare("customer.offersRedeemed", .atMost, [.number(30)]),
            .any([
                compare("signals.interactions", .atLeast, [.number(50)]),
                compare("subscription.monthsSinceExpired", .atLeast, [.number(1)]),
                compare("customer.daysSinceLastOffer", .atLeast, [.number(30)]),
            ]),
        ])
    }

    private static func compare(
        _ fact: String, _ comparisonOperator: ComparisonOperator, _ operands: [FactValue]
    ) -> RuleNode {
        .comparison(Comparison(fact: fact, comparisonOperator: comparisonOperator, operands: operands))
    }

    static func questions() -> [Question] {
        let price = Money(milliunits: 9_990, currency: "USD")
        let products = ["monthly", "yearly"].map {
            Product(productId: ProductId($0), level: 1, period: Period(months: 1), price: price)
        }
        let catalog = CompiledCatalog(
            Catalog(
                bundleId: "com.example.pro",
                subscriptionGroups: [SubscriptionGroup(id: "21500001", products: products)], offers: offers()))
        return catalog.offers.map { offer in
            Question(
                now: LongHistory.now, scope: Scope(bundleId: "com.example.pro", environment: .production),
                offer: offer, productId: "monthly",
                subscriptionGroupIdentifier: catalog.group(of: "monthly")?.id, catalog: catalog,
                signals: ["interactions": .number(60)], groupProducts: catalog.group(of: "monthly")?.productIds ?? [],
                products: catalog.group(of: "monthly")?.products ?? [])
        }
    }
}
