import OfferAPI
import OfferModel
import Testing

@testable import OfferctlCommands

@Suite("effect of a catalog change on customers")
struct CatalogEffectTests {
    private func effect(_ path: String?, _ from: String?, _ to: String?, _ change: String = "changed") -> CatalogEffect
    {
        CatalogEffect(CatalogChange(offerId: OfferId("a"), change: change, path: path, from: from, to: to))
    }

    @Test(
        "widened (+), taken away (-), either (±) or neither (·), field by field",
        arguments: [
            ("status", "draft", "active", "+"), ("status", "archived", "active", "+"),
            ("status", "active", "archived", "-"), ("status", "active", "draft", "-"),
            ("status", "draft", "archived", "·"), ("status", "active", "retired", "±"),
            ("starts", "2026-12-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "+"),
            ("starts", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "-"),
            ("starts", "2026-12-01T00:00:00.000Z", nil, "+"), ("starts", nil, "2026-12-01T00:00:00.000Z", "-"),
            ("ends", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "+"),
            ("ends", "2026-12-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "-"),
            ("ends", "2026-12-01T00:00:00.000Z", nil, "+"), ("ends", nil, "2026-12-01T00:00:00.000Z", "-"),
            ("ends", "soon", "later", "±"),
            ("limits", "1 per customer", "2 per customer", "+"), ("limits", "2 per customer", "1 per customer", "-"),
            ("limits", "1 per customer", "", "+"), ("limits", "", "1 per customer", "-"),
            ("limits", "1 per customer; 100 in all", "1 per customer", "+"),
            ("limits", "1 per customer; 100 in all", "2 per customer; 50 in all", "±"),
            ("limits", "1 per customer", "1 per customer in P90D", "±"),
            ("limits", "1 per customer; 5 in all", "5 in all; 1 per customer", "·"),
            ("limits", "1 per customer", "1 per customer; 1 per account", "-"),
            ("again", nil, "P12M", "+"), ("again", "P12M", nil, "-"), ("again", "P12M", "P6M", "+"),
            ("again", "P6M", "P12M", "-"), ("limits", "1 per account", "2 per account", "+"),
            ("limits", "1 per customer", "1 per account", "±"),
            ("limits", "2 per customer; 1 per customer", "1 per customer", "·"),
            ("limits", "25000.00 USD in all", "30000.00 USD in all", "+"), ("limits", "some", "more", "±"),
            ("products", "a, b", "a, b, c", "+"), ("products", "a, b", "a", "-"), ("products", "a, b", "a, c", "±"),
            ("products", "a, b", "b, a", "·"), ("environments", "Sandbox", "Production, Sandbox", "+"),
            ("formats", "v2, v1", "v2", "-"), ("formats", "v2", "v1, v2", "·"),
            ("signaturesPerOffer", "3", "5", "+"), ("signaturesPerOffer", "3", "1", "-"),
            ("signaturesPerOffer", "3", "many", "±"),
            ("eligibility.all[1]", "signals.x atLeast 50", "signals.x atLeast 10", "±"),
            ("eligibility", "subscription.state in expired", nil, "±"),
            ("price", "4.99 USD", "3.99 USD", "·"), ("priority", "1", "2", "·"), ("tags", "a", "b", "·"),
            ("offerIdentifier", "a", "b", "±"), ("type", "promotional", "winBack", "±"),
            ("rollout", "percent 50.0, holdout 5.0, salt –", "percent 100.0, holdout 5.0, salt –", "+"),
            ("rollout", "percent 50.0, holdout 5.0, salt –", "percent 25.0, holdout 5.0, salt –", "-"),
            ("rollout", "percent 50.0, holdout 5.0, salt –", "percent 50.0, holdout 10.0, salt –", "-"),
            ("rollout", "percent 50.0, holdout 5.0, salt –", "percent 60.0, holdout 10.0, salt –", "±"),
            ("rollout", "percent 50.0, holdout 0.0, salt a", "percent 60.0, holdout 0.0, salt b", "±"),
            ("rollout", "percent 50.0, holdout 0.0, salt a", "percent 100.0, holdout 0.0, salt b", "+"),
            ("rollout", nil, "percent 50.0, holdout 0.0, salt –", "-"),
            ("rollout", "percent 50.0, holdout 0.0, salt –", nil, "+"), ("rollout", "half", "all", "±"),
            ("excludes", "a", "a, b", "-"), ("excludes", "a", nil, "+"), ("excludes", "a, b", "b, a", "·"),
            ("availableFor", "PT48H", "P3D", "+"), ("availableFor", nil, "PT48H", "-"),
            ("availableFor", "PT48H", nil, "+"), ("availableFor", "long", "longer", "±"),
            ("coolDown", "P30D", "P60D", "-"), ("coolDown", "P3M", "P2M", "+"), ("coolDown", nil, "P1M", "-"),
            ("coolDown", "P1M", nil, "+"), ("coolDown", "P30D", "P1M", "±"),
            ("paidSubscriptionDurationInMonths", "6", "3", "+"), ("paidSubscriptionDurationInMonths", nil, "3", "-"),
            ("waitBetweenOffersInMonths", "6", "12", "-"),
            ("timeSinceLastSubscribedInMonths", "1 to 12", "1 to 24", "+"),
            ("timeSinceLastSubscribedInMonths", "1 to 12", "2 to 24", "±"),
            ("timeSinceLastSubscribedInMonths", "1 to 12", nil, "+"),
            ("id", "a", "b", "·"), ("formerly", nil, "a", "-"), ("formerly", "a", nil, "+"),
            ("formerly", "a, b", "b, c", "±"),
            ("formerly", "a, b", "b, a", "·"),
            ("aFieldOfTheFuture", "1", "2", "±"),
        ] as [(String, String?, String?, String)])
    func mark(_ path: String, _ from: String?, _ to: String?, _ mark: String) {
        let effect = effect(path, from, to)
        #expect(effect.mark == mark, "\(effect.words)")
        #expect(effect.needsConfirmation == (mark != "·"))
        #expect(!effect.words.isEmpty)
    }

    @Test("a new active offer widens, a draft does not; one that goes is taken away, and the products only compare")
    func wholeOffers() {
        var offer = Offer(
            id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["p"],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
        let added = CatalogChange(offerId: "a", change: "added")
        #expect(CatalogEffect(added, new: offer).mark == "+")
        #expect(CatalogEffect(added).mark == "+", "one that this version cannot read")
        for status in [OfferStatus.draft, .archived] {
            offer.status = status
            #expect(CatalogEffect(added, new: offer).mark == "·")
        }
        let budgeted = Catalog(
            bundleId: "com.example.pro",
            offers: [
                Offer(
                    id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["a"],
                    paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
                    limits: [.budget(Money(milliunits: 1_000, currency: "USD"))])
            ])
        #expect(effect(nil, nil, nil, "removed").mark == "-")
        #expect(effect(nil, nil, nil, "transmuted").mark == "±")
        let path = "subscriptionGroups[1].products[a].price"
        let product = CatalogChange(offerId: nil, change: "changed", path: path, from: "9.99 USD", to: "8.99 USD")
        #expect(CatalogEffect(product).mark == "·")
        let plan = CatalogChange(
            offerId: nil, change: "changed", path: "subscriptionGroups[1].products[a].billingPlans[monthly]",
            from: "14.99 USD, in all 179.88 USD", to: "12.99 USD, in all 155.88 USD")
        #expect(CatalogEffect(plan).mark == "·")
        #expect(CatalogEffect(plan, inForce: budgeted).mark == "±", "each use takes another amount from the budget")
        let other = CatalogChange(
            offerId: nil, change: "added", path: "products[lifetime].type", from: nil, to: "nonConsumable")
        #expect(CatalogEffect(other).mark == "·")
        #expect(CatalogEffect(other).words == "only conditions name it, as `customer.owns` or `customer.purchases`")
    }

    @Test("a product's level or period may give and take away the offers in force whose conditions read it")
    func productFacts() {
        func mark(_ field: String, _ fact: String, of product: ProductId = "p", status: OfferStatus = .active) -> String
        {
            var offer = Offer(
                id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: [product],
                paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
            offer.status = status
            let comparison = Comparison(fact: fact, comparisonOperator: .is, operands: [.number(1)])
            offer.eligibility = .all([.not(.comparison(comparison))])
            let groups = [("1", "p"), ("11", "q")].map { group, id in
                SubscriptionGroup(
                    id: SubscriptionGroupId(group),
                    products: [
                        Product(
                            productId: ProductId(id), level: 1, period: Period(months: 1),
                            price: Money(milliunits: 9_990, currency: "USD"))
                    ])
            }
            let catalog = Catalog(bundleId: "com.example.pro", subscriptionGroups: groups, offers: [offer])
            let change = CatalogChange(
                offerId: nil, change: "changed", path: "subscriptionGroups[1].products[p].\(field)", from: "1", to: "2")
            return CatalogEffect(change, inForce: catalog).mark
        }
        #expect(mark("level", "subscription.level") == "±")
        #expect(mark("period", "subscription.period") == "±")
        #expect(mark("level", "subscription.period") == "·")
        #expect(mark("price", "subscription.level") == "·")
        #expect(mark("level", "subscription.level", of: "q") == "·", "an offer of another group")
        #expect(mark("level", "subscription.level", status: .draft) == "·", "nothing is issued by it")
    }

    @Test("tags that a limit counts across, and terms that a budget counts, may give or take away")
    func counted() throws {
        func offer(_ limits: [Limit], tags: [String] = []) -> Offer {
            var offer = Offer(
                id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["p"],
                paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: limits)
            offer.tags = tags
            return offer
        }
        func mark(_ path: String, _ limits: [Limit]) -> String {
            let old = offer(limits, tags: ["spring"])
            let catalog = Catalog(bundleId: "com.example.pro", subscriptionGroups: [], offers: [old])
            let change = CatalogChange(offerId: "a", change: "changed", path: path, from: "spring, x", to: "x")
            return CatalogEffect(change, old: old, new: offer(limits), inForce: catalog).mark
        }
        let across = Limit.perCustomer(count: 1, window: nil, across: .tag("spring"))
        let budget = Limit.budget(Money(milliunits: 25_000_000, currency: "USD"))
        #expect(mark("tags", [across]) == "±")
        #expect(mark("billingPlan", [budget]) == "±")
        #expect(mark("billingPlan", []) == "·")
        #expect(mark("tags", [.perCustomer(count: 1, window: nil, across: .tag("summer"))]) == "·")
        let product = CatalogChange(
            offerId: nil, change: "changed", path: "subscriptionGroups[1].products[p].price", from: "2 USD", to: "1 USD"
        )
        let catalog = Catalog(bundleId: "com.example.pro", offers: [offer([budget])])
        #expect(CatalogEffect(product, inForce: catalog).mark == "±")
        #expect(CatalogEffect(product, file: catalog).mark == "·", "a budget that has not begun")
        for path in ["price", "paymentMode", "period", "periodCount"] {
            #expect(mark(path, [budget]) == "±")
            #expect(mark(path, [across]) == "·")
        }
    }

    @Test(
        "a condition that is loosened widens, one that is tightened takes away, whole or in part",
        arguments: [
            ([months(6)], [months(3)], "+"), ([months(3)], [months(6)], "-"), ([months(6)], [], "+"),
            ([], [months(6)], "-"), ([months(6), state], [state, months(6)], "·"), ([months(6), state], [state], "+"),
            ([months(6)], [.any([months(6), state])], "+"), ([months(6)], [state], "±"),
            ([.not(months(6))], [.not(months(3))], "-"),
        ] as [([RuleNode], [RuleNode], String)])
    func conditions(_ old: [RuleNode], _ new: [RuleNode], _ mark: String) {
        func offer(_ condition: [RuleNode]) -> Offer {
            var offer = Offer(
                id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["p"],
                paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])
            offer.eligibility = condition.isEmpty ? nil : .all(condition)
            return offer
        }
        let change = CatalogChange(offerId: "a", change: "changed", path: "eligibility.all[0]", from: "x", to: "y")
        #expect(CatalogEffect(change, old: offer(old), new: offer(new)).mark == mark)
    }

    private static let state = RuleNode.comparison(
        Comparison(fact: "subscription.state", comparisonOperator: .in, operands: [.text("expired")]))

    private static func months(_ count: Double) -> RuleNode {
        .comparison(
            Comparison(fact: "subscription.paidMonths", comparisonOperator: .atLeast, operands: [.number(count)]))
    }
}
