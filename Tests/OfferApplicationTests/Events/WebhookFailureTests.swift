import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@testable import OfferApplication
@testable import OfferStore

@Suite("A webhook's receiver that refuses events")
struct WebhookFailureTests {
    @Test("two events that are always refused hold up no others, and are retried ever less often")
    func twoRefused() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let poison = [try await bench.happen(to: 1), try await bench.happen(to: 2)].map { "\($0)" }
        bench.receiver.answer { poison.contains($0.id) ? .status(400) : .status(200) }
        for minute in 0..<(24 * 60) {
            try await bench.run(process)
            if minute % 10 == 5 {
                let id = "\(try await bench.happen(to: 3 + minute))"
                for _ in 0..<5 where !bench.receiver.ids.contains(id) {
                    bench.clock.advance(milliseconds: 1_000)
                    try await bench.run(process)
                }
                #expect(minute < 60 || bench.receiver.ids.contains(id), "minute \(minute)")
            }
            bench.clock.advance(milliseconds: 60_000)
        }
        #expect(Set(bench.receiver.ids).count == 2 + 24 * 6)
        // Each of the six or seven waits of a day can end early once.
        for id in poison { #expect((5...20).contains(bench.receiver.ids.count { $0 == id })) }
        #expect(try await bench.state()?.failures == 0)
        #expect(try await bench.waiting() == 2)
    }

