import OfferModel
import OfferTestSupport
import Testing

@testable import OfferDocuments

@Suite struct CatalogWriterTests {
    @Test("a written catalog is read back as the same one, from YAML and from JSON")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<300 {
            let catalog = RandomCatalog.make(&generator)
            for text in [CatalogWriter.yaml(catalog), CatalogWriter.json(catalog)] {
                let read = try CatalogReader.read(Array(text.utf8)).value
                #expect(read == catalog, "seed \(generator.seed), round \(round)\n\(text)")
            }
        }
    }

    @Test("equal catalogs give equal text, and writing again changes nothing")
    func canonical() throws {
        let catalog = try CatalogReader.read(Fixture.repository("Examples/catalog.yaml")).value
        let text = CatalogWriter.yaml(catalog)
        #expect(CatalogWriter.yaml(try CatalogReader.read(text).value) == text)
    }

    @Test("the signals that an app may state are kept, each once and without a prefix")
    func appSignals() throws {
        let written = CatalogWriter.yaml(try CatalogReader.read(Fixture.repository("Examples/catalog.yaml")).value)
        let text = written.replacing("\noffers:", with: "\nappSignals: [sessions, plan]\noffers:")
        let catalog = try CatalogReader.read(text).value
        #expect(catalog.appSignals == ["sessions", "plan"])
        #expect(try CatalogReader.read(CatalogWriter.yaml(catalog)).value == catalog)
        for wrong in ["signals.plan", "plan, plan", "7"] {
            #expect(throws: InvalidDocument.self) {
                _ = try CatalogReader.read(text.replacing("[sessions, plan]", with: "[\(wrong)]"))
            }
        }
    }

    @Test("text that YAML would take for something else is written in quotes")
    func quotes() throws {
        let values = [
            "on", "NO", "1.0", "007", "1:30", "~", "null", "- a", "a: b", "a #b", "é\u{2028}\u{85}\"\\", " ", "0x1F",
            "2026-12-01",
        ]
        let comparison = Comparison(
            fact: "signals.plan", comparisonOperator: .in, operands: values.map { .text($0) })
        var catalog = try CatalogReader.read(Fixture.repository("Examples/catalog.yaml")).value
        catalog.offers[0].eligibility = .comparison(comparison)
        catalog.offers.removeSubrange(1...)
        #expect(try CatalogReader.read(CatalogWriter.yaml(catalog)).value == catalog)
        #expect(try CatalogReader.read(CatalogWriter.json(catalog)).value == catalog)
    }
}

/// Valid catalogs of every shape, later features included.
enum RandomCatalog {
    static func make(_ generator: inout SeededGenerator) -> Catalog {
        let price = Money(milliunits: .random(in: 1_000...99_999, using: &generator), currency: "USD")
        let products = (0..<Int.random(in: 1...3, using: &generator)).map { index in
            Product(
                productId: ProductId("com.example.pro.\(index)"), level: index + 1, period: Period(months: 1),
                price: price)
        }
        let group = SubscriptionGroup(id: "21500001", products: products)
        let offers = (0..<Int.random(in: 0...4, using: &generator)).map { offer($0, products, &generator) }
        let others = OtherProductType.allCases.prefix(.random(in: 0...3, using: &generator)).map {
            OtherProduct(productId: ProductId("com.example.\($0)"), type: $0)
        }
        return Catalog(
            bundleId: "com.example.pro", subscriptionGroups: [group], otherProducts: Array(others), offers: offers)
    }

    private static func offer(_ index: Int, _ products: [Product], _ generator: inout SeededGenerator) -> Offer {
        let type = OfferType.allCases.randomElement(using: &generator) ?? .promotional
        let delivery: Delivery =
            switch type {
            case .introductory: .introductoryEligibility
            case .promotional: .signature
            case .winBack: Bool.random(using: &generator) ? .signature : .appStore
            }
        let mode = PaymentMode.allCases.randomElement(using: &generator) ?? .freeTrial
        let most = products[0].price.milliunits
        var offer = Offer(
            id: OfferId("offer-\(index)"), type: type, delivery: delivery,
            offerIdentifier: type == .introductory ? nil : OfferIdentifier("offer_\(index)"),
            products: products.map(\.productId), paymentMode: mode, period: Period(months: 1),
            periodCount: .random(in: 1...12, using: &generator),
            price: mode == .freeTrial
                ? nil : Money(milliunits: .random(in: 1...most, using: &generator), currency: "USD"),
            limits: (0..<Int.random(in: 0...3, using: &generator)).map { _ in limit(&generator) })
        offer.status = OfferStatus.allCases.randomElement(using: &generator) ?? .draft
        offer.priority = .random(in: -5...5, using: &generator)
        if Bool.random(using: &generator) {
            offer.starts = Instant(milliseconds: .random(in: 0...4_000_000_000_000, using: &generator))
        }
        if Bool.random(using: &generator) { offer.tags = ["spring", "on", "1e5", "true"] }
        if Bool.random(using: &generator) { offer.environments = [.sandbox, .localTesting] }
        if Bool.random(using: &generator) { offer.excludes = ["other"] }
        if Bool.random(using: &generator) { offer.formerly = [OfferId("old-\(index)"), OfferId("1e\(index)")] }
        if Bool.random(using: &generator) { offer.coolDown = Period(days: .random(in: 1...90, using: &generator)) }
        if Bool.random(using: &generator) { offer.rollout = Rollout(percent: 12.5, holdout: 5, salt: "no") }
        if Bool.random(using: &generator) {
            offer.eligibility = possibleRule(&generator)
            offer.availableFor = Period(timeMilliseconds: 48 * Instant.Duration.hour)
        }
        if delivery == .signature, Bool.random(using: &generator) { offer.formats = [.v1, .v2] }
        if type == .introductory, offer.limits.isEmpty { offer.again = Period(months: 12) }
        offer.signaturesPerOffer = .random(in: 1...5, using: &generator)
        if type == .winBack, Bool.random(using: &generator) {
            offer.winBackTerms = WinBackTerms(
                paidSubscriptionDurationInMonths: 36, timeSinceLastSubscribedInMonths: 2...24)
        }
        return offer
    }

