import LocalAppStore
import OfferModel
import Testing

@Suite struct RedeemTests {
    private let half = Money(milliunits: 4_990, currency: "USD")

    private func redeem(
        _ type: ScenarioStep.Redeem.OfferKind, _ time: String, _ change: (inout ScenarioStep.Redeem) -> Void = { _ in }
    ) throws -> ScenarioStep {
        var step = ScenarioStep.Redeem(
            type: type, offerIdentifier: type == .introductory ? nil : "back50", at: try at(time),
            paymentMode: .payAsYouGo, period: Period(months: 1), periodCount: 2, price: half)
        change(&step)
        return .redeem(step)
    }

    private func play(_ steps: [ScenarioStep]) throws -> PlayedScenario {
        try PlayedScenario(playing: scenario(steps), now: now)
    }

    private func last(_ played: PlayedScenario) -> String {
        let said = played.notifications.last?.notification
        return "\(said?.notificationType.rawValue ?? "")/\(said?.subtype?.rawValue ?? "")"
    }

    @Test(
        "somebody who left comes back with an offer, paid as it says, and then at the regular price",
        arguments: [
            (ScenarioStep.Redeem.OfferKind.promotional, 2), (.offerCode, 3), (.winBack, 4),
        ])
    func comeBack(type: ScenarioStep.Redeem.OfferKind, number: Int) throws {
        let steps: [ScenarioStep] = [
            try buy("2026-05-01T00:00:00Z"), .expire(), try redeem(type, "2026-07-10T00:00:00Z"),
        ]
        let begun = try play(steps)
        #expect(last(begun) == "SUBSCRIBED/RESUBSCRIBE")
        let info = try #require(begun.renewalInfos.first)
        #expect(info.offerType?.rawValue == number)
        #expect(info.offerIdentifier == "back50")
        #expect(info.offerDiscountType == .payAsYouGo)
        #expect(info.offerPeriod == "P2M")
        #expect(info.renewalPrice == 4_990)
        let played = try play(steps + [.renew(times: 2)])
        #expect(played.transactions.map(\.offerType?.rawValue) == [nil, number, number, nil])
        #expect(played.transactions.map(\.offerIdentifier) == [nil, "back50", "back50", nil])
        #expect(played.transactions.map(\.offerPeriod) == [nil, "P2M", "P2M", nil])
        #expect(played.transactions.map(\.price) == [9_990, 4_990, 4_990, 9_990])
        #expect(played.transactions.map(\.transactionReason) == [.purchase, .purchase, .renewal, .renewal])
        #expect(Set(played.transactions.map(\.originalTransactionId)).count == 1)
        #expect(played.renewalInfos.first?.offerType == nil)
    }

    @Test(
        "a free trial and an offer paid up front are one transaction of the whole length",
        arguments: [
            (PaymentMode.freeTrial, 0 as Int64, OfferDiscountType.freeTrial), (.payUpFront, 4_990, .payUpFront),
        ])
    func onePayment(mode: PaymentMode, paid: Int64, discount: OfferDiscountType) throws {
        let played = try play([
            try redeem(.introductory, "2026-08-10T00:00:00Z") {
                $0.product = monthly
                $0.group = group
                $0.paymentMode = mode
                $0.price = mode == .freeTrial ? nil : half
                $0.regular = .init(period: Period(months: 1), price: price)
            }
        ])
        let transaction = try #require(played.transactions.first)
        #expect(transaction.offerType == .introductory)
        #expect(transaction.offerIdentifier == nil)
        #expect(transaction.offerDiscountType == discount)
        #expect(transaction.price == paid)
        #expect(transaction.currency == "USD")
        #expect(transaction.expiresDate == (try instant("2026-10-10T00:00:00Z")))
        #expect(played.renewalInfos.first?.offerType == nil)
        #expect(played.renewalInfos.first?.renewalPrice == 9_990)
        #expect(last(played) == "SUBSCRIBED/INITIAL_BUY")
    }

