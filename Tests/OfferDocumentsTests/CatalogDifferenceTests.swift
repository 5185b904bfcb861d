import OfferModel
import Testing

@testable import OfferDocuments

/// Two catalogs of the fixture `differences.txt` and what is to be found of them.
struct ComparedCatalogs: CustomTestStringConvertible, Sendable {
    private(set) var title = ""
    private var before = Lines()
    private var after = Lines()
    /// Each difference, and its meaning below.
    private(set) var expected: [String] = []

    var testDescription: String { title }

    init(_ block: Substring) {
        for line in block.split(separator: "\n") {
            let text = line.drop { "+-".contains($0) }.dropFirst()
            switch line.prefix(2) {
            case "--": before.catalog.append(String(text))
            case "++": after.catalog.append(String(text))
            case "- ": before.offer.append(String(text))
            case "+ ": after.offer.append(String(text))
            case "= ", "  ": expected.append(String(line))
            default: title = String(line)
            }
        }
    }

    static func all() throws -> [ComparedCatalogs] {
        String(decoding: try Fixture.bytes("differences.txt"), as: UTF8.self).split(separator: "\n\n")
            .filter { !$0.hasPrefix("#") }.map(ComparedCatalogs.init)
    }

    func catalogs() throws -> (old: Catalog, new: Catalog) { (try before.read(), try after.read()) }

    /// `= ± changed limits: 1 per customer → 2 per customer`, then what it means.
    static func lines(_ difference: CatalogDifference) -> [String] {
        let effect = difference.effect
        let mark =
            switch (effect?.widens, effect?.takesAway) {
            case (true?, true?): effect?.isCertain == true ? "±" : "?"
            case (true?, false?): "+"
            case (false?, true?): "-"
            case (false?, false?): "·"
            default: "?"
            }
        let subject = difference.path ?? difference.offerId?.rawValue ?? ""
        let values = difference.path.map { _ in ": \(difference.from ?? "–") → \(difference.to ?? "–")" } ?? ""
        return ["= \(mark) \(difference.kind) \(subject)\(values)", "  \(effect?.words ?? "")"]
    }

    private struct Lines {
        var catalog: [String] = []
        var offer: [String] = []

