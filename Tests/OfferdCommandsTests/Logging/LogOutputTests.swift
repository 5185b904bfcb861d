import Foundation
import Testing

@testable import OfferdCommands

@Suite("The log on a standard error that does not block")
struct LogOutputTests {
    /// A pipe whose writer does not block.
    private final class FullPipe: Sendable {
        let reader: Int32
        let writer: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
            try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        }

        deinit {
            close(reader)
            close(writer)
        }

        /// Lets the reader come to an end.
        func end() {
            let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
            dup2(nowhere, writer)
            close(nowhere)
        }

        /// Until it takes nothing more.
        func fill() {
            let byte: [UInt8] = [0x2E]
            while write(writer, byte, 1) == 1 {}
        }

        /// Up to so many bytes that are in it.
        func read(_ most: Int) -> String {
            var bytes = [UInt8](repeating: 0, count: most)
            let count = Foundation.read(reader, &bytes, most)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
    }

    @Test("lines wait for a reader that is slow, and none is lost")
    func slow() async throws {
        let pipe = try FullPipe()
        let lines = (0..<200_000).map { "line \($0)\n" }.joined()
        async let written: Void = Task.detached {
            LogOutput(descriptor: pipe.writer, patience: .seconds(600)).write(Array(lines.utf8))
            pipe.end()
        }.value
        let read = await Task.detached {
            var text = ""
            while text.utf8.count < lines.utf8.count {
                let more = pipe.read(65_536)
                if more.isEmpty { break }
                text += more
            }
            return text
        }.value
        await written
        #expect(read == lines)
    }

    @Test("what is lost to a reader that is gone is told as soon as one is back, on a line of its own")
    func lost() throws {
        let pipe = try FullPipe()
        let output = LogOutput(descriptor: pipe.writer, patience: .milliseconds(1))
        pipe.fill()
        output.write(Array("first\nsecond\n".utf8))
        output.write(Array("third\n".utf8))
        while !isEmpty(pipe) { #expect(pipe.read(65_536).allSatisfy { $0 == "." }) }
        output.write(Array("fourth\n".utf8))
        output.write(Array("fifth\n".utf8))
        #expect(
            pipe.read(4_096) == """
                offerd: 3 lines of the log were lost: standard error was not read
                fourth
                fifth

                """)
    }

    @Test("half a line is ended before what comes after it")
    func cut() throws {
        let pipe = try FullPipe()
        let output = LogOutput(descriptor: pipe.writer, patience: .milliseconds(1))
        // More than a pipe takes at once.
        output.write([UInt8](repeating: 0x78, count: 2_000_000) + Array("\nnext\n".utf8))
        while !isEmpty(pipe) { #expect(pipe.read(65_536).allSatisfy { $0 == "x" }) }
        output.write(Array("last\n".utf8))
        #expect(
            pipe.read(4_096)
                == "\nofferd: 2 lines of the log were lost: standard error was not read\nlast\n")
    }

    private func isEmpty(_ pipe: FullPipe) -> Bool {
        var state = pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 0
    }
}
