import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Events as the service records them")
struct RecordedEventTests {
    private static func events(_ bench: Workbench, _ types: Set<EventType>? = nil) async throws -> [StoredEvent] {
        try await bench.database.read { try EventStore($0).page(after: 0, types: types, limit: 1_000) }
    }

    private static func text(_ event: StoredEvent?) -> String {
        String(decoding: event?.data ?? [], as: UTF8.self)
    }

    @Test("an offer that is issued, redeemed and refused is three events, though its data arrives again and again")
    func offer() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let issued = try await bench.granted(.of("comeback", delivery)).offer.id
        bench.clock.advance(hours: 1)
        let jws = try #require(delivery.signedTransactions.first)
        let bought = bench.clock.now
        for _ in 0..<2 {
            let use = try bench.shop.redemption(of: "comeback50", "100900", like: jws, at: bought)
            try await bench.deliver(SignedDelivery(signedTransactions: [use]))
            bench.clock.advance(hours: 1)
        }
        _ = try await bench.refused(IssueRequest(offerId: "comeback", customer: named("100")))
        let events = try await Self.events(bench)
        #expect(events.map(\.type) == [.offerIssued, .started, .renewed, .offerRedeemed, .offerRefused])
        #expect(events.map { $0.customer?.originalTransactionIds } == Array(repeating: ["100"], count: 5))
        #expect(events.map { $0.customer?.appTransactionIds } == Array(repeating: ["app-100"], count: 5))
        #expect(events.allSatisfy { $0.scope == Workbench.scope })
        #expect(Self.text(events.first).contains(#""issuedOfferId":"\#(issued)""#))
        #expect(
            Self.text(events[3])
                == #"{"issuedOfferId":"\#(issued)","offerEndsAt":\#(bought.adding(months: 1).milliseconds),"#
                + #""offerId":"comeback","offerIdentifier":"comeback50","offerType":"promotional","#
                + #""originalTransactionId":"100","productId":"monthly","redeemedAt":\#(bought.milliseconds),"#
                + #""subscriptionGroupIdentifier":"21500001","transactionId":"100900"}"#)
    }

    @Test(
        "60 customers at once on two databases of one file reach a limit that all share, which is one event",
        arguments: [
            ("{ count: 5 }", [EventType.limitNearlyReached, .limitReached], ["4", "5"]),
            ("{ spend: \"50.00\", currency: USD }", [.limitReached], [#"{"amount":"49.95","currency":"USD"}"#]),
        ])
    func limits(limits: String, types: [EventType], taken: [String]) async throws {
        let (bench, orders) = try await LimitsForEveryoneTests.bench(limits, customers: 60, onFile: true)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        _ = try await ConcurrentIssuingTests.ask(
            bench, orders.enumerated().map { ($0.offset.isMultiple(of: 2) ? bench.useCases : other, $0.element) })
        for order in orders { _ = try await bench.ask(order) }
        let events = try await Self.events(bench, [.limitNearlyReached, .limitReached])
        #expect(events.map(\.type) == types)
        #expect(events.map { Self.text($0).contains(#""offerId":"drop""#) }.allSatisfy { $0 })
        for (event, amount) in zip(events, taken) { #expect(Self.text(event).contains(#""taken":\#(amount)}"#)) }
        #expect(events.allSatisfy { $0.customer == nil })
        #expect(try await Self.events(bench, [.offerIssued]).count == 5)
        #expect(try await Self.events(bench, [.offerRefused]).count >= 55)
        try second.close()
        try bench.database.close()
    }

    @Test("a higher allowance is announced again when it is reached")
    func raised() async throws {
        let (bench, orders) = try await LimitsForEveryoneTests.bench("{ count: 1 }", customers: 3)
        _ = try await bench.granted(orders[0])
        try await bench.apply(TestCatalog.head + TestCatalog.shared("{ count: 2 }"), expected: 1)
        _ = try await bench.granted(orders[1])
        let reached = try await Self.events(bench, [.limitReached, .limitNearlyReached])
        #expect(reached.map(\.type) == [.limitReached, .limitReached])
        #expect(Self.text(reached.last) == #"{"allowed":2,"limit":"total","offerId":"drop","remaining":0,"taken":2}"#)
    }

    @Test("a limit that is reached again, after an issued offer was released, is announced once")
    func reachedAgain() async throws {
        let (bench, orders) = try await LimitsForEveryoneTests.bench("{ count: 1 }", customers: 2)
        let first = try await bench.granted(orders[0]).offer
        _ = try await bench.useCases.voiding.void(first.id, reason: "mistake", release: true, caller: Workbench.client)
        #expect(try await bench.granted(orders[1]).isNew)
        #expect(try await Self.events(bench, [.limitReached, .limitNearlyReached]).map(\.type) == [.limitReached])
    }

    @Test("a notification that Apple delivers twice is one event, and so is the renewal in it")
    func notification() async throws {
        let bench = try await Workbench(catalog: nil)
        let now = bench.clock.now
        func period(_ id: String, _ start: Instant, _ end: Instant) throws -> String {
            try bench.shop.signed([
                "transactionId": id, "originalTransactionId": "1001", "bundleId": "com.example.pro",
                "productId": "monthly", "subscriptionGroupIdentifier": "21500001",
                "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
                "purchaseDate": start.milliseconds, "expiresDate": end.milliseconds,
                "signedDate": start.milliseconds,
            ])
        }
        let before = now.adding(months: -1)
        let subscribed = try bench.shop.notification(
            "SUBSCRIBED", "INITIAL_BUY", uuid: "00000000-0000-4000-8000-000000000001",
            with: ["signedTransactionInfo": try period("1001", before, now)])
        let renewed = try bench.shop.notification(
            "DID_RENEW", uuid: "00000000-0000-4000-8000-000000000002",
            with: ["signedTransactionInfo": try period("1002", now, now.adding(months: 1))])
        for notification in [subscribed, renewed, renewed] { try await bench.notify(notification) }
        try await bench.notify(renewed, source: .fetched)
        let events = try await Self.events(bench)
        #expect(
            events.map(\.type).sorted { $0.rawValue < $1.rawValue }
                == [.notificationReceived, .notificationReceived, .renewed])
        #expect(events.map { $0.customer?.originalTransactionIds } == Array(repeating: ["1001"], count: 3))
        let told = try #require(events.last { $0.type == .notificationReceived })
        #expect(
            Self.text(told)
                == #"{"notificationUUID":"00000000-0000-4000-8000-000000000002","productId":"monthly","#
                + #""signedDate":\#(now.milliseconds),"transactionId":"1002","type":"DID_RENEW"}"#)
    }

    @Test("the service announces the end of a trial that the app has sent, once, by its own clock")
    func trial() async throws {
        let bench = try await Workbench()
        let start = bench.clock.now
        let jws = try #require(try bench.shop.delivery(.subscriber, "100").signedTransactions.first)
        let trial = try bench.shop.edited(jws) { payload in
            payload["purchaseDate"] = start.milliseconds
            payload["expiresDate"] = start.adding(milliseconds: 7 * Instant.Duration.day).milliseconds
            payload["signedDate"] = start.milliseconds
            payload["offerType"] = 1
            payload["offerDiscountType"] = "FREE_TRIAL"
        }
        try await bench.deliver(SignedDelivery(signedTransactions: [trial]))
        bench.clock.advance(hours: 24 * 5, milliseconds: -1)
        #expect(try await bench.useCases.dueEvents.send() == false)
        #expect(try await Self.events(bench).map(\.type) == [.offerRedeemed])
        bench.clock.advance(milliseconds: 1)
        #expect(try await bench.useCases.dueEvents.send() == false)
        #expect(try await bench.useCases.dueEvents.send() == false)
        let events = try await Self.events(bench)
        #expect(events.map(\.type) == [.offerRedeemed, .trialEnding])
        #expect(events.last?.occurredAt == bench.clock.now)
        let last = try await bench.database.read { try StoreClock($0).lastInstant() }
        #expect(last == bench.clock.now)
    }
}