        func read() throws -> Catalog {
            var members = [("bundleId", "com.example.pro"), ("appSignals", "[]"), ("products", "[]")]
            var products = [
                ("weekly", #"{ level: 1, period: P1W, price: { amount: "2.99", currency: USD } }"#),
                ("monthly", #"{ level: 1, period: P1M, price: { amount: "9.99", currency: USD } }"#),
                ("yearly", #"{ level: 1, period: P1Y, price: { amount: "79.99", currency: USD } }"#),
                (
                    "annual",
                    """
                    { level: 1, period: P1Y, price: { amount: "99.99", currency: USD }, billingPlans:
                        [{ type: billedUpfront }, { type: monthly, price: { amount: "9.99", currency: USD } }] }
                    """
                ), ("other", #"{ level: 1, period: P1M, price: { amount: "4.99", currency: USD } }"#),
            ]
            for line in catalog {
                let name = line.prefix { $0 != ":" }
                if members.contains(where: { $0.0 == name }) {
                    Self.set(line, in: &members)
                } else {
                    Self.set(line, in: &products)
                }
            }
            var offer = [
                ("id", "a"), ("type", "promotional"), ("offerIdentifier", "a"), ("products", "[monthly, weekly]"),
                ("paymentMode", "freeTrial"), ("period", "P1M"), ("periodCount", "1"), ("status", "active"),
                ("limits", "[]"),
            ]
            for line in self.offer { Self.set(line, in: &offer) }
            func list(_ products: [(String, String)]) -> String {
                products.map { "{ productId: \($0.split(separator: " ").last ?? ""), \($1.dropFirst(2))" }.joined(
                    separator: ", ")
            }
            let groups = [
                ("1", products.filter { !$0.0.hasPrefix("other") }),
                ("11", products.filter { $0.0.hasPrefix("other") }),
            ]
            .map { "{ id: \"\($0)\", products: [\(list($1))] }" }.joined(separator: ", ")
            let document =
                members.map { "\($0): \($1)\n" }.joined() + "subscriptionGroups: [\(groups)]\n"
                + "offers: [{ \(offer.map { "\($0): \($1)" }.joined(separator: ", ")) }]\n"
            return try CatalogReader.read(document).value
        }

        /// A member without a value is left out.
        private static func set(_ line: String, in members: inout [(String, String)]) {
            let parts = line.split(separator: ":", maxSplits: 1).map { String($0.trimmingPrefix(" ")) }
            let member = (parts[0], parts.count > 1 ? parts[1] : "")
            let place = members.firstIndex { $0.0 == parts[0] }
            if let place { members.remove(at: place) }
            if !member.1.isEmpty { members.insert(member, at: place ?? members.endIndex) }
        }
    }
}

@Suite("Differences between catalogs")
struct CatalogDifferenceTests {
    @Test("what differs, and what that means for customers", arguments: try ComparedCatalogs.all())
    func differences(_ compared: ComparedCatalogs) throws {
        let (old, new) = try compared.catalogs()
        #expect(CatalogDifference.all(from: old, to: new).flatMap(ComparedCatalogs.lines) == compared.expected)
        #expect(CatalogDifference.all(from: old, to: old).isEmpty)
        #expect(CatalogDifference.all(from: new, to: new).isEmpty)
    }

    private static let offer = Offer(
        id: "a", type: .promotional, delivery: .signature, offerIdentifier: "a", products: ["p"],
        paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [])

    private static let product = Product(productId: "p", level: 1, period: Period(months: 12), price: dollars)

    private static let plan = BillingPlan(type: .monthly, price: dollars, commitmentPrice: dollars)

    private static let dollars = Money(milliunits: 9_990, currency: "USD")

    private static let euros = Money(milliunits: 9_990, currency: "EUR")

    private static let comparison = Comparison(fact: "signals.x", comparisonOperator: .is, operands: [.number(1)])

    /// Expects that a change of each stored property is a difference, and that there is a change of each.
    ///
    /// - Parameter wrapped: a catalog with the value.
    private func expectAllCompared<Value: Hashable>(
        _ value: Value, except: Set<String> = [], _ changes: [(inout Value) -> Void], in wrapped: (Value) -> Catalog
    ) throws {
        var changed: Set<String> = []
        for change in changes {
            var other = value
            change(&other)
            let labels = zip(Mirror(reflecting: value).children, Mirror(reflecting: other).children).compactMap {
                old, new -> String? in
                old.value as? AnyHashable == new.value as? AnyHashable ? nil : old.label
            }
            let label = try #require(labels.first)
            #expect(labels == [label], "a change of one property")
            changed.insert(label)
            let found = CatalogDifference.all(from: wrapped(value), to: wrapped(other))
            #expect(!found.isEmpty, "\(Value.self).\(label) is not compared")
        }
        #expect(Set(Mirror(reflecting: value).children.compactMap(\.label)) == changed.union(except))
    }

    @Test("every stored property of an offer is compared")
    func offersWhole() throws {
        try expectAllCompared(
            Self.offer,
            [
                { $0.id = "b" }, { $0.formerly = ["b"] }, { $0.type = .winBack }, { $0.delivery = .appStore },
                { $0.offerIdentifier = "b" }, { $0.products = ["q"] }, { $0.billingPlan = .monthly },
                { $0.paymentMode = .payUpFront }, { $0.period = Period(months: 2) }, { $0.periodCount = 2 },
                { $0.price = Self.euros }, { $0.status = .draft }, { $0.starts = Instant(milliseconds: 0) },
                { $0.ends = Instant(milliseconds: 0) }, { $0.priority = 1 }, { $0.tags = ["x"] },
                { $0.environments = [.sandbox] }, { $0.eligibility = .comparison(Self.comparison) },
                { $0.availableFor = Period(days: 1) }, { $0.limits = [.total(count: 1)] },
                { $0.coolDown = Period(days: 1) }, { $0.again = Period(days: 1) }, { $0.excludes = ["b"] },
                { $0.rollout = Rollout(percent: 1) }, { $0.formats = [.v1] }, { $0.signaturesPerOffer = 1 },
                { $0.winBackTerms = WinBackTerms(waitBetweenOffersInMonths: 1) },
            ]
        ) { Catalog(bundleId: "com.example.pro", offers: [$0]) }
    }

    @Test("every stored property of a rollout, of win-back terms and of a comparison is compared")
    func partsOfOffers() throws {
        func catalog(_ change: (inout Offer) -> Void) -> Catalog {
            var offer = Self.offer
            change(&offer)
            return Catalog(bundleId: "com.example.pro", offers: [offer])
        }
        try expectAllCompared(
            Rollout(percent: 50), [{ $0.percent = 51 }, { $0.holdout = 1 }, { $0.salt = "x" }]
        ) { rollout in catalog { $0.rollout = rollout } }
        try expectAllCompared(
            WinBackTerms(),
            [
                { $0.paidSubscriptionDurationInMonths = 1 }, { $0.timeSinceLastSubscribedInMonths = 1...2 },
                { $0.waitBetweenOffersInMonths = 1 },
            ]
        ) { terms in catalog { $0.winBackTerms = terms } }
        try expectAllCompared(
            Self.comparison,
            [{ $0.fact = "signals.y" }, { $0.comparisonOperator = .isNot }, { $0.operands = [.text("1")] }]
        ) { comparison in catalog { $0.eligibility = .comparison(comparison) } }
    }

    @Test("every stored property of a catalog, a product and a plan is compared; another app's is refused before")
    func productsWhole() throws {
        func catalog(_ change: (inout Product) -> Void) -> Catalog {
            var product = Self.product
            change(&product)
            return Catalog(
                bundleId: "com.example.pro", subscriptionGroups: [SubscriptionGroup(id: "1", products: [product])])
        }
        try expectAllCompared(
            Catalog(bundleId: "com.example.pro"), except: ["bundleId"],
            [
                { $0.subscriptionGroups = [SubscriptionGroup(id: "1", products: [Self.product])] },
                { $0.otherProducts = [OtherProduct(productId: "p", type: .consumable)] }, { $0.appSignals = ["x"] },
                { $0.offers = [Self.offer] },
            ]
        ) { $0 }
        try expectAllCompared(
            SubscriptionGroup(id: "1", products: [Self.product]), [{ $0.id = "2" }, { $0.products = [] }]
        ) { Catalog(bundleId: "com.example.pro", subscriptionGroups: [$0]) }
        try expectAllCompared(
            Self.product,
            [
                { $0.productId = "q" }, { $0.level = 2 }, { $0.period = Period(months: 1) }, { $0.price = Self.euros },
                { $0.billingPlans = [Self.plan] },
            ]
        ) { product in catalog { $0 = product } }
        try expectAllCompared(
            Self.plan,
            [{ $0.type = .billedUpfront }, { $0.price = Self.euros }, { $0.commitmentPrice = Self.euros }]
        ) { plan in catalog { $0.billingPlans = [plan] } }
        try expectAllCompared(
            OtherProduct(productId: "p", type: .consumable), [{ $0.productId = "q" }, { $0.type = .nonConsumable }]
        ) { Catalog(bundleId: "com.example.pro", otherProducts: [$0]) }
    }

    @Test("every key that an offer of the document may have is a field that is compared")
    func keys() {
        #expect(OfferField.all.map(\.name).sorted() == OfferReader.keys.sorted())
    }

    @Test("offers come and go: active ones are given and taken away, drafts and archived ones are not issued")
    func wholeOffers() {
        func found(_ old: [Offer], _ new: [Offer]) -> [String] {
            CatalogDifference.all(
                from: Catalog(bundleId: "com.example.pro", offers: old),
                to: Catalog(bundleId: "com.example.pro", offers: new)
            ).flatMap(ComparedCatalogs.lines)
        }
        var offer = Self.offer
        #expect(found([], [offer]) == ["= + added a", "  a new offer, issued from now on, without an end"])
        offer.starts = Instant(milliseconds: 0)
        offer.ends = Instant(milliseconds: 1_000)
        #expect(
            found([], [offer])
                == ["= + added a", "  a new offer, issued from 1970-01-01T00:00:00Z until 1970-01-01T00:00:01Z"])
        offer.status = .draft
        #expect(found([], [offer]) == ["= · added a", "  a new offer, not issued while it is a draft"])
        offer.status = .archived
        #expect(found([], [offer]) == ["= · added a", "  a new offer that is archived, so it is not issued"])
        #expect(found([offer], []) == ["= - removed a", "  \(CatalogEffect.stopped.words)"])
    }

    @Test("of several offers that could have another id now, the first is named once")
    func renames() {
        func offer(_ id: OfferId, _ products: [ProductId] = ["p"]) -> Offer {
            var offer = Self.offer
            (offer.id, offer.products) = (id, products)
            return offer
        }
        let found = CatalogDifference.all(
            from: Catalog(bundleId: "com.example.pro", offers: [offer("a"), offer("b", ["p", "q"]), offer("c")]),
            to: Catalog(bundleId: "com.example.pro", offers: [offer("d", ["q"]), offer("e", ["z"]), offer("c")]))
        #expect(found.map(\.offerId) == ["d", "e", "a", "b"])
        #expect(found.map { $0.effect?.isRename } == [true, false, false, false])
        #expect(found[0].effect?.words.hasPrefix("it was `b`; ") == true)
        #expect(found[2].effect == .stopped)
        #expect(found[3].effect?.words == "it is now `d`; \(CatalogEffect.stopped.words)")
    }
}
