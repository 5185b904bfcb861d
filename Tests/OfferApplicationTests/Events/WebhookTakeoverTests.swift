import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication
@testable import OfferStore

@Suite("Several processes deliver to one webhook")
struct WebhookTakeoverTests {
    @Test("another process takes over when the lease of one that was killed ends, and sends the same id again")
    func takeover() async throws {
        let bench = try DeliveryBench()
        let (killed, other) = (try await bench.process("killed"), try await bench.process("other"))
        let first = try await bench.happen(to: 1)
        try await bench.run(killed)
        let second = try await bench.happen(to: 1)
        // Sends, and ends before it records that.
        _ = try await bench.database.write { transaction in
            let refusal =
                TestStore.isPostgres
                ? "FOR EACH ROW WHEN (new.done_to > old.done_to) EXECUTE FUNCTION refuse_change()"
                : "WHEN new.done_to > old.done_to BEGIN SELECT RAISE(ABORT, 'killed'); END"
            try transaction.execute(Statement("CREATE TRIGGER killed BEFORE UPDATE ON webhook \(refusal)", values: []))
        }
        await #expect(throws: (any Error).self) { try await bench.run(killed) }
        _ = try await bench.database.write {
            try $0.execute(
                Statement(TestStore.isPostgres ? "DROP TRIGGER killed ON webhook" : "DROP TRIGGER killed", values: []))
        }
        #expect(bench.receiver.ids == ["\(first)", "\(second)"])
        try await bench.run(other)
        #expect(bench.receiver.ids.count == 2)
        bench.leaseClock.advance(milliseconds: 30_001)
        try await bench.run(other)
        #expect(bench.receiver.ids == ["\(first)", "\(second)", "\(second)"])
        #expect(try await bench.state()?.leaseHolder == "other")
    }

    @Test("of two processes that find the lease free at the same moment, one sends")
    func freeLease() async throws {
        let bench = try DeliveryBench()
        let first = try await bench.process("first")
        let writes = Counter()
        let second = try await bench.process(
            "second",
            over: InterposedDatabase(
                real: bench.database,
                // The second has looked, and is about to take the lease.
                beforeWrite: { if writes.next() == 1 { try await bench.run(first) } }))
        let id = try await bench.happen(to: 1)
        try await bench.run(second)
        #expect(bench.receiver.ids == ["\(id)"])
        #expect(try await bench.state()?.leaseHolder == "first")
    }

    @Test("a process that is killed right after an event was refused leaves no delivered event to be sent again")
    func killedAfterRefusal() async throws {
        let bench = try DeliveryBench()
        let (killed, other) = (try await bench.process("killed"), try await bench.process("other"))
        let (refused, held) = (try await bench.happen(to: 1), try await bench.happen(to: 1))
        let delivered = try await bench.happen(to: 2)
        bench.receiver.answer { $0.id == "\(refused)" ? .status(500) : .status(200) }
        _ = try await killed.round()
        #expect(Set(bench.receiver.ids) == ["\(refused)", "\(delivered)"])
        bench.receiver.forget()
        bench.leaseClock.advance(milliseconds: 30_001)
        try await bench.run(other)
        #expect(bench.receiver.ids == [])
        bench.receiver.answer { _ in .status(200) }
        bench.clock.advance(milliseconds: 5_000)
        try await bench.run(other)
        #expect(bench.receiver.ids == ["\(refused)", "\(held)"])
    }

    @Test("a process that stops leaves the delivery to another one at once")
    func handedOver() async throws {
        let bench = try DeliveryBench()
        let (stopped, other) = (try await bench.process("stopped"), try await bench.process("other"))
        let first = try await bench.happen(to: 1)
        try await bench.run(stopped)
        let second = try await bench.happen(to: 1)
        try await bench.run(other)
        #expect(bench.receiver.ids == ["\(first)"])
        // One that has no lease takes none from another.
        await other.end()
        try await bench.run(other)
        #expect(bench.receiver.ids == ["\(first)"])
        await stopped.end()
        try await bench.run(other)
        #expect(bench.receiver.ids == ["\(first)", "\(second)"])
    }
}