    @Test("two events that are refused again, while there is nothing else to send, do not delay the next one")
    func refusedAgain() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        let poison = [try await bench.happen(to: 1), try await bench.happen(to: 2)]
        try await bench.happen(to: 3)
        bench.receiver.answer { message in poison.contains { "\($0)" == message.id } ? .status(400) : .status(200) }
        try await bench.run(process)
        bench.receiver.forget()
        bench.clock.advance(milliseconds: 5_000)
        try await bench.run(process)
        #expect(Set(bench.receiver.ids) == Set(poison.map { "\($0)" }))
        let next = try await bench.happen(to: 4)
        try await bench.run(process)
        #expect(bench.receiver.ids.last == "\(next)")
        #expect(bench.notes.withLock { $0 } == [.refused(poison, "status 400")])
        #expect(try await bench.state()?.failures == 0)
    }

    @Test("after a time in which a slow trickle of events was refused, all arrive with the first success")
    func slowOutage() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        bench.receiver.answer { _ in .status(500) }
        var ids: [String] = []
        for customer in 1...(12 * 60) {
            ids.append("\(try await bench.happen(to: customer % 50))")
            try await bench.run(process)
            bench.clock.advance(milliseconds: 60_000)
        }
        #expect(
            bench.notes.withLock { notes in
                notes.first.map {
                    if case .refused(_, "status 500") = $0 { true } else { false }
                }
            } == true)
        bench.receiver.answer { _ in .status(200) }
        bench.receiver.forget()
        ids.append("\(try await bench.happen(to: 99))")
        for _ in 0..<3 {
            try await bench.run(process)
            bench.clock.advance(milliseconds: 60_000)
        }
        #expect(Set(bench.receiver.ids) == Set(ids))
        #expect(try await bench.waiting() == 0)
    }

    @Test(
        "a receiver that is down for a day gets all events within minutes, in order per customer",
        arguments: [
            WebhookReply.failed("connection refused"), .status(503), .status(500), .status(429, retryAfter: "90"),
        ])
    func day(_ reply: WebhookReply) async throws {
        let bench = try DeliveryBench()
        let processes = [try await bench.process("one"), try await bench.process("other")]
        bench.receiver.answer { _ in reply }
        var ids: [[String]] = Array(repeating: [], count: 20)
        for minute in 0..<(24 * 60) {
            if minute % 10 == 0 {
                let customer = minute / 10 % ids.count
                ids[customer].append("\(try await bench.happen(to: customer + 1))")
            }
            // One of the two is away for an hour, then the other.
            try await bench.run(processes[minute / 60 % 2])
            for clock in [bench.clock, bench.leaseClock] { clock.advance(milliseconds: 60_000) }
        }
        #expect(Set(bench.receiver.ids).isSubset(of: Set(ids.joined())))
        bench.receiver.answer { _ in .status(200) }
        bench.receiver.forget()
        for _ in 0..<10 {
            for process in processes { try await bench.run(process) }
            for clock in [bench.clock, bench.leaseClock] { clock.advance(milliseconds: 60_000) }
        }
        #expect(bench.receiver.ids.sorted() == ids.joined().sorted())
        for ids in ids { #expect(bench.receiver.ids.filter(Set(ids).contains) == ids) }
        #expect(try await bench.waiting() == 0)
    }

    @Test("more refused events than are read at once do not stop later ones")
    func refusedPage() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process("one", bench.webhook(perSecond: 1_000))
        var poison: Set<String> = []
        for customer in 1...110 { poison.insert("\(try await bench.happen(to: customer))") }
        let good = "\(try await bench.happen(to: 200))"
        bench.receiver.answer { [poison] in poison.contains($0.id) ? .status(400) : .status(200) }
        for _ in 0..<(3 * 60) where !bench.receiver.ids.contains(good) {
            try await bench.run(process)
            bench.clock.advance(milliseconds: 60_000)
        }
        #expect(bench.receiver.ids.contains(good))
        // The others stay where they are or wait, each once.
        for _ in 0..<10 {
            try await bench.run(process)
            bench.clock.advance(milliseconds: 60_000)
        }
        #expect(try await bench.waiting() == 110)
    }

    @Test("if customers are merged who both have waiting events, the earliest of both is sent first")
    func bothWaiting() async throws {
        let bench = try DeliveryBench()
        let process = try await bench.process()
        var ids = ["\(try await bench.happen(to: 1))"]
        bench.receiver.answer { [ids] message in ids.contains(message.id) ? .status(500) : .status(200) }
        try await bench.run(process)
        // Its next attempt is due after that of the later one.
        bench.clock.advance(milliseconds: 5_000)
        try await bench.run(process)
        for customer in [2, 1, 2] { ids.append("\(try await bench.happen(to: customer))") }
        let other = "\(try await bench.happen(to: 3))"
        bench.receiver.answer { $0.id == other ? .status(200) : .status(500) }
        try await bench.run(process)
        try await bench.merge(1, into: 2)
        ids.append("\(try await bench.happen(to: 2))")
        bench.receiver.answer { _ in .status(200) }
        bench.receiver.forget()
        bench.clock.advance(milliseconds: 5_000)
        try await bench.run(process)
        #expect(bench.receiver.ids == [])
        bench.clock.advance(milliseconds: 300_000)
        try await bench.run(process)
        #expect(bench.receiver.ids == ids)
        #expect(try await bench.waiting() == 0)
    }

    @Test("an event that is sent again by hand while it expires is not dropped")
    func resentWhileExpiring() async throws {
        let bench = try DeliveryBench()
        _ = try await bench.process()
        let id = bench.webhook().id
        let (now, end) = (bench.clock.now, bench.clock.now.adding(milliseconds: 1))
        let waiting = try await bench.database.write { transaction in
            let store = WebhookStore(transaction)
            try store.resend(id, sequence: 7, at: now, until: end)
            _ = try store.lease(id, to: "one", until: end, at: now)
            var progress = WebhookProgress(state: WebhookState(doneTo: 7))
            progress.finished = try store.due(id, at: now, limit: 1)
            try store.resend(id, sequence: 7, at: end, until: end.adding(milliseconds: WebhookDelivery.patience))
            _ = try store.save(progress, of: id, by: "one", at: end)
            return try store.waiting(id)
        }
        #expect(waiting == 1)
    }

    @Test("a lease that ends far in the future, because the clock was set back, does not stop the delivery")
    func clockSetBack() async throws {
        let bench = try DeliveryBench()
        let (one, other) = (try await bench.process("one"), try await bench.process("other"))
        try await bench.happen(to: 1)
        bench.leaseClock.advance(milliseconds: 3_600_000)
        try await bench.run(one)
        try await bench.happen(to: 1)
        bench.leaseClock.advance(milliseconds: -3_600_000)
        try await bench.run(other)
        #expect(bench.receiver.ids.count == 2)
    }
}
