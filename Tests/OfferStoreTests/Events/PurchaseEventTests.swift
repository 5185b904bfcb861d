import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Events of purchases")
struct PurchaseEventTests {
    private typealias Change = @Sendable (inout Transaction) -> Void

    private static let renewal: Change = { $0.transactionReason = .renewal }

    @Test(
        "a subscription starts with the first paid period, and with a purchase after a lapse",
        arguments: [
            ("bought", [.period("1", -1, 29)], [.started]),
            ("a free trial", [.trial("1", -1, 6)], []),
            (
                "the first paid period after a trial",
                [.trial("1", -8, -1), .period("2", -1, 29, .notification, renewal)], [.started, .renewed]
            ),
            (
                "the second paid period", [.period("1", -31, -1), .period("2", -1, 29, .notification, renewal)],
                [.renewed]
            ),
            ("bought again after a lapse", [.period("1", -100, -70), .period("2", -1, 29)], [.started, .renewed]),
            (
                "bought again after a refund",
                [.period("1", -20, 10, signed: -9) { $0.revocationDate = Bench.day(-10) }, .period("2", -1, 29)],
                [.started, .renewed]
            ),
            ("a renewal of which nothing before is known", [.period("2", -1, 29, .notification, renewal)], [.renewed]),
            ("an upgrade", [.period("1", -20, 10), .period("2", -1, 29) { $0.productId = "pro" }], [.productChanged]),
            (
                "an introductory price",
                [
                    .period("1", -1, 29) {
                        $0.offerType = .introductory
                        $0.offerDiscountType = .payAsYouGo
                        $0.price = 990
                    }
                ], [.started]
            ),
            ("shared by the family", [.period("1", -1, 29) { $0.inAppOwnershipType = .familyShared }], []),
            ("sent by the app", [.period("1", -1, 29, .client)], [.started]),
            ("imported", [.period("1", -1, 29, .operator)], []),
            ("four days ago", [.period("1", -4, 26)], []),
        ] as [(String, [HistoryPayload], [EventType])])
    func started(name: String, payloads: [HistoryPayload], expected: [EventType]) async throws {
        let bench = try await Bench()
        for payload in payloads + payloads { try await bench.ingest([payload]) }
        let types = try await bench.events().map(\.type).filter { $0 != .refunded && $0 != .offerRedeemed }
        #expect(types == expected, "\(name)")
    }

    @Test("a failed payment is one event a period, with the end of grace if there is one")
    func failedPayment() async throws {
        let bench = try await Bench()
        func failed(_ signed: Double, grace: Double? = nil) -> HistoryPayload {
            .info(renews: true, signed: signed) {
                $0.isInBillingRetryPeriod = true
                $0.expirationIntent = .billingError
                $0.gracePeriodExpiresDate = grace.map(Bench.day)
                $0.renewalDate = Bench.day(-1)
            }
        }
        try await bench.ingest([.period("1", -31, -1), .info(renews: true, signed: -31)])
        try await bench.ingest([failed(-0.9, grace: 5)])
        try await bench.ingest([failed(-0.5, grace: 5)])
        try await bench.ingest([.info(renews: true, signed: -0.7)])
        let events = try await bench.events()
        #expect(events.map(\.type) == [.paymentFailed])
        let text = try #require(events.first?.text)
        #expect(text.contains(#""failedAt":\#(Bench.day(-0.9).milliseconds),"#), "\(text)")
        #expect(text.contains(#""gracePeriodExpiresAt":\#(Bench.day(5).milliseconds),"#), "\(text)")
        try await bench.ingest([.period("7", of: "7", -31, -1), .info(of: "7", renews: true, signed: -31)])
        try await bench.ingest([
            .info(of: "7", renews: true, signed: -0.2) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = Bench.day(-0.3)
            }
        ])
        let overdue = try await bench.events().last
        #expect(overdue?.type == .paymentFailed && overdue?.text.contains("gracePeriodExpiresAt") == false)
        try await bench.ingest([
            .period("5", of: "5", -31, -1),
            .info(of: "5", renews: true, signed: -0.8) { $0.isInBillingRetryPeriod = true },
        ])
        #expect(try await bench.events().count == 2, "what is first seen so is no news")
    }

    @Test(
        "a product outside subscription groups that is bought, refunded or taken back is one event",
        arguments: [TransactionType.nonConsumable, .consumable, .nonRenewingSubscription])
    func others(type: TransactionType) async throws {
        let bench = try await Bench()
        func purchase(
            _ id: TransactionId, of original: TransactionId? = nil, bought: Double = -1, signed: Double = -1,
            revoked: RevocationType? = nil, _ provenance: Provenance = .client
        ) -> HistoryPayload {
            let transaction = Transaction.fixture(
                id, original: original, product: "lifetime", purchased: Bench.day(bought), signed: Bench.day(signed)
            ) {
                $0.type = type
                ($0.subscriptionGroupIdentifier, $0.expiresDate) = (nil, nil)
                $0.originalPurchaseDate = original == nil ? $0.purchaseDate : Bench.day(-900)
                $0.revocationType = revoked
                $0.revocationDate = revoked.map { _ in Bench.day(-0.5) }
            }
            return HistoryPayload(
                .transaction(transaction), bytes: Array("\(transaction)".utf8), provenance: provenance)
        }
        try await bench.ingest([purchase("1"), purchase("2", bought: -4, signed: -4), purchase("3", .operator)])
        // Restored: bought years ago.
        try await bench.ingest([purchase("9", of: "8")])
        try await bench.ingest([purchase("1", signed: -0.6, .notification)])
        #expect(try await bench.events().map(\.type) == [.purchaseMade])
        for signed in [-0.4, -0.3] {
            try await bench.ingest([purchase("1", signed: signed, revoked: .refundFull)])
            try await bench.ingest([purchase("2", bought: -4, signed: signed, revoked: .familyRevoke)])
        }
        let events = try await bench.events()
        #expect(events.map(\.type) == [.purchaseMade, .purchaseRefunded, .purchaseRevoked])
        #expect(
            events.map(\.text) == [
                #"{"originalTransactionId":"1","productId":"lifetime","purchasedAt":1799913600000,"transactionId":"1"}"#,
                #"{"originalTransactionId":"1","productId":"lifetime","refundedAt":1799956800000,"transactionId":"1"}"#,
                #"{"originalTransactionId":"2","productId":"lifetime","revokedAt":1799956800000,"transactionId":"2"}"#,
            ])
    }
}
