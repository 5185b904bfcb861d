import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("A file that is not plain text")
struct CompressedFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(_ bytes: some Sequence<UInt8>, longestLine: Int = 1_000) throws -> LineFile {
        try LineFile(path: try directory.write(bytes, to: "e.csv"), what: "file", longestLine: longestLine)
    }

    private func lines(_ file: LineFile) throws -> [String] {
        var lines: [String] = []
        while let line = try file.next() { lines.append(String(decoding: line.bytes, as: UTF8.self)) }
        return lines
    }

    /// What the system's gzip makes of some bytes.
    private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let command = try Command.run("gzip", ["-c"], input: bytes)
        try #require(command.status == 0, "\(command.errorText)")
        return command.output
    }

    private static let text = (1...60_000).map { "line \($0 &* 2_654_435_761)" }

    @Test("of gzip is read as what it holds, whatever its name, also in the middle, and its numbers are the text's")
    func compressed() throws {
        let plain = Array(Self.text.joined(separator: "\n").utf8)
        let packed = try gzip(plain)
        let file = try self.file(packed)
        #expect(file.size == Int64(plain.count) && Int64(packed.count) < file.size)
        #expect(try lines(file) == Self.text)
        for count in [30_000, 5, 59_999] {
            let place = Self.text.prefix(count).reduce(0) { $0 + $1.utf8.count + 1 }
            try file.seek(to: Int64(place))
            let line = try #require(try file.next())
            #expect(String(decoding: line.bytes, as: UTF8.self) == Self.text[count])
            #expect(line.number == Int64(count) + 1)
        }
        let digest = try file.digest(with: [])
        let other = try self.file(plain)
        #expect(try lines(other) == Self.text)
        #expect(try other.digest(with: []) != digest)
    }

    @Test("of several members is read as one text, and zeros behind the last mean nothing")
    func members() throws {
        let (first, second) = (try gzip(Array("a\nb".utf8)), try gzip(Array("c\nd\n".utf8)))
        #expect(try lines(file(first + second)) == ["a", "bc", "d"])
        #expect(try lines(file(first + gzip([]) + second + [0, 0, 0])) == ["a", "bc", "d"])
        #expect(try lines(file(gzip([0xEF, 0xBB, 0xBF] + Array("x\r\ny".utf8)))) == ["x", "y"])
    }

    @Test("that is damaged is refused when it is opened")
    func damaged() throws {
        let packed = try gzip(Array(Self.text.joined(separator: "\n").utf8))
        var flipped = packed
        flipped[packed.count / 2] ^= 0xFF
        var checksum = packed
        checksum[packed.count - 6] ^= 1
        for bytes in [
            Array(packed.dropLast()), Array(packed.prefix(12)), Array(packed.prefix(packed.count / 2)), flipped,
            checksum,
            packed + [7, 7, 7],
        ] {
            let failure = #expect(throws: CommandFailure.self) { try file(bytes) }
            #expect(failure?.message.contains("is damaged: its compressed data cannot be read") == true)
            #expect(failure?.status.rawValue == 2)
        }
        let empty = #expect(throws: CommandFailure.self) { try file(gzip([])) }
        #expect(empty?.message == "file `\(directory.path("e.csv"))` is empty")
    }

    @Test("that would fill the memory is refused before it is read whole (invariant 10)")
    func bomb() throws {
        let zeros = try Command.run("sh", ["-c", "head -c 300000000 /dev/zero | gzip -c"])
        let failure = #expect(throws: CommandFailure.self) { try file(zeros.output) }
        #expect(failure?.message.contains("holds more than 250 times its size") == true, "\(failure?.message ?? "")")
        // What is well compressed and not large is read: a line is no longer than lines may be.
        let small = try gzip([UInt8](repeating: 0x61, count: 30_000_000) + [0x0A] + Array("b".utf8))
        let read = try file(small)
        let first = try #require(try read.next())
        #expect(first.isTooLong && first.bytes.isEmpty)
        #expect(try read.next()?.bytes == Array("b".utf8))
    }

    static let kinds: [(bytes: [UInt8], name: String)] = [
        ([0xFF, 0xFE] + "a,b\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "UTF-16"),
        ([0xFE, 0xFF] + "a,b\n".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, "UTF-16"),
        ("transactionId".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "UTF-16LE"),
        ("transactionId".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, "UTF-16BE"),
        ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "UTF-32"), ([0x50, 0x4B, 3, 4, 20, 0], "Excel workbook"),
        ([0x28, 0xB5, 0x2F, 0xFD, 0], "zstd"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0], "xz"),
        (Array("BZh91AY&SYx".utf8), "bzip2"), (Array("PAR1\u{15}\u{4}".utf8), "Parquet"),
        (Array("SQLite format 3\u{0}".utf8), "SQLite"), (Array("%PDF-1.7".utf8), "PDF"),
    ]

    @Test("is named, with what makes text of it, also within gzip", arguments: kinds)
    func named(bytes: [UInt8], name: String) throws {
        for bytes in [bytes, try gzip(bytes)] {
            let failure = #expect(throws: CommandFailure.self) { try file(bytes) }
            #expect(failure?.message.contains(name) == true, "\(failure?.message ?? "")")
            #expect(failure?.message.hasSuffix("and not text in UTF-8") == true)
            #expect(failure?.hints.count == 1)
        }
    }

    @Test("text that begins as another kind of file does is text", arguments: ["PAR1,b\n", "BZh,1\n", "PK,b\n", "a\n"])
    func plain(_ text: String) throws {
        #expect(try lines(file(text.utf8)) == [String(text.dropLast())])
    }
}