    @Test("a subscriber's offer waits for the next renewal and shows in renewal info until then")
    func subscriber() throws {
        let steps: [ScenarioStep] = [
            try buy("2026-08-15T00:00:00Z"), .cancel(at: try at("2026-08-20T00:00:00Z")),
            try redeem(.promotional, "2026-08-21T00:00:00Z"),
        ]
        let pending = try play(steps)
        #expect(last(pending) == "OFFER_REDEEMED/")
        #expect(pending.transactions.map(\.offerType) == [nil])
        #expect(pending.renewalInfos.first?.offerIdentifier == "back50")
        #expect(pending.renewalInfos.first?.autoRenewStatus == .on)
        let renewed = try play(steps + [.renew(times: 2)])
        #expect(renewed.transactions.map(\.offerIdentifier) == [nil, "back50", "back50"])
        #expect(renewed.transactions.map(\.price) == [9_990, 4_990, 4_990])
    }

    @Test("an offer with an upgrade begins at once, one with a downgrade with the renewal")
    func withChange() throws {
        let yearly = ScenarioStep.Redeem.RegularTerms(
            period: Period(months: 12), price: Money(milliunits: 99_990, currency: "USD"))
        func steps(_ change: ScenarioStep.Redeem.Change) throws -> [ScenarioStep] {
            [
                try buy("2026-10-15T00:00:00Z"),
                try redeem(.offerCode, "2026-10-20T00:00:00Z") {
                    $0.product = "com.example.pro.yearly"
                    $0.change = change
                    $0.regular = yearly
                },
            ]
        }
        let up = try play(try steps(.upgrade))
        #expect(last(up) == "OFFER_REDEEMED/UPGRADE")
        #expect(up.transactions.map(\.isUpgraded) == [true, false])
        #expect(up.transactions.map(\.offerType) == [nil, .offerCode])
        let down = try play(try steps(.downgrade))
        #expect(last(down) == "OFFER_REDEEMED/DOWNGRADE")
        #expect(down.transactions.count == 1)
        #expect(down.renewalInfos.first?.autoRenewProductId == "com.example.pro.yearly")
        #expect(down.renewalInfos.first?.offerType == .offerCode)
    }

    @Test("an offer that cannot have been redeemed is named with its cause and a way out")
    func errors() throws {
        let bought = try buy("2026-10-10T00:00:00Z")
        let inGroup: (inout ScenarioStep.Redeem) -> Void = {
            $0.group = group
            $0.product = monthly
        }
        let cases: [([ScenarioStep], String)] = [
            ([try redeem(.promotional, "-P1D")], "nothing says which group the offer is of"),
            ([try redeem(.promotional, "-P1D", inGroup)], "the customer never bought a subscription"),
            (
                [try redeem(.winBack, "-P1D", inGroup)],
                "the customer never bought a subscription of the group `21500001`"
            ),
            ([try redeem(.offerCode, "-P1D") { $0.group = group }], "nothing says which product the offer is of"),
            ([bought, try redeem(.winBack, "-P1D")], "the group `21500001` has a subscription already"),
            ([bought, try redeem(.introductory, "-P1D")], "the group `21500001` has a subscription already"),
            (
                [try trial("-P60D"), .expire(), try redeem(.introductory, "-P1D")],
                "the trial of the group `21500001` was used before"
            ),
            (
                [bought, try redeem(.promotional, "-P1D") { $0.product = "other" }],
                "the product is another than `com.example.pro.monthly`"
            ),
            (
                [bought, try redeem(.promotional, "-P1D") { $0.change = .upgrade }],
                "the product is `com.example.pro.monthly` already"
            ),
            (
                [try buy("-P60D"), .expire(), try redeem(.promotional, "-P1D") { $0.change = .upgrade }],
                "there is no running subscription to change"
            ),
            ([bought, try redeem(.promotional, "-P1D") { $0.price = nil }], "only a free trial has no price"),
            (
                [bought, try redeem(.promotional, "-P1D") { $0.offerIdentifier = nil }],
                "only an introductory offer has no identifier"
            ),
            ([bought, try redeem(.promotional, "-P1D") { $0.periodCount = 13 }], "`periodCount` is `13`"),
            (
                [
                    try buy("-P40D"), try redeem(.promotional, "-P35D"),
                    .renew(price: price),
                ], "this renewal is paid as the offer says"
            ),
        ]
        for (steps, message) in cases {
            let found = error(of: scenario(steps))
            #expect(found?.message == message)
            #expect(found?.hint?.isEmpty == false, "\(message)")
            #expect(found?.path.hasPrefix("steps[") == true)
        }
    }
}
