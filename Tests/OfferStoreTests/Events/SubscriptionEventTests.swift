import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Events of subscriptions")
struct SubscriptionEventTests {
    @Test("a renewal is one event with its period and its customer, however often it is sent and signed again")
    func renewed() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -31, -1)])
        #expect(try await bench.events().isEmpty)
        let renewal = HistoryPayload.period("2", -1, 29)
        try await bench.ingest([renewal])
        try await bench.ingest([renewal, .period("1", -31, -1)])
        try await bench.ingest([.period("2", -1, 29, signed: -0.5), .period("2", -1, 29, signed: -0.4)])
        let events = try await bench.events()
        #expect(events.map(\.type) == [.renewed])
        let event = try #require(events.first)
        #expect(
            event.text
                == #"{"expiresAt":1802505600000,"originalTransactionId":"1","productId":"com.example.pro.monthly","#
                + #""purchasedAt":1799913600000,"subscriptionGroupIdentifier":"21500001","transactionId":"2"}"#)
        #expect(event.occurredAt == Bench.now)
        #expect(event.scope == Scope(bundleId: "com.example.pro", environment: .sandbox))
        #expect(event.customer?.originalTransactionIds == ["1"])
    }

    @Test("the first purchase renews nothing, and of a history that arrives at once only the newest renewal is news")
    func firstSeen() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -0.1, 30), .info(renews: true, signed: -0.1)])
        #expect(try await bench.events().map(\.type) == [.started])
        try await bench.ingest([
            .period("7", of: "7", -3, -2), .period("8", of: "7", -2, -1), .period("9", of: "7", -1, 29),
        ])
        #expect(try await bench.events().map(\.type) == [.started, .renewed])
        #expect(try await bench.events().last?.text.contains(#""transactionId":"9""#) == true)
        // Apple says itself that it renews.
        try await bench.ingest([.period("22", of: "20", -1, 29) { $0.transactionReason = .renewal }])
        #expect(try await bench.events().map(\.type) == [.started, .renewed, .renewed])
    }

    @Test("a renewal, a refund and a cancellation of more than three days ago are no news")
    func old() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -40, -10), .info(renews: true, signed: -40)])
        try await bench.ingest([
            .period("2", -10, 20, signed: -3.1) {
                $0.revocationDate = Bench.day(-3.1)
                $0.revocationReason = 0
            }, .info(renews: false, signed: -3.1),
        ])
        #expect(try await bench.events().isEmpty)
        try await bench.ingest([.period("5", of: "5", -33, -3), .period("6", of: "5", -3, 27)])
        #expect(try await bench.events().map(\.type) == [.renewed])
    }

    @Test("auto-renewal that is turned off and on again is told by the newest renewal info, and not by the first")
    func autoRenewal() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -2, 28), .info(renews: true, signed: -2)])
        try await bench.ingest([.info(renews: false, signed: -1)])
        try await bench.ingest([.info(renews: false, signed: -0.9)])
        try await bench.ingest([.info(renews: true, signed: -0.5)])
        // It arrives late: what is newest has not changed.
        try await bench.ingest([.info(renews: false, signed: -0.7)])
        let events = try await bench.events()
        #expect(events.map(\.type) == [.started, .cancelled, .resumed])
        #expect(events.dropFirst().first?.text.contains(#""changedAt":1799913600000"#) == true)
        #expect(events.map { $0.text.contains(#""willAutoRenew":true"#) } == [true, false, true])
    }

    @Test("auto-renewal that Apple turns off because a payment failed is no cancellation")
    func failedPayment() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -31, -1), .info(renews: true, signed: -31)])
        try await bench.ingest([.info(renews: false, signed: -0.5) { $0.expirationIntent = .billingError }])
        #expect(try await bench.events().isEmpty)
        try await bench.ingest([.period("5", of: "5", -31, -1), .info(of: "5", renews: true, signed: -31)])
        try await bench.ingest([
            .info(of: "5", renews: false, signed: -0.5) { $0.expirationIntent = .customerCancelled }
        ])
        #expect(try await bench.events().map(\.type) == [.cancelled])
    }

    @Test("a refund is one event; what the family's owner loses is none")
    func refunded() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -10, 20), .period("5", of: "5", -10, 20)])
        let refund = { @Sendable (transaction: inout Transaction) in
            transaction.revocationDate = Bench.day(-0.5)
            transaction.revocationReason = 1
        }
        try await bench.ingest([.period("1", -10, 20, signed: -0.4, .notification, refund)])
        try await bench.ingest([.period("1", -10, 20, signed: -0.3, .client, refund)])
        try await bench.ingest([
            .period("5", of: "5", -10, 20, signed: -0.4) {
                refund(&$0)
                $0.revocationType = .familyRevoke
            }
        ])
        let events = try await bench.events()
        #expect(events.map(\.type) == [.refunded])
        #expect(events.first?.text.contains(#""refundedAt":1799956800000"#) == true)
    }

    @Test("an upgrade changes the product and renews nothing; a change at a renewal is both")
    func products() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -10, 20)])
        try await bench.ingest([.period("2", -1, 29) { $0.productId = "com.example.pro.yearly" }])
        let upgrade = try await bench.events()
        #expect(upgrade.map(\.type) == [.productChanged])
        #expect(
            upgrade.first?.text.contains(
                #""previousProductId":"com.example.pro.monthly","productId":"com.example.pro.yearly""#) == true)
        try await bench.ingest([.period("5", of: "5", -31, -1)])
        try await bench.ingest([.period("6", of: "5", -1, 29) { $0.productId = "com.example.pro.basic" }])
        #expect(try await bench.events().map(\.type) == [.productChanged, .renewed, .productChanged])
    }

    @Test("statements of an operator or a receipt are not events", arguments: [Provenance.operator, .receipt])
    func imported(provenance: Provenance) async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -31, -1, provenance), .info(renews: true, signed: -31, provenance)])
        try await bench.ingest([
            .period("2", -1, 29, signed: -0.1, provenance) {
                $0.revocationDate = Bench.day(-0.5)
                $0.revocationReason = 0
            }, .info(renews: false, signed: -0.5, provenance),
        ])
        #expect(try await bench.events().isEmpty)
    }

    @Test("renewal info tells nothing before its subscription is proven to be of this app")
    func unprovenOwner() async throws {
        let bench = try await Bench()
        try await bench.ingest([.info(renews: true, signed: -2)])
        try await bench.ingest([.info(renews: false, signed: -1)])
        #expect(try await bench.events().isEmpty)
        try await bench.ingest([.period("1", -2, 28)])
        #expect(try await bench.events().map(\.type) == [.started])
        try await bench.ingest([.info(renews: true, signed: -0.5)])
        #expect(try await bench.events().map(\.type) == [.started, .resumed])
    }

    @Test("the same data in any order and any number gives each event at most once", arguments: 0..<40 as Range<UInt64>)
    func anyOrder(seed: UInt64) async throws {
        let all: [HistoryPayload] = [
            .period("1", -2.5, -2), .period("2", -2, -1),
            .period("3", -1, 29) { $0.productId = "com.example.pro.yearly" },
            .info(renews: true, signed: -2.5), .info(renews: false, signed: -1.5), .info(renews: true, signed: -0.9),
            .period("2", -2, -1, signed: -0.5) {
                $0.revocationDate = Bench.day(-0.6)
                $0.revocationReason = 0
            },
        ]
        var generator = SeededGenerator(seed: seed)
        let bench = try await Bench()
        for payload in (all + all).shuffled(using: &generator) { try await bench.ingest([payload]) }
        let events = try await bench.events()
        let seen = events.map { "\($0.type.rawValue) \($0.text)" }
        #expect(Set(seen).count == seen.count, "seed \(seed)")
        #expect(events.count { $0.type == .refunded } == 1, "seed \(seed)")
        #expect(events.map(\.sequence) == events.map(\.sequence).sorted())
    }
}
