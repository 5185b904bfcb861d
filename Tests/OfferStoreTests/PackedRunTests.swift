import OfferModel
import OfferTestSupport
import Testing

@testable import OfferStore

@Suite("Packed runs of rows")
struct PackedRunTests {
    @Test("random rows with each field present or absent, and with the greatest numbers, come back the same")
    func roundTrip() throws {
        var random = RandomFields(seed: 20_261_122)
        for round in 0..<300 {
            try expectSame([FactsRow<Transaction>].self, &random, "seed \(random.seed), round \(round)")
            try expectSame([FactsRow<RenewalInfo>].self, &random, "seed \(random.seed), round \(round)")
            try expectSame([FactsRow<AppTransaction>].self, &random, "seed \(random.seed), round \(round)")
        }
    }

    private func expectSame<Payload>(
        _ type: [FactsRow<Payload>].Type, _ random: inout RandomFields, _ note: Comment
    ) throws {
        var rows: [FactsRow<Payload>] = []
        for index in 0..<Int.random(in: 1...6, using: &random.generator) {
            // Now and then a row repeats much of the one before.
            var row = index > 0 && Bool.random(using: &random.generator) ? rows[index - 1] : .blank
            random.keepsPercent = Int.random(in: 0...100, using: &random.generator)
            try row.code(with: &random)
            rows.append(row)
        }
        var writer = RunWriter()
        try writer.append(run: rows)
        let read = try read(writer.bytes, FactsRow<Payload>.self)
        #expect(read.map(\.payload) == rows.map(\.payload), note)
        #expect(read.map(\.sequence) == rows.map(\.sequence), note)
        #expect(read.map(\.provenance) == rows.map(\.provenance), note)
        var again = RunWriter()
        try again.append(run: read)
        #expect(again.bytes == writer.bytes, note)
    }

    @Test("a run that continues stored rows has the bytes of the whole run")
    func continued() throws {
        var random = RandomFields(seed: 20_261_127)
        var rows: [FactsRow<Transaction>] = []
        // From 128 on, the number of rows takes two bytes.
        for place in 0..<131 {
            var row = rows.last ?? .blank
            random.keepsPercent = Int.random(in: 50...100, using: &random.generator)
            try row.code(with: &random)
            rows.append(row)
            let whole = try written(rows[...])
            for known in Set([0, 1, place / 2, place]) where known <= place {
                var stored = 0..<0
                let before = try written(rows.prefix(known))
                try before.withUnsafeBytes { bytes in
                    try PackedReader.read(bytes) { stored = try $0.run(of: FactsRow<Transaction>.self) { _, _ in } }
                }
                var writer = RunWriter()
                try writer.append(run: rows, known: known, stored: before[stored])
                #expect(writer.bytes == whole, "seed \(random.seed), \(known) of \(rows.count) rows")
            }
        }
    }

    private func written(_ rows: ArraySlice<FactsRow<Transaction>>) throws -> [UInt8] {
        var writer = RunWriter()
        try writer.append(run: rows)
        return writer.bytes
    }

    private func read<Row: RecordRow>(_ bytes: [UInt8], _ type: Row.Type) throws -> [Row] {
        var rows: [Row] = []
        try bytes.withUnsafeBytes { bytes in
            try PackedReader.read(bytes) { try $0.run(of: type) { row, _ in rows.append(row) } }
        }
        return rows
    }

    @Test("the form of version 3 does not change under rows that are stored")
    func form() throws {
        var first = FactsRow<AppTransaction>.blank
        (first.sequence, first.provenance) = (3, .client)
        (first.payload.bundleId, first.payload.appTransactionId) = ("b", "é")
        var second = first
        second.sequence = 4
        second.payload.appTransactionId = nil
        var writer = RunWriter()
        try writer.append(run: [first, second])
        let expected: [UInt8] =
            [3, 2, 0b1010_1111, 0b1000, 14, 2, 2 << 1, 3] + Array("b".utf8)
            + [5] + Array("é".utf8) + [6, 0b10_0001, 18, 0]
        #expect(writer.bytes == expected)
    }

