import OfferModel
import Testing

@testable import OfferDocuments

@Suite struct ConditionLimitTests {
    @Test("a condition of 500 comparisons is read, and one of 501 is not (invariant 10)")
    func comparisons() throws {
        func any(_ count: Int) -> String {
            "{ any: [" + (0..<count).map { "{ fact: signals.n, is: \($0) }" }.joined(separator: ", ") + "] }"
        }
        let node = try #require(try Self.read(any(500)).value.offers.first?.eligibility)
        guard case .any(let children) = node else {
            Issue.record("another condition than was written")
            return
        }
        #expect(children.count == 500)
        let invalid = try #require(throws: InvalidDocument.self) { try Self.read(any(501)) }
        #expect(invalid.errors.map(\.code) == [.tooLarge])
    }

    @Test("a condition of 20 levels is read, and one of 21 is not (invariant 10)", arguments: ["not", "all", "any"])
    func depth(group: String) throws {
        let (opening, closing) = group == "not" ? ("{ not: ", " }") : ("{ \(group): [", "] }")
        func nested(_ levels: Int) -> String {
            String(repeating: opening, count: levels - 1) + "{ fact: signals.n, is: 1 }"
                + String(repeating: closing, count: levels - 1)
        }
        #expect(try Self.read(nested(20)).value.offers.first?.eligibility != nil)
        let invalid = try #require(throws: InvalidDocument.self) { try Self.read(nested(21)) }
        #expect(invalid.errors.map(\.code) == [.tooDeep])
    }

    @Test("facts that the check knows nothing of cost work at every alternative too (invariant 10)")
    func workOfOpenFacts() {
        let open = (0..<1_000).map {
            RuleNode.comparison(
                Comparison(fact: "request.locale", comparisonOperator: .isNot, operands: [.text("x\($0)")]))
        }
        let alternatives = (1...10).map {
            RuleNode.comparison(Comparison(fact: "signals.n", comparisonOperator: .is, operands: [.number(Double($0))]))
        }
        let none = RuleNode.comparison(
            Comparison(fact: "signals.n", comparisonOperator: .is, operands: [.number(0)]))
        let constraint = Constraint(.all(open + [none, .any(alternatives)]))
        var willing = Satisfiability()
        let canHold = willing.canHold([constraint])
        #expect(!canHold)
        // Eleven times a thousand claims are more than this.
        var spent = Satisfiability(budget: 9_000)
        let isPossible = spent.canHold([constraint])
        #expect(isPossible)
        #expect(!spent.hasBudget)
    }

    private static func read(_ condition: String) throws(InvalidDocument) -> ValidDocument<Catalog> {
        let text = """
            bundleId: com.example.pro
            subscriptionGroups:
              - id: "21500001"
                products:
                  - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
            offers:
              - id: comeback
                type: promotional
                offerIdentifier: comeback50
                products: [com.example.pro.monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: \(condition)
                limits: [{ count: 1, per: customer }]
            """
        return try CatalogReader.read(Array(text.utf8))
    }
}
