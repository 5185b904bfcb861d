import Testing

@testable import OfferModel

@Suite("a catalog made ready")
struct CompiledCatalogTests {
    private static func compare(_ fact: String, _ operand: FactValue) -> RuleNode {
        .comparison(Comparison(fact: fact, comparisonOperator: .atLeast, operands: [operand]))
    }

    private static func catalog(_ conditions: [RuleNode]) -> CompiledCatalog {
        let offers = conditions.enumerated().map { number, condition in
            var offer = Offer(
                id: OfferId("offer\(number)"), type: .promotional, delivery: .signature,
                offerIdentifier: OfferIdentifier("apple\(number)"), products: ["com.example.pro.monthly"],
                paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 3, limits: [])
            offer.eligibility = condition
            return offer
        }
        return CompiledCatalog(Catalog(bundleId: "com.example.pro", offers: offers))
    }

    /// The comparison that is an offer's whole condition.
    private static func comparisons(_ catalog: CompiledCatalog) -> [ObjectIdentifier] {
        catalog.offers.compactMap { offer in
            guard case .comparison(let comparison) = offer.condition?.kind else { return nil }
            return ObjectIdentifier(comparison)
        }
    }

    @Test("offers that ask the same share the comparison")
    func shared() {
        let node = Self.compare("customer.refunds", .number(1))
        let found = Self.comparisons(Self.catalog([node, node, Self.compare("customer.refunds", .number(2))]))
        #expect(found.count == 3)
        #expect(found[0] == found[1])
        #expect(found[0] != found[2])
    }

    @Test("offers that ask the same at the same place share the node, and elsewhere the comparison only")
    func sharedNodes() throws {
        let (first, second) = (Self.compare("customer.refunds", .number(1)), Self.compare("signals.a", .number(2)))
        let catalog = Self.catalog([
            .all([first, .any([first, second])]), .all([second, .any([first, second])]), .any([first, second]),
        ])
        func nodes(_ offer: Int) throws -> [CompiledNode] {
            guard case .group(_, let nodes) = try #require(catalog.offers[offer].condition).kind else { return [] }
            return nodes
        }
        let (asked, other, elsewhere) = (try nodes(0), try nodes(1), try nodes(2))
        #expect(asked[1] === other[1])
        #expect(asked[0] !== other[0])
        #expect(asked[0] !== elsewhere[0])
        guard case .comparison(let one) = asked[0].kind, case .comparison(let same) = elsewhere[0].kind else {
            Issue.record("both are comparisons")
            return
        }
        #expect(one === same)
    }

    @Test(
        "what Swift holds to be equal and is written otherwise is not shared",
        arguments: [
            (compare("customer.redeemed.caf\u{E9}", .number(1)), compare("customer.redeemed.cafe\u{301}", .number(1))),
            (compare("customer.refunds", .number(0)), compare("customer.refunds", .number(-0.0))),
            (compare("signals.place", .text("caf\u{E9}")), compare("signals.place", .text("cafe\u{301}"))),
        ])
    func apart(first: RuleNode, second: RuleNode) {
        let found = Self.comparisons(Self.catalog([first, second]))
        #expect(found.count == 2)
        #expect(Set(found).count == 2)
    }

    @Test("a node's path names every step from the root")
    func paths() throws {
        let leaf = Self.compare("customer.refunds", .number(1))
        let catalog = Self.catalog([.all([leaf, .not(.any([leaf, leaf]))])])
        func paths(_ node: CompiledNode) -> [String] {
            guard case .group(_, let nodes) = node.kind else { return [node.path ?? "root"] }
            return [node.path ?? "root"] + nodes.flatMap(paths)
        }
        #expect(
            paths(try #require(catalog.offers[0].condition)) == [
                "root", "all[0]", "all[1]", "all[1].not", "all[1].not.any[0]", "all[1].not.any[1]",
            ])
    }

    @Test("an offer that is not the catalog's own is made ready by itself")
    func otherOffer() {
        let catalog = Self.catalog([Self.compare("customer.refunds", .number(1))])
        var other = catalog.catalog.offers[0]
        #expect(catalog.compiled(other) === catalog.offers[0])
        other.eligibility = nil
        #expect(catalog.compiled(other).offer == other)
        #expect(catalog.compiled(other).condition == nil)
    }

    @Test("a shared comparison is judged anew for other signals, devices and instants (invariant 4)")
    func judgedAnew() {
        let node = RuleNode.all([
            Self.compare("signals.interactions", .number(50)), Self.compare("request.appVersion", .text("1.10")),
            Self.compare("customer.daysSinceFirstPurchase", .number(100)),
            Self.compare("subscription.daysSinceExpired", .number(30)),
            Self.compare("customer.redeemed.offer0", .number(1)),
        ])
        let catalog = Self.catalog([node, node])
        var answers: Set<[Verdict]> = []
        for seed in UInt64(1)...20 {
            var random = RandomSubject(seed: seed)
            let facts = random.facts(random.history())
            let subject = PreparedSubject(facts)
            for (signal, version, offer) in [(10, "1.9", 0), (60, "1.9", 1), (10, "1.10", 1), (10, "1.9", 1)] {
                for now in [random.instant(), random.instant()] {
                    let question = Question(
                        now: now, scope: Scope(bundleId: "com.example.pro", environment: .production),
                        offer: catalog.offers[offer], productId: "com.example.pro.monthly",
                        subscriptionGroupIdentifier: "21500001", catalog: catalog,
                        signals: ["interactions": .number(Double(signal))],
                        groupProducts: ["com.example.pro.monthly"], request: DeviceRequest(appVersion: version))
                    let decision = decide(question, about: subject)
                    #expect(decision == decide(question, facts: facts), "seed \(seed), offer \(offer), \(now)")
                    let condition = decision.findings.first { $0.rule == .ruleEligibility }
                    answers.insert(condition?.children?.map(\.verdict) ?? [])
                    #expect(condition?.children?.map(\.path) == (0..<5).map { "all[\($0)]" })
                }
            }
        }
        #expect(answers.count > 8, "the seeds should reach many combinations")
    }
}
