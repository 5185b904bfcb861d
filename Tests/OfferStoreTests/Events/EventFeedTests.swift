import OfferStore
import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("The feed of events")
struct EventFeedTests {
    /// An issued offer, a refusal, a notification and a renewal, in this order, each with its sequence.
    private static func fill(_ bench: Bench) async throws -> CustomerNumber {
        let customer = try await bench.ingest([.period("1", -31, -1)])[0].customer
        let scope = bench.scope
        guard let customer else { throw StoreError.corrupt("no customer") }
        try await bench.keyed.write(by: AuditAuthor(actor: "tests")) { transaction in
            try IssuedOfferStore(transaction).insert(
                .fixture(1), by: .fixture(1, customer: customer), subject: [customer], in: scope)
            let record = DecisionRecord.fixture {
                $0.findings = [
                    RuleAnswer(rule: .catalogStatus, verdict: .satisfied, reason: .holds),
                    RuleAnswer(rule: .limitTotal, verdict: .violated, reason: .limitReached),
                    RuleAnswer(rule: .ruleEligibility, verdict: .undetermined, reason: .historyIncomplete),
                ]
            }
            try RefusalStore(transaction).insert(.fixture(2, customer: customer, record: record), in: scope)
            try NotificationStore(transaction).insert(.fixture("uuid-1"), at: Bench.now, in: scope)
        }
        try await bench.ingest([.period("2", -1, 29)])
        return customer
    }

    @Test("events come in the order of commits, each with its data and its customer")
    func order() async throws {
        let bench = try await Bench()
        _ = try await Self.fill(bench)
        let events = try await bench.events()
        #expect(events.map(\.type) == [.offerIssued, .offerRefused, .notificationReceived, .renewed])
        #expect(events.map(\.sequence) == events.map(\.sequence).sorted())
        #expect(events.map { $0.customer?.originalTransactionIds } == Array(repeating: ["1"], count: 4))
        #expect(
            events[0].text
                == #"{"decisionId":"00000000-0000-4000-8000-000000000001","delivery":"signature","#
                + #""expiresAt":1800086400000,"issuedOfferId":"00000000-0000-4000-8000-000000000001","#
                + #""offerId":"comeback","offerIdentifier":"comeback50","offerType":"promotional","#
                + #""productId":"com.example.pro.monthly","subscriptionGroupIdentifier":"21500001","#
                + #""transactionId":"1000"}"#)
        #expect(
            events[1].text
                == #"{"decisionId":"00000000-0000-4000-8000-000000000002","offerId":"comeback","#
                + #""outcome":"ineligible","productId":"com.example.pro.monthly","#
                + #""rules":[{"reason":"limitReached","rule":"limit.total"}]}"#)
        #expect(
            events[2].text
                == #"{"notificationUUID":"uuid-1","productId":"com.example.pro.monthly","#
                + #""signedDate":1800000000000,"transactionId":"1","type":"DID_RENEW"}"#)
    }

    @Test("reading on from any event gives exactly those after it, whatever the page, the app and the types")
    func pages() async throws {
        let bench = try await Bench()
        _ = try await Self.fill(bench)
        let all = try await bench.events()
        for limit in 1...4 {
            var read: [StoredEvent] = []
            while true {
                let page = try await bench.events(after: read.last?.sequence ?? 0, limit: limit)
                if page.isEmpty { break }
                #expect(page.count <= limit)
                read += page
            }
            #expect(read == all)
        }
        #expect(try await bench.events(in: bench.scope) == all)
        #expect(try await bench.events(in: bench.other).isEmpty)
        for type in EventType.allCases {
            let expected = all.filter { $0.type == type }
            #expect(try await bench.events([type]) == expected)
            #expect(try await bench.events(in: bench.scope, [type]) == expected)
        }
        let two = try await bench.events(in: bench.scope, [.renewed, .offerRefused])
        #expect(two.map(\.type) == [.offerRefused, .renewed])
    }

