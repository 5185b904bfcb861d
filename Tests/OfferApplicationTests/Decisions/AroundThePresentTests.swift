import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

/// Apple's clock may be ahead of ours by as much as signed data is accepted from the future, and Apple charges before a
/// period begins. What counts now is read from facts, what counted at an instant from the history.
@Suite("Data dated around the present")
struct AroundThePresentTests {
    @Test(
        "a decision and a dry-run `asOf` its instant agree, whatever is signed ahead of the clock, ends or begins around it",
        arguments: 1...40 as ClosedRange<UInt64>)
    func sameAsOf(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try await Workbench()
        let template = try bench.shop.delivery(.lapsed, "100")
        for step in 0..<6 {
            let delivery = try Self.delivery(like: template, bench, &generator)
            _ = try await bench.useCases.ingestion.ingest(
                delivery, aliases: CustomerIdentifiers(), caller: Workbench.client)
            var decided: [(instant: Instant, answer: InquiryAnswer)] = []
            for pause in [0, 300, Int64.random(in: 1...90_000, using: &generator)] {
                bench.clock.advance(milliseconds: pause)
                decided.append((bench.clock.now, try await Self.decide(bench)))
                for (instant, then) in decided {
                    let again = try await Self.decide(bench, asOf: instant)
                    #expect(
                        again.decisions == then.decisions && again.choice == then.choice,
                        "seed \(seed), step \(step), as of \(instant), asked at \(bench.clock.now)")
                }
            }
        }
    }

    @Test("a refund signed 2 s ahead of the clock counts at once, and as of any instant since it arrived")
    func refundSignedAhead() async throws {
        let bench = try await Workbench()
        let template = try bench.shop.delivery(.lapsed, "100")
        let bought = try #require(template.signedTransactions.last)
        _ = try await bench.useCases.ingestion.ingest(
            template, aliases: CustomerIdentifiers(), caller: Workbench.client)
        bench.clock.advance(hours: 1)
        let before = bench.clock.now.adding(milliseconds: -1)
        let refund = try bench.shop.edited(bought) { payload in
            payload["signedDate"] = bench.clock.now.milliseconds + 2_000
            payload["revocationDate"] = bench.clock.now.milliseconds
            payload["revocationReason"] = 0
        }
        _ = try await bench.useCases.ingestion.ingest(
            SignedDelivery(signedTransactions: [refund]), aliases: CustomerIdentifiers(), caller: Workbench.client)
        func state(asOf instant: Instant?) async throws -> String {
            let answer = try await Self.decide(bench, asOf: instant)
            let isRevoked = answer.decisions.contains { "\($0.decision.findings)".contains("revoked") }
            return isRevoked ? "revoked" : "expired"
        }
        #expect(try await state(asOf: nil) == "revoked")
        #expect(try await state(asOf: bench.clock.now) == "revoked")
        bench.clock.advance(milliseconds: 300)
        #expect(try await state(asOf: bench.clock.now) == "revoked")
        #expect(try await state(asOf: before) == "expired")
    }

    private static func decide(_ bench: Workbench, asOf: Instant? = nil) async throws -> InquiryAnswer {
        try await bench.useCases.decisions.decide(
            Inquiry(customer: named("100"), asOf: asOf), caller: Workbench.support)
    }

    /// A few transactions and renewal infos of two subscriptions of one customer, all of whose dates may be around now.
    private static func delivery(
        like template: SignedDelivery, _ bench: Workbench, _ generator: inout SeededGenerator
    ) throws -> SignedDelivery {
        let now = bench.clock.now.milliseconds
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }
        func around() -> Int64 { now + Int64.random(in: -60_000...60_000, using: &generator) }
        let day = Instant.Duration.day
        var delivery = SignedDelivery(historyComplete: pick([true, false]))
        let (bought, renews) = (
            try #require(template.signedTransactions.first), try #require(template.signedRenewalInfo.first)
        )
        for _ in 0..<pick([1, 2, 3]) {
            let id = pick(["100", "101", "102", "200", "201"])
            let purchased = pick([now - 40 * day, around(), around(), now + 5 * Instant.Duration.hour])
            let offer = pick([nil, nil, "comeback50"])
            let jws = try bench.shop.edited(bought) { payload in
                payload["transactionId"] = id
                payload["originalTransactionId"] = id.first == "1" ? "100" : "200"
                payload["purchaseDate"] = purchased
                payload["expiresDate"] = max(purchased + 1, pick([around(), around(), now + 20 * day]))
                payload["signedDate"] = around()
                payload["revocationDate"] = pick([nil, nil, around()])
                payload["revocationReason"] = payload["revocationDate"] == nil ? nil : 0
                payload["offerType"] = offer == nil ? pick([nil, 1]) : 2
                payload["offerIdentifier"] = offer
                payload["appTransactionId"] = "app-100"
            }
            delivery.signedTransactions.append(jws)
        }
        for _ in 0..<pick([0, 1, 2]) {
            let offer = pick([nil, nil, "comeback50"])
            let jws = try bench.shop.edited(renews) { payload in
                payload["originalTransactionId"] = pick(["100", "200"])
                payload["signedDate"] = around()
                payload["autoRenewStatus"] = pick([0, 1])
                payload["renewalDate"] = pick([nil, around()])
                payload["expirationIntent"] = pick([nil, nil, 1])
                payload["isInBillingRetryPeriod"] = pick([nil, true, false])
                payload["gracePeriodExpiresDate"] = pick([nil, around()])
                payload["offerType"] = offer.map { _ in 2 }
                payload["offerIdentifier"] = offer
                payload["appTransactionId"] = "app-100"
            }
            delivery.signedRenewalInfo.append(jws)
        }
        return delivery
    }
}
