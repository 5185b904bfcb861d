import Dispatch
import OfferApplication
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Long work")
struct LongWorkTests {
    /// Waits with a bound, so that a fault fails a test and hangs none.
    private static let patience = DispatchTimeInterval.seconds(20)

    @Test("leaves every thread of the pool to others, however many of it block theirs")
    func keepsThePoolFree() async throws {
        // More than the pool has threads.
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
        let work = LongWork("test", atOnce: count, waiting: 0)
        let (begun, end) = (Begun(), DispatchSemaphore(value: 0))
        let held = (0..<count).map { _ in
            Task {
                try await work.run {
                    begun.note()
                    return end.wait(timeout: .now() + Self.patience) == .success
                }
            }
        }
        await begun.all(count)
        // Each of these needs the pool; none of the blocked has ended.
        let others = await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { number } }
            return await group.reduce(0, +)
        }
        #expect(others == 4_950)
        for _ in held { end.signal() }
        for task in held { #expect(try await task.value) }
    }

    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test("takes turns: as many at once as it says, the rest in order of arrival, and the next is told to come back")
    func turns() async throws {
        let work = LongWork("test", atOnce: 1, waiting: 2)
        let (begun, end) = (Begun(), DispatchSemaphore(value: 0))
        let order = Order()
        let first = Task {
            try await work.run {
                begun.note()
                return end.wait(timeout: .now() + Self.patience) == .success
            }
        }
        await begun.all(1)
        var waiting: [Task<Void, any Error>] = []
        for number in 1...2 {
            waiting.append(Task { try await work.run { order.numbers.withLock { $0.append(number) } } })
            while work.waiting < number { await Task.yield() }
        }
        do {
            try await work.run {}
            Issue.record("a third one waits")
        } catch RequestError.busy {}
        #expect(order.numbers.withLock { $0 } == [])
        end.signal()
        #expect(try await first.value)
        for task in waiting { try await task.value }
        #expect(order.numbers.withLock { $0 } == [1, 2])
        #expect(try await work.run { "free again" } == "free again")
    }

    @Test("gives its turn back when it throws")
    func failure() async throws {
        struct Fault: Error {}
        let work = LongWork("test", atOnce: 1, waiting: 0)
        for _ in 0..<3 {
            await #expect(throws: Fault.self) { try await work.run { throw Fault() } }
        }
        #expect(try await work.run { 1 } == 1)
    }
}

/// Counts what has begun.
private final class Begun: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    func note() { continuation.yield() }

    func all(_ count: Int) async {
        var left = count
        for await _ in stream {
            left -= 1
            if left == 0 { return }
        }
    }
}