    @Test("an id is found again, is a UUID of version 8 that sorts by time, and names no event of another instant")
    func ids() async throws {
        let bench = try await Bench()
        _ = try await Self.fill(bench)
        let all = try await bench.events()
        #expect(Set(all.map(\.id)).count == 4)
        #expect(all.map(\.id.description) == all.map(\.id.description).sorted())
        for event in all {
            let id = try #require(EventId(event.id.description))
            #expect(try await bench.database.read { try EventStore($0).event(id) } == event)
            let restored = EventId(at: event.occurredAt.adding(milliseconds: 1), sequence: event.sequence)
            #expect(try await bench.database.read { try EventStore($0).event(restored) } == nil)
        }
        // 1,800,000,000,000 ms is 0x01a3185c5000.
        #expect(
            EventId(at: Bench.now, sequence: 0x0102_0304_0506_0708).description
                == "01a3185c-5000-8000-8102-030405060708")
        #expect(EventId("01a3185c-5000-8000-8102-030405060708")?.sequence == 0x0102_0304_0506_0708)
        for other in ["01a3185c-5000-7000-8102-030405060708", "01a3185c-5000-8000-c102-030405060708", "x", ""] {
            #expect(EventId(other) == nil, "\(other)")
        }
    }

    @Test("after a merge the events of both belong to the one that remains")
    func merge() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -31, -1), .period("5", of: "5", -31, -1)])
        try await bench.ingest([.period("2", -1, 29), .period("6", of: "5", -1, 29)])
        #expect(Set(try await bench.events().map { $0.customer?.number }).count == 2)
        try await bench.ingest([
            .period("2", -1, 29, signed: -0.5) { $0.appTransactionId = "A" },
            .period("6", of: "5", -1, 29, signed: -0.5) { $0.appTransactionId = "A" },
        ])
        let events = try await bench.events()
        #expect(events.map(\.type) == [.renewed, .renewed])
        #expect(events.map { $0.customer?.originalTransactionIds } == [["1", "5"], ["1", "5"]])
    }

    @Test("after an erasure what remains names no customer and no transaction")
    func erasure() async throws {
        let bench = try await Bench()
        let customer = try await Self.fill(bench)
        _ = try await bench.erase([customer], at: Bench.now)
        let events = try await bench.events()
        #expect(events.map(\.type) == [.offerIssued, .offerRefused, .notificationReceived])
        #expect(events.allSatisfy { $0.customer == nil })
        #expect(events.allSatisfy { !$0.text.contains("transactionId") && !$0.text.contains("hmac") })
        // The Apple Account comes back: what was before stays unnamed.
        try await bench.keyed.write(by: AuditAuthor(actor: "tests")) { [scope = bench.scope] in
            _ = try HistoryStore($0).ingest([.period("2", -1, 29, signed: -0.1)], at: Bench.now, in: scope)
        }
        let back = try await bench.events()
        #expect(back.prefix(3).allSatisfy { $0.customer == nil })
        #expect(back.dropFirst(3).map(\.type) == [.started])
    }

    @Test("a notification of more than three days ago is no event")
    func oldNotification() async throws {
        let bench = try await Bench()
        try await bench.database.write { [scope = bench.scope] transaction in
            let store = NotificationStore(transaction)
            try store.insert(.fixture("new", signed: Bench.day(-3)), at: Bench.now, in: scope)
            try store.insert(.fixture("old", signed: Bench.day(-3.01)), at: Bench.now, in: scope)
        }
        #expect(try await bench.events().map { $0.text.contains(#""new""#) } == [true])
    }

    @Test("events can be read for 30 days; retention then removes those with rows of their own")
    func retention() async throws {
        let bench = try await Bench()
        _ = try await Self.fill(bench)
        let all = try await bench.events()
        for (days, left) in [(29.9, 4), (30, 0)] {
            let step = try await bench.keyed.write(by: AuditAuthor(actor: "tests")) {
                try RetentionStore($0).step(RetentionTerms(), at: Bench.day(days), limit: 3)
            }
            if days == 30 {
                #expect(!step.isLast)
                let next = try await bench.keyed.write(by: AuditAuthor(actor: "tests")) {
                    try RetentionStore($0).step(RetentionTerms(), at: Bench.day(days), limit: 3)
                }
                #expect(next.events == 1)
            }
            #expect(try await bench.events().count == left)
        }
        #expect(try await bench.database.read { try EventStore($0).event(all[0].id) } == nil)
        let rows = try await bench.database.read { try $0.rows(Statement("SELECT 1 FROM event", values: [])).count }
        #expect(rows == 0)
    }
}
