import Testing

@testable import OfferDocuments
@testable import OfferModel

/// Messages about a changed condition, compared with the evaluator over every subject of small worlds.
@Suite("a condition that implies another")
struct ImplicationTests {
    @Test("every customer who meets a condition meets those it implies, whatever is unknown")
    func soundness() {
        let tables = SmallSubjects.all.map { VerdictTable(of: RandomCondition.mixed, for: $0) }
        var proven = 0
        for seed: UInt64 in 1...200 {
            var random = RandomCondition(seed: seed, comparisons: RandomCondition.mixed)
            let (one, other) = (random.node(depth: 2), random.node(depth: 2))
            for (one, other) in [(one, other), (.all([one, other]), other), (one, .any([other, one]))]
            where one.implies(other) {
                proven += 1
                let counter = tables.first { $0.verdict(one) == .satisfied && $0.verdict(other) != .satisfied }
                #expect(counter == nil, "seed \(seed): \(one), then \(other), by \(counter?.name ?? "")")
            }
        }
        #expect(proven > 400, "only \(proven) were proven, less than every trivial one")
    }

    @Test(
        "comparisons of one fact are compared exactly",
        arguments: [
            (
                #"{ fact: subscription.paidMonths, atLeast: 6 }"#, #"{ fact: subscription.paidMonths, atLeast: 3 }"#,
                true
            ),
            (
                #"{ fact: subscription.paidMonths, atLeast: 3 }"#, #"{ fact: subscription.paidMonths, atLeast: 6 }"#,
                false
            ),
            (
                #"{ fact: subscription.paidMonths, moreThan: 5 }"#, #"{ fact: subscription.paidMonths, atLeast: 6 }"#,
                true
            ),
            (
                #"{ fact: subscription.state, in: [expired] }"#,
                #"{ fact: subscription.state, in: [expired, revoked] }"#,
                true
            ),
            (
                #"{ fact: subscription.state, in: [expired] }"#,
                #"{ fact: subscription.state, notIn: [subscribed, inGracePeriod] }"#, true
            ),
            (
                #"{ fact: subscription.state, is: expired }"#, #"not: { fact: subscription.state, is: subscribed }"#,
                true
            ),
            (
                #"all: [ { fact: signals.x, atLeast: 30 }, { fact: signals.x, atMost: 180 } ]"#,
                #"{ fact: signals.x, between: [30, 180] }"#, true
            ),
            (
                #"{ fact: signals.x, between: [30, 180] }"#,
                #"all: [ { fact: signals.x, atLeast: 30 }, { fact: signals.x, atMost: 180 } ]"#, true
            ),
            // Redemptions are whole, like every count of the vocabulary; a signal need not be.
            (
                #"{ fact: customer.redeemed.a, moreThan: 1 }"#, #"{ fact: customer.redeemed.a, atLeast: 2 }"#, true
            ),
            (
                #"{ fact: customer.redeemed.a, between: [1, 2] }"#, #"{ fact: customer.redeemed.a, in: [1, 2] }"#, true
            ),
            (#"{ fact: signals.x, moreThan: 1 }"#, #"{ fact: signals.x, atLeast: 2 }"#, false),
            // A signal that was not sent meets no comparison of its value.
            (#"{ fact: signals.x, is: 1 }"#, #"{ fact: signals.x, exists: true }"#, true),
            (
                #"{ fact: signals.y, is: 1 }"#, #"any: [ { fact: signals.x, is: 1 }, { fact: signals.x, isNot: 1 } ]"#,
                false
            ),
            // Versions have an order of their own.
            (
                #"{ fact: request.appVersion, atLeast: "10.0" }"#, #"{ fact: request.appVersion, atLeast: "9.0" }"#,
                false
            ),
            (
                #"{ fact: request.appVersion, atLeast: "10.0" }"#, #"{ fact: request.appVersion, atLeast: "10.0" }"#,
                true
            ),
        ])
    func comparisons(_ one: String, _ other: String, _ isImplied: Bool) throws {
        #expect(try condition(one).implies(try condition(other)) == isImplied)
    }

    @Test(
        "a count is never 3.5, so what excludes that restricts only customers whose count is unknown",
        arguments: ["customer.redeemed.a", "subscription.paidMonths"])
    func fraction(_ fact: String) {
        func comparison(_ test: ComparisonOperator, _ number: Double) -> RuleNode {
            .comparison(Comparison(fact: fact, comparisonOperator: test, operands: [.number(number)]))
        }
        #expect(comparison(.atLeast, 1).implies(comparison(.isNot, 3.5)))
        #expect(!comparison(.atLeast, 1).implies(comparison(.isNot, 3)))
        #expect(!RuleNode.all([]).implies(comparison(.isNot, 3.5)))
    }

    @Test("a proof that would cost too much is none, at once")
    func cost() {
        let values = (0..<40_000).map { FactValue.text("v\($0)") }
        let one = RuleNode.comparison(Comparison(fact: "signals.x", comparisonOperator: .in, operands: values))
        let other = RuleNode.comparison(
            Comparison(fact: "signals.x", comparisonOperator: .isNot, operands: [.text("w")]))
        #expect(!one.implies(other))
        var (deep, deeper) = (one, other)
        for _ in 0..<9 {
            deep = .all([.any([deep, other]), .any([other, deep])])
            deeper = .any([.all([deeper, one]), .all([one, deeper])])
        }
        _ = deep.implies(deeper)
    }

    private func condition(_ text: String) throws -> RuleNode {
        let document = """
            bundleId: com.example.pro
            subscriptionGroups:
              - id: "21500001"
                products:
                  - { productId: a, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
            offers:
              - id: a
                type: promotional
                offerIdentifier: a
                products: [a]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                limits: []
                eligibility: { \(text.hasPrefix("{") ? "all: [ \(text) ]" : text) }
            """
        return try #require(try CatalogReader.read(document).value.offers.first?.eligibility)
    }
}
