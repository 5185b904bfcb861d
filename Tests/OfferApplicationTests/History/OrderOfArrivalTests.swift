import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Order of arrival")
struct OrderOfArrivalTests {
    static func generator(seed: UInt64) -> SeededGenerator { SeededGenerator(seed: seed) }

    /// What the same signed data must always lead to.
    struct Outcome: Equatable {
        var customers: [KnownIdentifiers]
        var decisions: [OfferDecision]
        var rows: [Int]
    }

    /// Two subscriptions and a trial of one Apple Account, and another customer.
    private func pieces(_ shop: Shop) throws -> [SignedDelivery] {
        let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        let trial = try shop.delivery(.trialUsed, "100", token: token)
        var second = try shop.delivery(.lapsed, "200")
        second.signedTransactions = try second.signedTransactions.map { jws in
            try shop.edited(jws) { $0["appTransactionId"] = "app-100" }
        }
        // Renewal info alone links the third subscription to the account.
        var third = try shop.delivery(.lapsed, "300")
        third.signedTransactions = try third.signedTransactions.map { jws in
            try shop.edited(jws) { $0["appTransactionId"] = nil }
        }
        third.signedRenewalInfo = try third.signedRenewalInfo.map { jws in
            try shop.edited(jws) { $0["appTransactionId"] = "app-100" }
        }
        let first = try #require(trial.signedTransactions.first)
        let redeemed = try shop.redemption(
            of: "twice10", "100900", like: first, at: Workbench.start.adding(months: -2))
        let refunded = try shop.edited(redeemed) { payload in
            payload["signedDate"] = Workbench.start.milliseconds + 1
            payload["revocationDate"] = Workbench.start.adding(months: -1).milliseconds
            payload["revocationReason"] = 0
        }
        return trial.pieces + second.pieces + third.pieces + (try shop.delivery(.newcomer, "100")).pieces
            + [SignedDelivery(signedTransactions: [redeemed]), SignedDelivery(signedTransactions: [refunded])]
            + (try shop.delivery(.lapsed, "900")).pieces
    }

    private func outcome(_ bench: Workbench) async throws -> Outcome {
        let customer = CustomerIdentifiers(appTransactionId: "app-100")
        let story = try await bench.useCases.customers.story(customer, caller: Workbench.client)
        let answer = try await bench.useCases.decisions.decide(Inquiry(customer: customer), caller: Workbench.support)
        return Outcome(
            customers: story.identified, decisions: answer.decisions,
            rows: [
                try await bench.count("history_transaction"), try await bench.count("history_renewal_info"),
                try await bench.count("history_app_transaction"),
                try await bench.known(customer).history.transactions.count,
            ])
    }

    @Test("the same deliveries in any order, split and repeated over several requests, lead to the same (invariant 7)")
    func permutations() async throws {
        let shop = try Shop(clock: TestClock(Workbench.start))
        let pieces = try pieces(shop)
        let reference = try await Workbench(shop: shop)
        for piece in pieces { try await reference.deliver(piece) }
        let expected = try await outcome(reference)
        #expect(expected.customers.count == 1)
        #expect(expected.customers.first?.originalTransactionIds == ["100", "200", "300"])
        var generator = Self.generator(seed: 7_007)
        for round in 0..<25 {
            let bench = try await Workbench(shop: shop)
            let repeated = (pieces + pieces.shuffled(using: &generator).prefix(5)).shuffled(using: &generator)
            var rest = repeated[...]
            while !rest.isEmpty {
                var delivery = SignedDelivery()
                for piece in rest.prefix(Int.random(in: 1...4, using: &generator)) {
                    delivery.signedTransactions += piece.signedTransactions
                    delivery.signedRenewalInfo += piece.signedRenewalInfo
                    delivery.signedAppTransaction = piece.signedAppTransaction ?? delivery.signedAppTransaction
                    rest.removeFirst()
                }
                do {
                    try await bench.deliver(delivery)
                } catch RequestError.ambiguousCustomer {
                    // Data of two Apple Accounts in one request: kept all the same.
                }
            }
            #expect(try await outcome(bench) == expected, "seed 7007, round \(round)")
        }
    }

    @Test("data that is known already is answered `unchanged` and writes nothing (invariant 7)")
    func repeated() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100", complete: false)
        let first = try await bench.deliver(delivery)
        #expect(first.results.map(\.outcome) == [.added, .added])
        let before = try await bench.ledger()
        let second = try await bench.deliver(delivery)
        #expect(second.results.map(\.outcome) == [.unchanged, .unchanged])
        #expect(second.customers == first.customers)
        #expect(try await bench.ledger().sequence == before.sequence)
    }
}
