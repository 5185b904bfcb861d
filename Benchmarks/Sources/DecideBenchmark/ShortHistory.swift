import OfferModel

/// The customer of `Service/scenario.yaml` and the offers of `Service/catalog.yaml`: twelve months, ended two months
/// ago.
enum ShortHistory {
    /// - Parameters:
    ///   - months: how many transactions.
    ///   - offers: of how many offers the uses are counted.
    static func facts(months: Int = 12, offers: Int = 1) -> SubjectFacts {
        var history = History()
        let first = LongHistory.instant("2026-09-18T09:00:00Z").adding(months: -months)
        for period in 0..<months {
            let purchased = first.adding(months: period)
            var transaction = Transaction(
                transactionId: TransactionId(String(100_000_000_000 + period)), originalTransactionId: "100000000000",
                bundleId: "com.example.pro", productId: "com.example.pro.monthly", purchaseDate: purchased,
                signedDate: purchased.adding(milliseconds: 1_000))
            transaction.subscriptionGroupIdentifier = "21500001"
            transaction.expiresDate = first.adding(months: period + 1)
            transaction.type = .autoRenewableSubscription
            transaction.inAppOwnershipType = .purchased
            transaction.price = 9_990
            transaction.currency = "USD"
            transaction.storefront = "USA"
            history.transactions.append(
                Recorded(payload: transaction, payloadBytes: [1], provenance: .client, sequence: Int64(period)))
        }
        var info = RenewalInfo(
            originalTransactionId: "100000000000", productId: "com.example.pro.monthly", signedDate: LongHistory.now)
        info.autoRenewStatus = .off
        info.expirationIntent = .customerCancelled
        history.renewalInfos = [Recorded(payload: info, payloadBytes: [2], provenance: .client, sequence: 20)]
        history.coverage = Coverage(level: .complete, asOf: LongHistory.now, provenance: .caller)
        var facts = SubjectFacts(
            history: history, issuedOffers: [], firstStoredAt: first, rolloutKey: "704000000000000001")
        for offer in Self.offers(offers) { facts.counters[offer.id] = OfferCounters(asOf: LongHistory.now) }
        return facts
    }

    /// One about each offer.
    static func questions(_ count: Int = 1) -> [Question] {
        let product = Product(
            productId: "com.example.pro.monthly", level: 1, period: Period(months: 1),
            price: Money(milliunits: 9_990, currency: "USD"))
        let catalog = CompiledCatalog(
            Catalog(
                bundleId: "com.example.pro",
                subscriptionGroups: [SubscriptionGroup(id: "21500001", products: [product])], offers: offers(count)))
        return catalog.offers.map { offer in
            Question(
                now: LongHistory.now, scope: Scope(bundleId: "com.example.pro", environment: .production),
                offer: offer, productId: product.productId, subscriptionGroupIdentifier: "21500001",
                catalog: catalog, groupProducts: [product.productId], products: [product])
        }
    }

    /// Each with names and a bound of its own.
    private static func offers(_ count: Int) -> [Offer] { (0..<count).map(offer) }

    private static func offer(_ number: Int) -> Offer {
        let suffix = number == 0 ? "" : String(number)
        var offer = Offer(
            id: OfferId("comeback\(suffix)"), type: .promotional, delivery: .signature,
            offerIdentifier: OfferIdentifier("comeback\(suffix)x50"),
            products: ["com.example.pro.monthly"], paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 3,
            price: Money(milliunits: 4_990, currency: "USD"),
            limits: [
                .perCustomer(count: 1, window: nil, across: .thisOffer), .total(count: 50_000_000),
                .budget(Money(milliunits: 900_000_000_000, currency: "USD")),
            ])
        offer.eligibility = .all([
            compare("subscription.state", .in, [.text("expired")]),
            compare("subscription.daysSinceExpired", .between, [.number(30), .number(Double(180 + number))]),
            compare("subscription.paidMonths", .atLeast, [.number(3)]),
            .any([
                compare("signals.interactions", .atLeast, [.number(50)]),
                compare("customer.daysSinceFirstSeen", .atLeast, [.number(21)]),
            ]),
        ])
        return offer
    }

    private static func compare(
        _ fact: String, _ comparisonOperator: ComparisonOperator, _ operands: [FactValue]
    ) -> RuleNode {
        .comparison(Comparison(fact: fact, comparisonOperator: comparisonOperator, operands: operands))
    }
}
