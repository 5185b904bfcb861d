import LocalAppStore
import OfferModel
import Testing

@Suite struct VerbErrorTests {
    @Test("each verb that cannot have happened is named with its cause and a way out")
    func errors() throws {
        let bought = try buy("-P10D")
        let share = ScenarioStep.share(product: monthly, group: group, at: try at("-P10D"), period: Period(months: 1))
        let plan = ScenarioStep.PlanChange(
            at: try at("-P5D"), product: monthly, period: Period(months: 1), price: price)
        let failed = [try buy("-P40D"), ScenarioStep.failToRenew()]
        let refund = ScenarioStep.refund(at: try at("-P5D"))
        let cases: [([ScenarioStep], String)] = [
            ([.failToRenew()], "there is no subscription yet"),
            (
                [bought, .failToRenew()],
                "the period ends at 2026-11-22T00:00:00Z, not before everything is signed at 2026-11-01T00:00:00Z"
            ),
            (
                [try buy("-P40D"), .failToRenew(at: try at("-P20D"))],
                "failed at 2026-10-12T00:00:00Z, but the period ends at 2026-10-22T00:00:00Z"
            ),
            (failed + [.failToRenew()], "the payment failed before"),
            (failed + [.renew()], "the payment failed before"),
            ([bought, .recover(at: try at("-P1D"))], "no payment failed before"),
            (
                [bought, .cancel(at: try at("-P5D")), .failToRenew()],
                "renewal was turned off by an earlier `cancel`"
            ),
            ([bought, .enableRenewal(at: try at("-P1D"))], "renewal is on already"),
            (
                [try buy("-P60D"), .cancel(at: try at("-P50D")), .enableRenewal(at: try at("-P1D"))],
                "happens at 2026-10-31T00:00:00Z, but the period ends at 2026-10-02T00:00:00Z"
            ),
            ([bought, .upgrade(plan)], "the product is `com.example.pro.monthly` already"),
            ([bought, .keepProduct(at: try at("-P1D"))], "no change of product is to come"),
            (
                [bought, .raisePrice(at: try at("-P1D"), price: price)],
                "the new price 9.99 USD is not above 9.99 USD"
            ),
            ([bought, .acceptPrice(at: try at("-P1D"))], "no price increase waits for consent"),
            (
                [
                    try buy("-P40D"),
                    .raisePrice(at: try at("-P35D"), price: Money(milliunits: 10_990, currency: "USD")),
                    .renew(),
                ], "the customer has not consented to the higher price"
            ),
            ([refund], "there is no subscription yet"),
            ([bought, .refund(at: try at("-P5D"), transaction: 2)], "the subscription has no transaction 2"),
            ([bought, .refund(at: try at("-P5D"), percent: 0)], "`percent` is `0`"),
            ([bought, refund, refund], "the transaction `7040000003001` was refunded before"),
            (
                [bought, .reverseRefund(at: try at("-P5D"))],
                "the transaction `7040000003001` was not refunded"
            ),
            (
                [bought, refund, .renew()],
                "the subscription of the group `21500001` was refunded or is shared no longer"
            ),
            ([bought, .revoke(at: try at("-P1D"))], "the customer bought the subscription of the group `21500001`"),
            ([bought, share], "the group `21500001` has a subscription already"),
            ([share, .cancel(at: try at("-P1D"))], "the subscription of the group `21500001` is a family member's"),
            ([share, .upgrade(plan)], "the subscription of the group `21500001` is a family member's"),
            ([share, refund], "the subscription of the group `21500001` is a family member's"),
            (
                [share, .revoke(at: try at("-P2D")), .reverseRefund(at: try at("-P1D"))],
                "the transaction `7040000003001` was not refunded"
            ),
            ([.resubscribe(at: .now)], "there is no subscription yet"),
            ([bought, .resubscribe(at: .now)], "the group `21500001` has a subscription already"),
            (
                [try buy("-P40D"), .expire(at: .now)],
                "a subscription without a failed payment ends with its period"
            ),
            (
                failed + [.expire()],
                "the period ends at 2026-12-21T00:00:00Z, not before everything is signed at 2026-11-01T00:00:00Z"
            ),
        ]
        for (steps, message) in cases {
            let found = error(of: scenario(steps))
            #expect(found?.message == message)
            #expect(found?.hint?.isEmpty == false, "\(message)")
            #expect(found?.path.hasPrefix("steps[\(steps.count - 1)]") == true, "\(found?.path ?? "") \(message)")
        }
    }
}