    private static func limit(_ generator: inout SeededGenerator) -> Limit {
        let count = Int.random(in: 1...10_000, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return .total(count: count)
        case 4: return .perAccount(count: count, window: count.isMultiple(of: 2) ? nil : Period(days: 30))
        case 1: return .budget(Money(milliunits: Int64(count), currency: "USD"))
        case 2: return .perCustomer(count: count, window: Period(days: count % 100 + 1), across: .tag("spring"))
        default: return .perCustomer(count: count, window: nil, across: .thisOffer)
        }
    }

    /// One that somebody can satisfy: the reader refuses others.
    private static func possibleRule(_ generator: inout SeededGenerator) -> RuleNode {
        while true {
            let node = rule(depth: 0, &generator)
            var solver = Satisfiability()
            if solver.canHold([Constraint(node)]) { return node }
        }
    }

    private static func rule(depth: Int, _ generator: inout SeededGenerator) -> RuleNode {
        let choice = depth > 3 ? 3 : Int.random(in: 0..<6, using: &generator)
        switch choice {
        case 0: return .all((0...depth % 3).map { _ in rule(depth: depth + 1, &generator) })
        case 1: return .any((0...depth % 3).map { _ in rule(depth: depth + 1, &generator) })
        case 2: return .not(rule(depth: depth + 1, &generator))
        default: return .comparison(comparisons.randomElement(using: &generator) ?? comparisons[0])
        }
    }

    private static let comparisons = [
        Comparison(
            fact: "subscription.state", comparisonOperator: .in, operands: [.text("expired"), .text("revoked")]),
        Comparison(
            fact: "subscription.daysSinceExpired", comparisonOperator: .between, operands: [.number(3), .number(9)]),
        Comparison(fact: "subscription.willAutoRenew", comparisonOperator: .is, operands: [.boolean(false)]),
        Comparison(
            fact: "signals.plan", comparisonOperator: .notIn, operands: [.text("on"), .text("50"), .text("é \"x\"")]),
        Comparison(fact: "signals.score", comparisonOperator: .moreThan, operands: [.number(-1.25e-7)]),
        Comparison(fact: "signals.beta", comparisonOperator: .is, operands: [.boolean(true)]),
        Comparison(
            fact: "subscription.renewalPrice", comparisonOperator: .atMost,
            operands: [.money(Money(milliunits: 9_995, currency: "USD"))]),
        Comparison(
            fact: "customer.attributes.spent", comparisonOperator: .between,
            operands: [
                .money(Money(milliunits: 5_000, currency: "USD")), .money(Money(milliunits: 9_995, currency: "USD")),
            ]),
        Comparison(
            fact: "customer.attributes.joined", comparisonOperator: .moreThan,
            operands: [.instant(Instant(milliseconds: 1_767_225_600_001))]),
        Comparison(fact: "signals.note", comparisonOperator: .is, operands: [.text("2026-01-01T00:00:00Z")]),
        Comparison(fact: "request.appVersion", comparisonOperator: .between, operands: [.text("1.9"), .text("1.10")]),
        Comparison(fact: "request.locale", comparisonOperator: .in, operands: [.text("de"), .text("no")]),
        Comparison(fact: "customer.storefront", comparisonOperator: .notIn, operands: [.text("USA"), .text("DEU")]),
        Comparison(fact: "customer.redeemed.offer-0", comparisonOperator: .isNot, operands: [.number(1)]),
        Comparison(fact: "customer.refunds", comparisonOperator: .lessThan, operands: [.number(2)]),
        Comparison(fact: "customer.attributes.level", comparisonOperator: .exists, operands: [.boolean(true)]),
    ]
}
