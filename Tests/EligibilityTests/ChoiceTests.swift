import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("the best of several offers")
struct ChoiceTests {
    private static func candidate(_ id: OfferId, _ priority: Int, _ value: Int64?, _ currency: String = "USD")
        -> Choice.Candidate
    {
        Choice.Candidate(
            offerId: id, priority: priority, value: value.map { Money(milliunits: $0, currency: currency) })
    }

    @Test(
        "priority decides, then value, then id",
        arguments: [
            ([candidate("a", 1, 9_000), candidate("b", 2, 1_000)], ["b", "a"], Choice.Reason.priority),
            ([candidate("a", 1, 1_000), candidate("b", 1, 9_000)], ["b", "a"], .value),
            ([candidate("b", 1, 1_000), candidate("a", 1, 1_000)], ["a", "b"], .id),
            ([candidate("a", 1, -5), candidate("b", 1, 0)], ["b", "a"], .value),
            ([candidate("b", 1, 9_000, "EUR"), candidate("a", 1, 1_000)], ["a", "b"], .id),
            ([candidate("b", 1, 9_000), candidate("a", 1, nil)], ["a", "b"], .id),
        ])
    func order(candidates: [Choice.Candidate], ids: [OfferId], reason: Choice.Reason) throws {
        let choice = try #require(Choice(among: candidates))
        #expect([choice.offerId] + choice.others.map(\.offerId) == ids)
        #expect(choice.others.map(\.reason) == [reason])
    }

    @Test("one offer of another currency leaves the choice among its equals to the id, and no priority else")
    func currencies() throws {
        let choice = try #require(
            Choice(among: [
                Self.candidate("c", 1, 9_000), Self.candidate("b", 1, 5_000, "EUR"), Self.candidate("a", 1, 1_000),
                Self.candidate("d", 0, 1_000), Self.candidate("e", 0, 2_000),
            ]))
        #expect([choice.offerId] + choice.others.map(\.offerId) == ["a", "b", "c", "e", "d"])
    }

    @Test("the order of the candidates does not matter")
    func stable() {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<500 {
            let candidates = (0..<5).map { index in
                Self.candidate(
                    OfferId("offer-\(index)"), Int.random(in: 0...1, using: &generator),
                    Bool.random(using: &generator) ? Int64.random(in: 0...2, using: &generator) : nil,
                    Bool.random(using: &generator) ? "USD" : "EUR")
            }
            let choice = Choice(among: candidates)
            #expect(Choice(among: candidates.shuffled(using: &generator)) == choice, "seed 11, round \(round)")
        }
        #expect(Choice(among: []) == nil)
    }

    @Test("the choice is explained in words")
    func words() throws {
        let choice = try #require(
            Choice(among: [
                Self.candidate("a", 2, 9_000), Self.candidate("b", 2, 9_000), Self.candidate("c", 2, 1_000),
                Self.candidate("d", 1, 1_000),
            ]))
        #expect(
            choice.sentence
                == "chosen over `d`: higher priority; over `c`: same priority, worth more to the customer; "
                + "over `b`: same priority and no more value, first by id")
        #expect(Choice(among: [Self.candidate("a", 1, nil)])?.sentence == "the only eligible offer")
    }

    /// Regular price for the offer's length minus what is paid.
    @Test(
        "the value is what the customer saves by the catalog's prices",
        arguments: [
            // mode, period, count, price, product's period and price, value in milliunits
            (PaymentMode.payAsYouGo, "P1M", 3, 4_990, "P1M", 9_990, Int64(15_000)),
            (.payUpFront, "P3M", 1, 14_990, "P1M", 9_990, 14_980),
            (.freeTrial, "P1M", 1, nil, "P1M", 9_990, 9_990),
            (.freeTrial, "P1M", 1, nil, "P1Y", 79_990, 6_665),
            (.freeTrial, "P1W", 1, nil, "P1M", 9_990, 2_331),
            (.freeTrial, "P2W", 1, nil, "P1W", 1_990, 3_980),
            (.payAsYouGo, "P1Y", 1, 89_990, "P1Y", 79_990, -10_000),
        ] as [(PaymentMode, String, Int, Int64?, String, Int64, Int64)])
    func value(
        mode: PaymentMode, period: String, count: Int, price: Int64?, productPeriod: String, regular: Int64,
        expected: Int64
    ) throws {
        let offer = Offer(
            id: "x", type: .promotional, delivery: .signature, offerIdentifier: "x", products: ["p"],
            paymentMode: mode, period: try #require(Period(period)), periodCount: count,
            price: price.map { Money(milliunits: $0, currency: "USD") }, limits: [])
        let product = Product(
            productId: "p", level: 1, period: try #require(Period(productPeriod)),
            price: Money(milliunits: regular, currency: "USD"))
        #expect(offer.value(on: product) == Money(milliunits: expected, currency: "USD"))
    }

    @Test(
        "an offer of the plan `monthly` saves what its payments cost, not a part of the price billed up front",
        arguments: [
            (.monthly, .freeTrial, 1, nil, 14_990), (.monthly, .freeTrial, 3, nil, 44_970),
            (.monthly, .payAsYouGo, 3, 7_490, 22_500), (.monthly, .payUpFront, 3, 30_000, 14_970),
            (.billedUpfront, .freeTrial, 1, nil, 11_999), (nil, .freeTrial, 1, nil, 11_999),
        ] as [(BillingPlanType?, PaymentMode, Int, Int64?, Int64)])
    func billingPlan(plan: BillingPlanType?, mode: PaymentMode, months: Int, price: Int64?, expected: Int64) {
        let money = { Money(milliunits: $0, currency: "USD") }
        let isByMonth = mode == .payAsYouGo
        var offer = Offer(
            id: "x", type: .promotional, delivery: .signature, offerIdentifier: "x", products: ["p"],
            paymentMode: mode, period: Period(months: isByMonth ? 1 : months), periodCount: isByMonth ? months : 1,
            price: price.map(money), limits: [])
        offer.billingPlan = plan
        let product = Product(
            productId: "p", level: 1, period: Period(months: 12), price: money(143_990),
            billingPlans: [
                BillingPlan(type: .billedUpfront, price: money(143_990), commitmentPrice: money(143_990)),
                BillingPlan(type: .monthly, price: money(14_990), commitmentPrice: money(179_880)),
            ])
        #expect(offer.value(on: product) == money(expected))
        #expect(offer.cost(on: product) == money(expected))
    }

    @Test("an offer paid in another currency than the product has no value that could be told")
    func otherCurrency() {
        let offer = Offer(
            id: "x", type: .promotional, delivery: .signature, offerIdentifier: "x", products: ["p"],
            paymentMode: .payUpFront, period: Period(months: 1), periodCount: 1,
            price: Money(milliunits: 1_000, currency: "EUR"), limits: [])
        let product = Product(
            productId: "p", level: 1, period: Period(months: 1), price: Money(milliunits: 9_990, currency: "USD"))
        #expect(offer.value(on: product) == nil)
    }
}
