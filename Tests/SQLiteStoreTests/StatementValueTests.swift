import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("Values of statements")
struct StatementValueTests {
    /// Every way to a transaction: the writer's, a long read's, a quick look's, and the one connection of a database in
    /// memory.
    enum Way: CaseIterable {
        case write, read, look, inMemory
    }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run<T: Sendable>(
        _ way: Way, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        if way == .inMemory { return try await SQLiteDatabase.inMemory().readInline(body) }
        let path = directory.path("offers.sqlite")
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        defer { #expect(throws: Never.self) { try database.close() } }
        return switch way {
        case .write: try await database.write(body)
        case .read: try await database.read(body)
        case .look, .inMemory: try await database.readInline(body)
        }
    }

    private static let values: [StoredValue] = [
        .null, .integer(.max), .integer(.min), .integer(0), .text(""), .text("é\u{301}😀"), .blob([]),
        .blob([0, 255, 0]),
        .text(String(repeating: "ab\n", count: 500_000)), .blob([UInt8](repeating: 7, count: 1_500_000)),
        .text("exactly fifteen"), .text("exactly sixteen."), .text(" "),
    ]

    @Test(
        "what is bound comes back the same: the ends of 64 bits, nothing, empty texts and blobs, long ones",
        arguments: Way.allCases)
    func roundTrip(way: Way) async throws {
        let list = (1...Self.values.count).map { "?\($0)" }.joined(separator: ", ")
        let (copied, typed) = try await run(way) { transaction in
            let statement = Statement("SELECT \(list)", values: Self.values)
            var typed = [StoredValue]()
            try transaction.each(statement) { row in
                for index in Self.values.indices {
                    if try row.isNull(index) {
                        typed.append(.null)
                    } else if let integer = row.integer(index) {
                        typed.append(.integer(integer))
                    } else if let text = try row.text(index) {
                        typed.append(.text(text))
                    } else if let bytes = row.bytes(index) {
                        typed.append(.blob(bytes))
                    }
                }
            }
            return (try transaction.rows(statement).map(\.values), typed)
        }
        #expect(copied == [Self.values])
        #expect(typed == Self.values)
    }

    @Test("a text with U+0000 is never bound, and one that the file holds is read whole", arguments: Way.allCases)
    func zero(way: Way) async throws {
        for text in ["\u{0}", "a\u{0}", "seventeen letters\u{0}", "\u{0}sixteen letters."] {
            await #expect(throws: StoreError.constraint("text without U+0000")) {
                try await run(way) { try $0.rows(Statement("SELECT ?1", text)) }
            }
        }
        let read = try await run(way) { try $0.row(Statement("SELECT CAST(x'610062' AS TEXT)"))?.values }
        #expect(read == [.text("a\u{0}b")])
    }

    @Test("text of the file that is not UTF-8 is refused and not mended", arguments: Way.allCases)
    func notUTF8(way: Way) async throws {
        for bytes in ["ff", "61c3", "eda080"] {
            await #expect(throws: StoreError.corrupt("column 0 holds text that is not UTF-8")) {
                try await run(way) { try $0.rows(Statement("SELECT CAST(x'\(bytes)' AS TEXT)")) }
            }
        }
    }

    @Test("a number with a fraction is refused", arguments: Way.allCases)
    func floats(way: Way) async throws {
        let refusal = StoreError.corrupt("a column holds a floating-point number")
        await #expect(throws: refusal) { try await run(way) { try $0.rows(Statement("SELECT 1, 1.5")) } }
        await #expect(throws: refusal) {
            try await run(way) { transaction in
                try transaction.each(Statement("SELECT 1.5")) { _ = try $0.value(0, as: Int64.self) }
            }
        }
    }

    @Test("a column of another type, or none at all, is named", arguments: Way.allCases)
    func wrongColumns(way: Way) async throws {
        await #expect(throws: StoreError.corrupt("column 1 does not hold a valid Int64")) {
            try await run(way) { transaction in
                try transaction.each(Statement("SELECT 1, 'one'")) { _ = try $0.value(1, as: Int64.self) }
            }
        }
        for index in [-1, 2] {
            await #expect(throws: StoreError.corrupt("a row has no column \(index)")) {
                try await run(way) { transaction in
                    try transaction.each(Statement("SELECT 1, 2")) { _ = try $0.value(index, as: Int64?.self) }
                }
            }
            await #expect(throws: StoreError.corrupt("a row has no column \(index)")) {
                try await run(way) { try $0.row(Statement("SELECT 1, 2"))?.value(index, as: Int64.self) }
            }
        }
    }

    @Test("texts that repeat or nearly repeat from row to row are each read as they are")
    func repeats() async throws {
        var generator = SeededGenerator(seed: 33)
        let texts = (0..<600).map { _ in
            let length =
                [0, 1, 4, 5, 7, 8, 15, 16, 17, 23, 24, 25, 36, 63, 64, 65, 80].randomElement(using: &generator) ?? 16
            return String(
                (0..<length).map { place in place % 7 == 3 ? "ab".randomElement(using: &generator) ?? "a" : "x" })
        }
        let rows = texts.map { "('\($0)')" }.joined(separator: ", ")
        for way in Way.allCases {
            let read = try await run(way) { transaction in
                // Twice, because a statement remembers the texts of its last run.
                try (0..<2).map { _ in
                    var read = [String]()
                    try transaction.each(Statement("SELECT column1 FROM (VALUES \(rows))")) {
                        read.append(try $0.value(0))
                    }
                    return read
                }
            }
            #expect(read == [texts, texts], "\(way), seed 33")
        }
    }
}
