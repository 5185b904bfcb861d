import AppStoreData
import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite struct ReceiptSourceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path("d"), withIntermediateDirectories: false)
        try directory.write("{}\n\n  \n[1]\n{", to: "d/b.ndjson")
        try directory.write("{\n}\n", to: "d/c.json")
        try directory.write("\n", to: "d/a.jsonl")
        try directory.write("x", to: "d/d.JSON")
    }

    private func source() throws -> ReceiptSource {
        let scope = Scope(bundleId: "com.example.pro", environment: .sandbox)
        return ReceiptSource(
            try ReceiptFile.all(at: [directory.path("d/c.json"), directory.path("d")]),
            reader: ReceiptReader(scope: scope), now: Instant(milliseconds: 1_717_200_000_000))
    }

    private static func all(_ source: ReceiptSource) throws -> [ImportLine] {
        var lines: [ImportLine] = []
        while let line = try source.next() { lines.append(line) }
        return lines
    }

    private static func detail(_ line: ImportLine) -> String? {
        guard case .failure(let refusal) = line.content else { return nil }
        return refusal.detail
    }

    @Test("answers come in the order of the files, each naming its file, and the line where there are several")
    func order() throws {
        let lines = try Self.all(try source())
        let names = ["c.json", "b.ndjson:1", "b.ndjson:4", "b.ndjson:5", "c.json", "d.JSON"]
        #expect(lines.map(\.number) == Array(1...6))
        for (line, name) in zip(lines, names) {
            #expect(line.place == "`\(directory.path("d/\(name)"))`")
        }
        let object =
            "has no `status`, so it is not an answer of verifyReceipt "
            + "(export the whole answer of verifyReceipt, with its `receipt`)"
        #expect(Self.detail(lines[1]) == object)
    }

    @Test("taken up behind any answer it goes on with the next one, and its place only grows")
    func resumed() throws {
        let whole = try Self.all(try source())
        let size = try source().size
        #expect(zip(whole, whole.dropFirst()).allSatisfy { $0.end < $1.end })
        #expect(whole.last.map { $0.end <= size } == true)
        for (place, line) in whole.enumerated() {
            let source = try source()
            try source.resume(at: line.end, after: line.number)
            #expect(try Self.all(source) == Array(whole.dropFirst(place + 1)), "behind \(line.number)")
        }
        let fromTheStart = try source()
        try fromTheStart.resume(at: 0, after: 0)
        #expect(try Self.all(fromTheStart) == whole)
    }

    @Test("an answer over 16 MiB is refused and the next one is read (invariant 10)")
    func tooLong() throws {
        let long = [UInt8](repeating: 0x20, count: ReceiptReader.maximumBytes + 1)
        try directory.write(long + Array("{}\n{}".utf8), to: "long.jsonl")
        let mebibyte = [UInt8](repeating: 0x20, count: 1_048_576) + [0x0A]
        try directory.write(Array(repeating: mebibyte, count: 17).flatMap(\.self), to: "long.json")
        let scope = Scope(bundleId: "com.example.pro", environment: .sandbox)
        let source = ReceiptSource(
            try ReceiptFile.all(at: [directory.path("long.jsonl"), directory.path("long.json")]),
            reader: ReceiptReader(scope: scope), now: Instant(milliseconds: 1_717_200_000_000))
        let reasons = try Self.all(source).map { line in
            guard case .failure(let refusal) = line.content else { return "taken" }
            return refusal.reason.rawValue
        }
        #expect(reasons == ["tooLong", "malformed", "tooLong"])
    }

    @Test("a file that is missing, empty or without receipts is refused by its name")
    func nothing() throws {
        try FileManager.default.createDirectory(atPath: directory.path("e"), withIntermediateDirectories: false)
        try directory.write("", to: "empty.json")
        for (name, message) in [
            ("no.json", "there is no receipt"), ("e", "holds no receipts"), ("empty.json", "is empty"),
        ] {
            let failure = #expect(throws: CommandFailure.self) { try ReceiptFile.all(at: [directory.path(name)]) }
            #expect(failure?.message.contains(message) == true, "\(name)")
            #expect(failure?.message.contains("`\(directory.path(name))`") == true, "\(name)")
            #expect(failure?.status.rawValue == 2, "\(name)")
        }
    }
}