    @Test("texts that look the same and differ in their bytes are two texts")
    func texts() throws {
        var rows = [FactsRow<AppTransaction>.blank, .blank]
        (rows[0].payload.applicationVersion, rows[1].payload.applicationVersion) = ("\u{e9}", "e\u{301}")
        var writer = RunWriter()
        try writer.append(run: rows)
        let versions = try read(writer.bytes, FactsRow<AppTransaction>.self).map { $0.payload.applicationVersion ?? "" }
        #expect(versions.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test("a number that would be refused when it is read is not written (invariant 10)")
    func numbers() throws {
        for number in [Int64.max, .min, InputBounds.storedIntegers.upperBound + 1] {
            var transaction = Transaction.fixture("1", purchased: Bench.now)
            transaction.price = number
            #expect(throws: StoreError.corrupt("`\(number)` is beyond what is stored")) { try transaction.facts() }
        }
    }

    @Test("damaged, cut and made-up bytes are an error or other facts, and never a crash (invariant 10)")
    func hostile() throws {
        var random = RandomFields(seed: 20_261_123)
        var refused = 0
        for round in 0..<400 {
            var rows = [FactsRow<Transaction>.blank, .blank, .blank]
            for index in rows.indices { try rows[index].code(with: &random) }
            var infos = [FactsRow<RenewalInfo>.blank]
            try infos[0].code(with: &random)
            var writer = RunWriter()
            try writer.append(run: rows)
            try writer.append(run: infos)
            try writer.append(run: [FactsRow<AppTransaction>]())
            var inputs = (0..<8).map { _ in damaged(writer.bytes, &random.generator) }
            inputs.append(Array(writer.bytes.prefix(Int.random(in: 0..<writer.bytes.count, using: &random.generator))))
            let made = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random.generator) }
            inputs.append([PackedForm.version] + made)
            for input in inputs where !isRead(input, "seed \(random.seed), round \(round)") { refused += 1 }
        }
        #expect(refused > 1_000)
    }

    @Test(
        "each impossible length, count, number, text and version is refused (invariant 10)",
        arguments: [
            [], [0], [1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0], [3], [3, 0, 0], [3, 0, 0, 0, 0],
            // A count of rows, and a length of text, beyond the end or all numbers.
            [3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0],
            [3, 1, 0b1000, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0],
            // A number of more than 64 bits, one beyond what is stored, and one of more bytes than any has.
            [3, 1, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0],
            [3, 1, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0],
            [3, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0, 0],
            // A member that there is not, the last bit of a row, text where there is a number, no text where there must
            // be, no UTF-8.
            [3, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 0],
            [3, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0, 0], [3, 1, 1, 3, 65, 0, 0],
            [3, 1, 0b1000, 0, 0, 0], [3, 1, 0b1000, 5, 0xC0, 0x80, 0, 0], [3, 1, 0b1000, 3, 0xFF, 0, 0],
            // A provenance as text, one that is absent, and one that there is not.
            [3, 1, 0b100, 3, 65, 0, 0], [3, 1, 0b100, 0, 0, 0], [3, 1, 0b100, 14, 0, 0],
        ] as [[UInt8]])
    func impossible(_ bytes: [UInt8]) {
        #expect(!isRead(bytes, "\(bytes)"))
    }

    private func isRead(_ bytes: [UInt8], _ note: Comment) -> Bool {
        var history = History()
        do {
            _ = try bytes.withUnsafeBytes { try history.add($0, ownerIsProven: true) }
            return true
        } catch StoreError.corruptFacts {
            return false
        } catch {
            Issue.record("\(error), \(note)")
            return false
        }
    }

    private func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 1..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[place] = .random(in: 0...255, using: &generator)
            case 2: bytes.insert(.random(in: 0...255, using: &generator), at: place)
            default: if bytes.count > 2 { bytes.remove(at: place) }
            }
        }
        return bytes
    }
}

/// Puts random values into every member of a row, by the same list that stores it.
private struct RandomFields: RecordCoder {
    var generator: SeededGenerator
    /// How many of a hundred members stay as they are.
    var keepsPercent = 0
    let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    mutating func required<Value: PayloadValue>(_ name: String, _ value: inout Value) throws {
        try change(&value) { try $0.value() }
    }

    mutating func optional<Value: PayloadValue>(_ name: String, _ value: inout Value?) throws {
        try change(&value) { $0.takeAbsent() ? nil : try $0.value() }
    }

    mutating func field<Value: Packable>(_ value: inout Value) throws {
        try change(&value) { try Value(unpacking: &$0) }
    }

    /// Reads one of some values of all kinds, whichever the member takes.
    private mutating func change<Value>(_ value: inout Value, _ read: (inout PackedReader) throws -> Value) throws {
        if Int.random(in: 0..<100, using: &generator) < keepsPercent { return }
        let bounds = InputBounds.storedIntegers
        let numbers: [Int64] = [
            0, 1, -1, 63, 64, bounds.lowerBound, bounds.upperBound, .random(in: bounds, using: &generator),
            1_800_000_000_000,
        ]
        let texts = [
            "", "A", String(repeating: "x", count: 63), String(repeating: "y", count: 200), "e\u{301}",
            "\u{0}\u{1F600}",
        ]
        let candidates = [
            [0], try bytes(of: numbers.randomElement(using: &generator) ?? 0),
            try bytes(of: Int64.random(in: 0...1, using: &generator)),
            try bytes(of: texts.randomElement(using: &generator) ?? ""),
            try bytes(of: LowercaseUUID.number(.random(in: 0...9, using: &generator))),
            try bytes(of: StoredTextList(texts.filter { _ in Bool.random(using: &generator) }).json),
            try bytes(of: Provenance.allCases.randomElement(using: &generator) ?? .client),
        ]
        for candidate in candidates.shuffled(using: &generator) {
            let new = candidate.withUnsafeBytes { bytes in
                var reader = PackedReader(bytes)
                return Result { try read(&reader) }
            }
            guard case .success(let found) = new else { continue }
            value = found
            return
        }
        Issue.record("no value for \(Value.self)")
    }

    private func bytes(of value: some Packable) throws -> [UInt8] {
        var writer = PackedWriter()
        try writer.append(value)
        return writer.bytes
    }
}
