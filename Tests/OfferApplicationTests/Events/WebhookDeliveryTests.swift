import Foundation
import MetricsTestKit
import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Synchronization
import Testing

@testable import OfferApplication
@testable import OfferStore

@Suite("Events are delivered to webhooks")
struct WebhookDeliveryTests {
    @Test("a message is signed as Standard Webhooks says, once with each secret")
    func signature() throws {
        // The secrets of the examples in the specification and in its libraries.
        let secrets = ["plJ3nmyCDGBKInavdOK15jsl", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"].map {
            OpenSSLDigest().keyed(by: Array(Data(base64Encoded: $0) ?? Data()), name: "")
        }
        let webhook = Webhook(
            name: "w", url: "https://example.com", secrets: secrets, events: [.renewed], perSecond: 1,
            digest: OpenSSLDigest())
        let id = try #require(LowercaseUUID("019b6400-b800-8000-8000-00000000002a"))
        let message = webhook.message(
            id, Array(#"{"test": 2432232314}"#.utf8), at: Instant(milliseconds: 1_614_265_330_999))
        #expect(message.timestamp == "1614265330")
        let signatures = message.signature.split(separator: " ")
        #expect(signatures.count == 2)
        // By Python's `hmac`, over `019b6400-….1614265330.{"test": 2432232314}`.
        #expect(
            signatures == [
                "v1,PWZx1wcvWjmRUAtrx1UX51Un8nZcQ9uB6fIuDnaXIZw=", "v1,bAwW6gNQ1bHEVPE5X8qTnrZoI8TzbylTWvIr/rhHCWE=",
            ])
    }

    @Test("an event arrives once, with its customer and its data")
    func body() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let id = try await bench.happen(to: 17)
        try await bench.run(process)
        try await bench.run(process)
        #expect(bench.receiver.ids == ["\(id)"])
        let message = try #require(bench.receiver.messages.first)
        #expect(message.url == "https://example.com/events")
        #expect(message.timestamp == "1793491200")
        #expect(
            String(decoding: message.body, as: UTF8.self) == """
                {"app":"com.example.pro","customer":{"appAccountTokens":[],"customerIds":[],\
                "originalTransactionIds":["17"]},"data":{"a":1},"environment":"LocalTesting","id":"\(id)",\
                "occurredAt":1793491200123,"status":{"asOf":1793491200123,"coverage":{"level":"none"},\
                "customer":{"originalTransactionId":"17"},"groups":[],"hasAccess":false,"known":true,"products":[]},\
                "type":"subscription.renewed"}
                """)
        #expect(try await bench.state()?.succeededAt == DeliveryBench.start)
    }

    @Test("an attempt is dated by real time, which its receiver compares, and the event by the service's time")
    func times() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        bench.clock.advance(milliseconds: 400 * Instant.Duration.day)
        try await bench.happen(to: nil)
        bench.leaseClock.advance(milliseconds: 7_000)
        try await bench.run(process)
        let message = try #require(bench.receiver.messages.first)
        #expect(message.timestamp == String(bench.leaseClock.now.seconds))
        let body = String(decoding: message.body, as: UTF8.self)
        #expect(body.contains("\"occurredAt\":\(bench.clock.now.milliseconds)"), "\(body)")
    }

    @Test("later events of a customer wait for one that failed, and those of others do not")
    func order() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let first = try await bench.happen(to: 1)
        let (second, other) = (try await bench.happen(to: 1), try await bench.happen(to: 2))
        bench.receiver.answer { $0.id == "\(first)" ? .status(500) : .status(200) }
        try await bench.run(process)
        #expect(Set(bench.receiver.ids) == ["\(first)", "\(other)"])
        let third = try await bench.happen(to: 1)
        try await bench.run(process)
        bench.receiver.answer { _ in .status(200) }
        bench.receiver.forget()
        bench.clock.advance(milliseconds: 4_999)
        try await bench.run(process)
        #expect(bench.receiver.ids == [])
        bench.clock.advance(milliseconds: 1)
        try await bench.run(process)
        #expect(bench.receiver.ids == ["\(first)", "\(second)", "\(third)"])
        #expect(try await bench.waiting() == 0)
    }

    @Test("an event that is always refused is retried for three days and then dropped, and its customer's next is sent")
    func schedule() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let (poison, next) = (try await bench.happen(to: 1), try await bench.happen(to: 1))
        bench.receiver.answer { $0.id == "\(poison)" ? .status(400) : .status(200) }
        var attempts: [Int64] = []
        for _ in 0..<(3 * 24 * 60 + 10) {
            let before = bench.receiver.ids.count { $0 == "\(poison)" }
            try await bench.run(process)
            if bench.receiver.ids.count(where: { $0 == "\(poison)" }) > before {
                attempts.append(bench.clock.now.milliseconds(since: DeliveryBench.start) / 60_000)
            }
            bench.clock.advance(milliseconds: 60_000)
        }
        // In minutes: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 20 h.
        #expect(attempts == [0, 1, 6, 36, 156, 456, 1_056, 1_896, 3_096, 4_296])
        #expect(bench.receiver.ids.count { $0 == "\(next)" } == 1)
        #expect(bench.receiver.ids.last == "\(next)")
        #expect(bench.notes.withLock { $0 } == [.refused([poison], "status 400"), .dropped([poison])])
        #expect(try await bench.waiting() == 0)
    }

    @Test("while a receiver is down one event is tried at a time, ever less often, and none is lost or put off")
    func outage() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        var ids: [[String]] = [[], [], []]
        for number in 0..<240 { ids[number % 3].append("\(try await bench.happen(to: number % 3 + 1))") }
        bench.receiver.answer { _ in .failed("connection refused") }
        try await bench.run(process)
        let first = bench.receiver.messages.count
        #expect(first == 3)
        var waits: [Int64] = []
        var last = bench.clock.now
        for _ in 0..<24 * 3_600 {
            bench.clock.advance(milliseconds: 1_000)
            let before = bench.receiver.messages.count
            try await bench.run(process)
            guard bench.receiver.messages.count > before else { continue }
            #expect(bench.receiver.messages.count == before + 1)
            waits.append(bench.clock.now.milliseconds(since: last) / 1_000)
            last = bench.clock.now
            if waits.count == 12 { break }
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300, 300, 300, 300, 300])
        #expect(try await bench.waiting() == 0)
        #expect(try await bench.state()?.failingSince == DeliveryBench.start)
        bench.receiver.answer { _ in .status(204) }
        bench.receiver.forget()
        bench.clock.advance(milliseconds: 300_000)
        try await bench.run(process)
        #expect(bench.receiver.ids.sorted() == ids.joined().sorted())
        for ids in ids { #expect(bench.receiver.ids.filter(Set(ids).contains) == ids) }
        #expect(bench.notes.withLock { $0 } == [.failing("connection refused"), .recovered])
        #expect(try await bench.state()?.failures == 0)
    }

    @Test("one event that is always refused does not stop the others, however long the receiver was down")
    func poison() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let poison = "\(try await bench.happen(to: 1))"
        var others: Set<String> = []
        for customer in 2...40 { others.insert("\(try await bench.happen(to: customer))") }
        bench.receiver.answer { _ in .status(503) }
        try await bench.run(process)
        bench.receiver.answer { $0.id == poison ? .status(400) : .status(200) }
        bench.receiver.forget()
        for _ in 0..<3 {
            bench.clock.advance(milliseconds: 300_000)
            try await bench.run(process)
        }
        #expect(Set(bench.receiver.ids).subtracting([poison]) == others)
        #expect(bench.receiver.ids.count { $0 != poison } == others.count)
        #expect(try await bench.waiting() == 1)
    }

    @Test("the lag is the age of the oldest event for this webhook that was not tried, and ends with the delivery")
    func lag() async throws {
        let bench = try DeliveryBench()
        let sandbox = Scope(bundleId: "com.example.pro", environment: .sandbox)
        let webhook = bench.webhook(events: [.renewed], environment: .sandbox)
        let metrics = TestMetrics()
        let process = try await bench.process("one", webhook, metrics: WebhookMetrics(metrics))
        func shown() throws -> [Double?] {
            try ["lag_seconds", "waiting_events"].map {
                try metrics.expectGauge("offerd_webhook_\($0)", [("webhook", "example.com")]).lastValue
            }
        }
        #expect(try shown() == [0, 0])
        bench.receiver.answer { _ in .failed("connection refused") }
        // None of these is for this webhook.
        for customer in 0..<250 { try await bench.happen(to: customer) }
        try await bench.happen(.cancelled, to: 1, in: sandbox)
        bench.clock.advance(milliseconds: 60_000)
        try await bench.run(process)
        #expect(try shown() == [0, 0])
        for customer in [7, 8] { try await bench.happen(to: customer, in: sandbox) }
        bench.clock.advance(milliseconds: 1_000)
        for age in [1.0, 61] {
            try await bench.run(process)
            #expect(try shown() == [age, 0])
            bench.clock.advance(milliseconds: 60_000)
        }
        // The receiver answers again and refuses one of them: it waits, and was tried.
        bench.receiver.answer { [first = bench.receiver.ids.first] in $0.id == first ? .status(400) : .status(200) }
        for _ in 0..<10 {
            bench.clock.advance(milliseconds: 60_000)
            try await bench.run(process)
        }
        #expect(try shown() == [0, 1])
        await process.end()
        #expect(try shown() == [0, 0])
    }

    @Test("a webhook that is gone shows how old its oldest event is")
    func lagOfGone() async throws {
        let bench = try DeliveryBench()
        let metrics = TestMetrics()
        let process = try await bench.process("one", metrics: WebhookMetrics(metrics))
        try await bench.happen(to: 1)
        bench.receiver.answer { _ in .status(410) }
        try await bench.run(process)
        bench.clock.advance(hours: 2)
        try await bench.run(process)
        #expect(
            try metrics.expectGauge("offerd_webhook_lag_seconds", [("webhook", "example.com")]).lastValue == 7_200)
    }

    @Test("410 Gone ends the delivery until the process starts again")
    func gone() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let id = try await bench.happen(to: 1)
        bench.receiver.answer { _ in .status(410) }
        try await bench.run(process)
        bench.clock.advance(milliseconds: 3_600_000)
        try await bench.run(process)
        #expect(bench.receiver.ids == ["\(id)"])
        #expect(bench.notes.withLock { $0 } == [.gone])
        bench.receiver.answer { _ in .status(200) }
        try await bench.run(try await bench.process())
        #expect(bench.receiver.ids == ["\(id)", "\(id)"])
    }

    @Test(
        "Retry-After is honoured up to an hour",
        arguments: [("120", Int64(120)), ("999999999", 3_600), ("soon", 5), ("-1", 5), ("1", 5)])
    func retryAfter(_ header: String, _ seconds: Int64) async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        try await bench.happen(to: 1)
        bench.receiver.answer { _ in .status(429, retryAfter: header) }
        try await bench.run(process)
        bench.clock.advance(milliseconds: seconds * 1_000 - 1)
        try await bench.run(process)
        #expect(bench.receiver.ids.count == 1)
        bench.clock.advance(milliseconds: 1)
        try await bench.run(process)
        #expect(bench.receiver.ids.count == 2)
    }

    @Test("a webhook gets the types, the app and the environment that it names, from when it is first seen")
    func filters() async throws {
        let bench = try DeliveryBench()
        try await bench.happen(to: 1)
        let sandbox = Scope(bundleId: "com.example.pro", environment: .sandbox)
        let webhook = bench.webhook(events: [.renewed], app: "com.example.pro", environment: .sandbox)
        let process = try await bench.process("one", webhook)
        try await bench.happen(to: 1)
        try await bench.happen(.cancelled, to: 2, in: sandbox)
        try await bench.happen(to: 3, in: Scope(bundleId: "com.example.other", environment: .sandbox))
        let wanted = try await bench.happen(to: 4, in: sandbox)
        try await bench.run(process)
        #expect(bench.receiver.ids == ["\(wanted)"])
    }

    @Test("an event that is sent again keeps its id and does not wait for others of its customer")
    func resend() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let (first, second) = (try await bench.happen(to: 1), try await bench.happen(to: 1))
        bench.receiver.answer { $0.id == "\(second)" ? .status(500) : .status(200) }
        try await bench.run(process)
        let feed = EventFeed(
            database: bench.database, webhooks: WebhookRegistry([bench.webhook()]),
            clock: RequestClock { bench.clock.now })
        let caller = Caller(apiKeyId: "k", scope: DeliveryBench.scope, role: .support)
        #expect(try await feed.resend(first, caller: caller).webhooks == 1)
        bench.receiver.forget()
        try await bench.run(process)
        #expect(bench.receiver.ids == ["\(first)"])
        // One that waits to be sent again is sent now.
        bench.receiver.answer { _ in .status(200) }
        #expect(try await feed.resend(second, caller: caller).webhooks == 1)
        try await bench.run(process)
        #expect(bench.receiver.ids == ["\(first)", "\(second)"])
        #expect(try await bench.waiting() == 0)
    }

    @Test("events of a customer who was merged meanwhile wait for the events of both")
    func merged() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        try await bench.happen(to: 2)
        let (first, other) = (try await bench.happen(to: 1), try await bench.happen(to: 3))
        bench.receiver.answer { $0.id == "\(first)" ? .status(500) : .status(200) }
        try await bench.run(process)
        try await bench.merge(1, into: 2)
        try await bench.happen(to: 3)
        let later = try await bench.happen(to: 2)
        try await bench.run(process)
        #expect(!bench.receiver.ids.contains("\(later)"))
        bench.receiver.answer { _ in .status(200) }
        bench.clock.advance(milliseconds: 5_000)
        try await bench.run(process)
        #expect(bench.receiver.ids.suffix(2) == ["\(first)", "\(later)"])
        #expect(bench.receiver.ids.count { $0 == "\(other)" } == 1)
    }

    @Test("all events arrive despite failures, first in the order of their customer", arguments: 0..<8)
    func random(_ seed: UInt64) async throws {
        let bench = try DeliveryBench()
        let processes = [try await bench.process("one"), try await bench.process("two")]
        let chance = Mutex(SeededGenerator(seed: seed))
        func draw(_ range: Range<Int>) -> Int { chance.withLock { Int.random(in: range, using: &$0) } }
        let arrived = Mutex<[String]>([])
        bench.receiver.answer { message in
            let fate = chance.withLock { Int.random(in: 0..<12, using: &$0) }
            guard fate > 3 else { return [.status(500), .status(503), .failed("closed"), .status(400)][fate] }
            arrived.withLock { $0.append(message.id) }
            return .status(200)
        }
        var wanted: [Int: [String]] = [:]
        for step in 0..<60 {
            for _ in 0..<draw(0..<8) where step < 40 {
                let customer = draw(1..<7)
                wanted[customer, default: []].append("\(try await bench.happen(to: customer))")
            }
            try await bench.run(processes[draw(0..<2)])
            bench.clock.advance(milliseconds: Int64(draw(0..<600_000)))
            bench.leaseClock.advance(milliseconds: Int64(draw(0..<60_000)))
        }
        bench.receiver.answer { message in
            arrived.withLock { $0.append(message.id) }
            return .status(200)
        }
        for _ in 0..<48 {
            bench.leaseClock.advance(milliseconds: 60_000)
            bench.clock.advance(milliseconds: 1_800_000)
            for process in processes { try await bench.run(process) }
        }
        var seen: Set<String> = []
        let first = arrived.withLock { $0 }.filter { seen.insert($0).inserted }
        for (customer, ids) in wanted {
            #expect(first.filter(Set(ids).contains) == ids, "customer \(customer), seed \(seed)")
        }
        #expect(try await bench.waiting() == 0)
    }
}
