import Foundation
import OfferModel
import OfferTestSupport
import Synchronization
import Testing

@testable import OfferStore
@testable import OfferdCommands

@Suite("A witness whose flush fails")
struct WitnessFlushTests {
    /// A disk whose flushes fail as often as a test says. As with Linux, a flush writes what was changed since the flush
    /// before, whether that one failed or not: what the failed one should have written is never written.
    private final class Disk: Sendable {
        private struct State {
            var failures: Int
            /// The bytes that a power loss would leave, and those written since.
            var durable = Data()
            var seen = Data()
        }

        private let path: String
        private let state: Mutex<State>

        init(_ path: String, failures: Int) {
            self.path = path
            state = Mutex(State(failures: failures))
        }

        var text: String { state.withLock { String(decoding: $0.durable, as: UTF8.self) } }

        /// Notes what the file holds, as it is without anything to write.
        func note() {
            state.withLock { $0.seen = FileManager.default.contents(atPath: path) ?? Data() }
        }

        func flush(_: Int32) -> Int32 {
            state.withLock { state in
                let content = FileManager.default.contents(atPath: path) ?? Data()
                let written = content.dropFirst(state.seen.count)
                state.seen = content
                guard state.failures == 0 else {
                    state.failures -= 1
                    errno = EIO
                    return -1
                }
                state.durable += written
                return 0
            }
        }
    }

    private static let checkpoints = (1...5).map { number in
        AuditCheckpoint(
            number: Int64(number), eventSequence: Int64(10 * number),
            head: [UInt8](repeating: UInt8(number), count: 32),
            signedAt: Instant(milliseconds: 1_800_000_000_000), keyFingerprint: "ab", signature: [1, 2, 3])
    }

    private static func newer(_ number: Int64) -> [AuditCheckpoint] { checkpoints.filter { $0.number > number } }

    private static func numbers(_ text: String) -> [Int64] {
        text.split(separator: "\n").compactMap { WitnessRecord(line: $0.utf8)?.number }
    }

    @Test("a checkpoint counts as written only once a flush after its writing has succeeded", arguments: 1...3)
    func again(failures: Int) async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", to: "witness")
        let disk = Disk(path, failures: failures)
        let witness = WitnessFile(path: path) {
            disk.flush($0)
        }
        for _ in 0..<failures {
            disk.note()
            await #expect(throws: (any Error).self) { try await witness.catchUp { Self.newer($0) } }
        }
        #expect(Self.numbers(disk.text) == [])
        disk.note()
        try await witness.catchUp { Self.newer($0) }
        #expect(Self.numbers(disk.text) == [1, 2, 3, 4, 5])
        // A process that starts now knows no more than the file.
        #expect(Self.numbers(try String(contentsOfFile: path, encoding: .utf8)) == [1, 2, 3, 4, 5])
    }

    @Test("after a failure the next process finds no line that may be lost with the power")
    func nextProcess() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", to: "witness")
        let first = WitnessFile(path: path)
        try await first.catchUp { number in Array(Self.newer(number).prefix { $0.number <= 2 }) }
        let broken = WitnessFile(path: path) { _ in -1 }
        await #expect(throws: (any Error).self) { try await broken.catchUp { Self.newer($0) } }
        #expect(Self.numbers(try String(contentsOfFile: path, encoding: .utf8)) == [1, 2])
        try await WitnessFile(path: path).catchUp { Self.newer($0) }
        #expect(Self.numbers(try String(contentsOfFile: path, encoding: .utf8)) == [1, 2, 3, 4, 5])
    }

    @Test("lines that cannot be taken back, because the file may only grow, are written a second time")
    func onlyGrows() async throws {
        // Swift does not see this call of Linux: a file in memory, which can be sealed against shrinking.
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let create = unsafeBitCast(try #require(dlsym(nil, "memfd_create")), to: Create.self)
        let (allowSealing, addSeals, sealShrink): (UInt32, Int32, Int32) = (2, 1_033, 2)
        let descriptor = create("witness", allowSealing)
        defer { close(descriptor) }
        try #require(fcntl(descriptor, addSeals, sealShrink) == 0)
        let path = "/proc/self/fd/\(descriptor)"
        let disk = Disk(path, failures: 1)
        let witness = WitnessFile(path: path) { disk.flush($0) }
        await #expect(throws: (any Error).self) { try await witness.catchUp { Self.newer($0) } }
        try await witness.catchUp { Self.newer($0) }
        #expect(Self.numbers(disk.text) == [1, 2, 3, 4, 5])
        try await witness.catchUp { Self.newer($0) }
        #expect(Self.numbers(disk.text) == [1, 2, 3, 4, 5])
    }
}
