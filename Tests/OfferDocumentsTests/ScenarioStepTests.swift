import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@Suite struct ScenarioStepTests {
    private func read(_ steps: String) throws -> [ScenarioStep] {
        let text = """
            bundleId: com.example.pro
            customer: { appTransactionId: "7040000003" }
            steps:
            \(steps)
            """
        return try ScenarioReader.read(Array(text.utf8)).value.steps
    }

    private func refused(_ step: String) -> [String] {
        issues(
            ScenarioReader.read,
            """
            bundleId: com.example.pro
            customer: { appTransactionId: "7040000003" }
            steps:
              - \(step)
            """)
    }

    private let at = ScenarioTime.ago(Period(days: 5))
    private let price = Money(milliunits: 9_990, currency: "USD")
    private let month = Period(months: 1)

    @Test("each verb is read with its members")
    func verbs() throws {
        let steps = try read(
            """
              - resubscribe: { at: -P5D }
              - resubscribe: { at: -P5D, group: "1", product: p, period: P1M, price: { amount: "9.99", currency: USD } }
              - failToRenew: {}
              - failToRenew: { group: "1", at: -P5D, grace: P16D }
              - recover: { at: -P5D }
              - cancel: { group: "1", at: -P5D }
              - enableRenewal: { at: -P5D }
              - expire: { group: "1", at: -P5D, reason: billingError }
              - upgrade: { at: -P5D, product: p, period: P1M, price: { amount: "9.99", currency: USD } }
              - downgrade: { at: -P5D, product: p, period: P1M, price: { amount: "9.99", currency: USD } }
              - crossgrade: { group: "1", at: -P5D, product: p, period: P1M, price: { amount: "9.99", currency: USD } }
              - keepProduct: { at: -P5D }
              - raisePrice: { at: -P5D, price: { amount: "9.99", currency: USD } }
              - raisePrice: { at: -P5D, price: { amount: "9.99", currency: USD }, needsConsent: false }
              - acceptPrice: { at: -P5D }
              - refund: { at: -P5D }
              - refund: { group: "1", at: -P5D, transaction: 2, percent: 40, reason: appIssue }
              - reverseRefund: { group: "1", at: -P5D, transaction: 2 }
              - share: { product: p, group: "1", at: -P5D, period: P1M }
              - revoke: { at: -P5D }
              - test: { at: -P5D }
            """)
        let change = ScenarioStep.PlanChange(at: at, product: "p", period: month, price: price)
        let expected: [ScenarioStep] = [
            .resubscribe(at: at),
            .resubscribe(group: "1", at: at, product: "p", period: month, price: price),
            .failToRenew(), .failToRenew(group: "1", at: at, grace: Period(days: 16)),
            .recover(at: at), .cancel(group: "1", at: at), .enableRenewal(at: at),
            .expire(group: "1", at: at, reason: .billingError), .upgrade(change), .downgrade(change),
            .crossgrade(.init(group: "1", at: at, product: "p", period: month, price: price)), .keepProduct(at: at),
            .raisePrice(at: at, price: price), .raisePrice(at: at, price: price, needsConsent: false),
            .acceptPrice(at: at), .refund(at: at),
            .refund(group: "1", at: at, transaction: 2, percent: 40, reason: .appIssue),
            .reverseRefund(group: "1", at: at, transaction: 2),
            .share(product: "p", group: "1", at: at, period: month), .revoke(at: at), .test(at: at),
        ]
        #expect(steps == expected)
    }

    @Test("a redemption is spelled as the catalog spells offers")
    func redeem() throws {
        let steps = try read(
            """
              - redeem: { type: introductory, group: "1", product: p, at: -P5D, paymentMode: freeTrial, period: P1W }
              - redeem:
                  type: winBack
                  offerIdentifier: back_50
                  product: p
                  at: -P5D
                  paymentMode: payAsYouGo
                  period: P1M
                  periodCount: 3
                  price: { amount: "9.99", currency: USD }
                  change: upgrade
                  regular: { period: P1M, price: { amount: "9.99", currency: USD } }
            """)
        let expected: [ScenarioStep] = [
            .redeem(
                .init(
                    type: .introductory, group: "1", product: "p", at: at, paymentMode: .freeTrial,
                    period: Period(days: 7))),
            .redeem(
                .init(
                    type: .winBack, offerIdentifier: "back_50", product: "p", at: at, paymentMode: .payAsYouGo,
                    period: month, periodCount: 3, price: price, change: .upgrade,
                    regular: .init(period: month, price: price))),
        ]
        #expect(steps == expected)
    }

    private static let wrongSteps: [(String, [String])] = [
        ("recover: {}", ["missingKey 4 steps[0].recover"]),
        ("failToRenew: { grace: long }", ["invalidValue 4 steps[0].failToRenew.grace"]),
        ("refund: { at: now, percent: 101 }", ["outOfRange 4 steps[0].refund.percent"]),
        ("refund: { at: now, transaction: 0 }", ["outOfRange 4 steps[0].refund.transaction"]),
        ("refund: { at: now, reason: anger }", ["unknownValue 4 steps[0].refund.reason"]),
        ("revoke: { at: now, percent: 1 }", ["unknownKey 4 steps[0].revoke"]),
        ("raisePrice: { at: now, price: 3 }", ["wrongType 4 steps[0].raisePrice.price"]),
        (
            "raisePrice: { at: now, price: { amount: \"1\", currency: USD }, needsConsent: yes }",
            ["wrongType 4 steps[0].raisePrice.needsConsent"]
        ),
        (
            "share: { product: p }",
            [
                "missingKey 4 steps[0].share", "missingKey 4 steps[0].share", "missingKey 4 steps[0].share",
            ]
        ),
        ("test: now", ["wrongType 4 steps[0].test"]),
        ("recover:", ["missingValue 4 steps[0].recover"]),
        ("recover: { at: now, at: now }", ["duplicateKey 4 steps[0].recover"]),
        (
            "redeem: { type: introductory, offerIdentifier: x, at: now, paymentMode: freeTrial, period: P1W }",
            ["notAllowed 4 steps[0].redeem.offerIdentifier"]
        ),
        (
            "redeem: { type: promotional, at: now, paymentMode: freeTrial, period: P1W }",
            ["missingKey 4 steps[0].redeem"]
        ),
        (
            "redeem: { type: offerCode, offerIdentifier: x, at: now, paymentMode: payUpFront, period: P1W }",
            ["missingKey 4 steps[0].redeem"]
        ),
        (
            "redeem: { type: offerCode, offerIdentifier: x, at: now, paymentMode: freeTrial, period: P1W, "
                + "price: { amount: \"1\", currency: USD } }",
            ["notAllowed 4 steps[0].redeem.price"]
        ),
        (
            "redeem: { type: gift, at: now, paymentMode: freeTrial, period: P1W }",
            ["unknownValue 4 steps[0].redeem.type"]
        ),
        (
            "redeem: { type: winBack, offerIdentifier: \"a b\", at: now, paymentMode: freeTrial, period: P1W }",
            ["invalidValue 4 steps[0].redeem.offerIdentifier"]
        ),
        (
            "redeem: { type: offerCode, offerIdentifier: x, at: now, paymentMode: freeTrial, period: P1W, "
                + "change: upgrade }",
            ["contradiction 4 steps[0].redeem.change"]
        ),
    ]

    @Test("a wrong step is refused with its line and path", arguments: wrongSteps)
    func wrong(step: String, expected: [String]) {
        #expect(refused(step) == expected)
    }

    @Test("damaged scenarios are read or refused, never a crash (invariant 10)")
    func damaged() throws {
        var random = SeededGenerator(seed: 0x5EED_5CE0)
        let whole = try Fixture.repository("Examples/scenarios/year.yaml")
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                }
            }
            do throws(InvalidDocument) {
                _ = try ScenarioReader.read(bytes)
            } catch {
                #expect(!error.errors.isEmpty, "seed \(random.seed)")
            }
        }
    }
}
