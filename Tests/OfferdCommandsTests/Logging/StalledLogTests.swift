import Foundation
import OfferDocuments
import Synchronization
import Testing

@testable import OfferdCommands

@Suite("A log whose reader stalls, fails or is slow")
struct StalledLogTests {
    /// A pipe, and what its writer does when it is full.
    private final class TestPipe: Sendable {
        let reader: Int32
        let writer: Int32

        init(blocks: Bool = true) throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
            if !blocks { try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0) }
            signal(SIGPIPE, SIG_IGN)
        }

        deinit {
            close(reader)
            close(writer)
        }

        /// Ends the reading side as its reader's exit would; the number stays taken, so that no other test gets it.
        func leave() {
            let null = open("/dev/null", O_RDONLY)
            dup2(null, reader)
            close(null)
        }

        /// Reads until a text has come, or until the writers are gone.
        func read(until end: String) async -> String {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    var text: [UInt8] = []
                    var bytes = [UInt8](repeating: 0, count: 65_536)
                    while !text.suffix(end.utf8.count).elementsEqual(end.utf8) {
                        let count = Foundation.read(reader, &bytes, bytes.count)
                        guard count > 0 else { break }
                        text += bytes.prefix(count)
                    }
                    continuation.resume(returning: String(decoding: text, as: UTF8.self))
                }
            }
        }
    }

    private static func add(_ text: String, to lines: LogLines) { lines.add(Array("\(text)\n".utf8), isUrgent: false) }

    @Test("no caller waits for it: what does not fit is dropped and counted, and told once the reader is back")
    func stalled() async throws {
        let pipe = try TestPipe()
        let lines = LogLines(to: pipe.writer)
        let filling = String(repeating: "x", count: 1_000)
        // Three times what the queue holds, and more than a pipe does.
        let count = 3 * LogLines.most / filling.utf8.count
        for number in 0..<count { Self.add("\(number) \(filling)", to: lines) }
        #expect(!lines.flush(by: .now()))
        let dropped = lines.dropped
        #expect(dropped > 0)
        async let read = pipe.read(until: "last\n")
        try await until("the reader has caught up") { lines.flush() }
        Self.add("last", to: lines)
        #expect(lines.flush(by: .distantFuture))
        var (next, told) = (0, 0)
        for line in await read.split(separator: "\n").dropLast() {
            if let notice = line.wholeMatch(
                of: /offerd: (\d+) lines? of the log (?:was|were) dropped: the reader took no more/)
            {
                told += try #require(Int(notice.1))
                next += Int(notice.1) ?? 0
            } else {
                #expect(Int(line.prefix { $0 != " " }) == next)
                next += 1
            }
        }
        #expect(told == dropped)
        #expect(next == count)
        #expect(lines.dropped == dropped)
    }

    @Test(
        "lines wait for a reader that is slow, and none is lost, whether the descriptor blocks or not",
        arguments: [true, false])
    func slow(_ blocks: Bool) async throws {
        let pipe = try TestPipe(blocks: blocks)
        let lines = LogLines(to: pipe.writer)
        let texts = (0..<60_000).map { "line \($0)" }
        for text in texts { Self.add(text, to: lines) }
        let last = try #require(texts.last)
        let read = await pipe.read(until: last + "\n")
        #expect(read == texts.map { $0 + "\n" }.joined())
        #expect(lines.dropped == 0)
    }

    @Test("a reader that is gone loses lines and nothing else; the next line that is taken tells how many")
    func gone() async throws {
        let (broken, whole) = (try TestPipe(), try TestPipe())
        broken.leave()
        let lines = LogLines(.json, to: broken.writer)
        for number in 0..<3 {
            Self.add("\(number)", to: lines)
            #expect(lines.flush(by: .distantFuture))
        }
        #expect(lines.dropped == 3)
        dup2(whole.writer, broken.writer)
        Self.add("next", to: lines)
        let read = await whole.read(until: "next\n").split(separator: "\n")
        #expect(read.count == 2 && read.last == "next")
        #expect(
            read.first?.contains(#""message":"3 lines of the log were dropped: the reader took no more""#) == true)
        #expect(lines.dropped == 3)
    }

    @Test("half a line is ended before what comes after it, and counts as dropped once")
    func cut() {
        /// Takes so many bytes of each text.
        let room = Mutex<[Int]>([9, 0, .max])
        let taken = Mutex("")
        let lines = LogLines { bytes in
            let count = room.withLock { min($0.isEmpty ? .max : $0.removeFirst(), bytes.count) }
            taken.withLock { $0 += String(decoding: bytes.prefix(count), as: UTF8.self) }
            return bytes.dropFirst(count)
        }
        Self.add("first\nsecond", to: lines)
        lines.flush(by: .distantFuture)
        Self.add("third", to: lines)
        lines.flush(by: .distantFuture)
        #expect(lines.dropped == 2)
        Self.add("fourth", to: lines)
        lines.flush(by: .distantFuture)
        #expect(
            taken.withLock { $0 } == """
                first
                sec
                offerd: 2 lines of the log were dropped: the reader took no more
                fourth

                """)
        #expect(lines.dropped == 2)
    }
}
