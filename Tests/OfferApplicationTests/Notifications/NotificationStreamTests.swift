import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("A year of one customer's notifications")
struct NotificationStreamTests {
    private static let customer = CustomerIdentifiers(appTransactionId: "app-1")

    /// What the stream must lead to.
    private struct Outcome: Equatable {
        var customers: [KnownIdentifiers]
        var states: [SubscriptionState]
        var redemptions: [Redemption]
        var decisions: [OfferDecision]
        var payloads: [[UInt8]]
    }

    private func outcome(_ bench: Workbench) async throws -> Outcome {
        let story = try await bench.useCases.customers.story(Self.customer, caller: Workbench.client)
        let answer = try await bench.useCases.decisions.decide(
            Inquiry(customer: Self.customer), caller: Workbench.support)
        let known = try await bench.known(Self.customer)
        return Outcome(
            customers: story.identified, states: known.history.subscriptionStates(at: known.now),
            redemptions: known.redemptions, decisions: answer.decisions, payloads: try await bench.payloads())
    }

    /// A trial, failed payments with and without grace, an offer, a refund that is taken back, a higher price,
    /// cancellations and a return: a weekly subscription over a year.
    private func stream(_ shop: Shop) throws -> [String] {
        let start = shop.clock.now.adding(milliseconds: -364 * Instant.Duration.day)
        func at(_ week: Double) -> ScenarioTime {
            .fixed(start.adding(milliseconds: Int64(week * 7 * Double(Instant.Duration.day))))
        }
        let (price, week) = (Money(milliunits: 2_990, currency: "USD"), Period(days: 7))
        let higher = Money(milliunits: 3_990, currency: "USD")
        let steps: [ScenarioStep] = [
            .appTransaction(at: at(-1)),
            .trial(product: "monthly", group: "21500001", at: at(0), length: week, period: week, price: price),
            .test(at: at(0.1)),
            .renew(times: 8),
            .cancel(at: at(8.2)),
            .enableRenewal(at: at(8.4)),
            .renew(times: 8),
            .failToRenew(grace: Period(days: 6)),
            .recover(at: at(17.5)),
            .renew(times: 8),
            .refund(at: at(25.2)),
            .reverseRefund(at: at(25.4)),
            .expire(),
            .resubscribe(at: at(28)),
            .redeem(
                .init(
                    type: .promotional, offerIdentifier: "stay50", at: at(28.5), paymentMode: .payAsYouGo, period: week,
                    periodCount: 2, price: Money(milliunits: 990, currency: "USD"))),
            .renew(times: 9),
            .failToRenew(),
            .recover(at: at(38.5)),
            .renew(times: 8),
            .raisePrice(at: at(46.6), price: higher),
            .acceptPrice(at: at(46.7)),
            .cancel(at: at(46.8)),
            .expire(),
            .test(at: at(51)),
        ]
        let scenario = Scenario(
            bundleId: "com.example.pro", environment: .localTesting,
            customer: ScenarioCustomer(appTransactionId: "app-1", originalTransactionId: "100"), steps: steps)
        return try LocalAppStore(root: shop.root).sign(scenario, now: shop.clock.now).notifications
    }

    @Test(
        "delivered shuffled, doubled, and with a tenth lost and fetched later, it gives exactly the state of the ordered stream (invariant 7)"
    )
    func shuffled() async throws {
        let shop = try Shop(clock: TestClock(Workbench.start))
        let stream = try stream(shop)
        #expect(stream.count >= 60)
        let reference = try await Workbench(shop: shop)
        for jws in stream { try await reference.notify(jws, of: Workbench.scope) }
        let expected = try await outcome(reference)
        #expect(expected.customers.count == 1 && expected.states.map(\.name) == [.expired])
        #expect(expected.redemptions.map(\.offerIdentifier) == [nil, "stay50"])

        var generator = SeededGenerator(seed: 2_402)
        for round in 0..<8 {
            let bench = try await Workbench(shop: shop)
            let lost = Set(stream.shuffled(using: &generator).prefix(stream.count / 10))
            let arriving = stream.filter { !lost.contains($0) }
            let delivered = (arriving + arriving.shuffled(using: &generator).prefix(15)).shuffled(using: &generator)
            for jws in delivered { try await bench.notify(jws, of: Workbench.scope) }
            #expect(try await bench.count("notification") == arriving.count, "seed 2402, round \(round)")
            for jws in stream.shuffled(using: &generator) {
                try await bench.notify(jws, of: Workbench.scope, source: .fetched)
            }
            #expect(try await bench.count("notification") == stream.count, "seed 2402, round \(round)")
            #expect(try await outcome(bench) == expected, "seed 2402, round \(round)")
        }
    }
}
