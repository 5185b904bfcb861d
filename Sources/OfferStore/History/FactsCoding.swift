import OfferModel

/// A record by its fields, in one order: the list that writes them, reads them and compares them.
///
/// Each row of a run holds only what differs from the row before. The fields that differ in nearly every row come first:
/// then a byte says which they are. At most 64 fields.
protocol FactsFields {
    /// What the first row of a run is read into; every optional field is absent.
    static var empty: Self { get }
    mutating func code(with coder: inout some FactsCoder) throws
}

protocol FactsCoder {
    mutating func field<Value: Storable>(_ value: inout Value) throws
}

/// The stored form of runs of records. A row is
///
/// ```
/// changed   varint: bit n is set if field n differs from the row before; before the first row every field is absent
/// values    of each changed field: varint 0 for an absent value, (zigzag + 1) << 1 for a whole number,
///           or length << 1 | 1 and UTF-8 for text
/// ```
///
/// The first byte is the version of this form and of the lists of fields.
enum FactsForm {
    static let version: UInt8 = 1
    static let longestVarint = 10
}

struct FactsWriter: FactsCoder {
    private(set) var bytes = [FactsForm.version]
    private var before: [StoredValue] = []
    private var values: [UInt8] = []
    private var changed: UInt64 = 0
    private var place = 0

    mutating func append(run rows: [some FactsFields]) throws {
        Self.append(UInt64(clamping: rows.count), to: &bytes)
        before.removeAll()
        for row in rows { try append(row) }
    }

    mutating func append(_ row: some FactsFields) throws {
        var row = row
        (changed, place) = (0, 0)
        values.removeAll(keepingCapacity: true)
        try row.code(with: &self)
        Self.append(changed, to: &bytes)
        bytes += values
    }

    mutating func field<Value: Storable>(_ value: inout Value) throws {
        let stored = value.storedValue
        if place == before.count { before.append(.null) }
        if !Self.isSame(stored, before[place]) {
            before[place] = stored
            changed |= 1 << place
            try append(stored)
        }
        place += 1
    }

    private mutating func append(_ value: StoredValue) throws {
        switch value {
        case .null: values.append(0)
        case .integer(let number):
            // Nothing is written that would be refused when it is read.
            guard InputBounds.storedIntegers.contains(number) else {
                throw StoreError.corrupt("`\(number)` is beyond what is stored")
            }
            Self.append((UInt64(bitPattern: number << 1 ^ number >> 63) + 1) << 1, to: &values)
        case .text(let text):
            Self.append(UInt64(clamping: text.utf8.count) << 1 | 1, to: &values)
            values += text.utf8
        case .blob: throw StoreError.corrupt("bytes are no fact")
        }
    }

    /// Swift takes texts of different bytes for the same if they look the same.
    private static func isSame(_ left: StoredValue, _ right: StoredValue) -> Bool {
        if case .text(let left) = left, case .text(let right) = right { return left.utf8.elementsEqual(right.utf8) }
        return left == right
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads rows from the stored form, where the engine has it: any bytes give rows or an error, and no more memory is taken
/// than a fixed multiple of their number.
///
/// A row is read into the one before it, so that a text that both have is not made twice.
struct FactsReader: FactsCoder {
    private let bytes: UnsafeRawBufferPointer
    private var place = 1
    private var changed: UInt64 = 0

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let version = bytes.first, version == FactsForm.version else {
            throw StoreError.corrupt(
                "facts are of version `\(bytes.first.map { "\($0)" } ?? "")`, not of \(FactsForm.version)")
        }
        self.bytes = bytes
    }

    @inline(__always)
    mutating func run<Row: FactsFields>(of type: Row.Type, _ body: (Row, _ left: Int) -> Void) throws {
        let count = try varint()
        // A row has a byte at least.
        guard count <= UInt64(clamping: bytes.count - place) else { throw Self.invalid }
        var row = Row.empty
        for left in stride(from: Int(clamping: count), to: 0, by: -1) {
            try read(into: &row)
            body(row, left)
        }
    }

    /// Reads the next row into the one before it.
    @inline(__always)
    mutating func read(into row: inout some FactsFields) throws {
        changed = try varint()
        try row.code(with: &self)
        guard changed == 0 else { throw Self.invalid }
    }

    func end() throws {
        guard place == bytes.count else { throw Self.invalid }
    }

    @inline(__always)
    mutating func field<Value: Storable>(_ value: inout Value) throws {
        let isChanged = changed & 1 == 1
        changed >>= 1
        guard isChanged else { return }
        guard let read = Value(storedValue: try next()) else { throw Self.invalid }
        value = read
    }

    private mutating func next() throws -> StoredValue {
        let header = try varint()
        if header & 1 == 1 { return .text(try text(header >> 1)) }
        guard header > 0 else { return .null }
        let zigzag = (header >> 1) - 1
        return .integer(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
    }

    private mutating func text(_ count: UInt64) throws -> String {
        guard count <= UInt64(clamping: bytes.count - place) else { throw Self.invalid }
        let text = UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(clamping: count)])
        place += Int(clamping: count)
        // Nearly every text is ASCII, which needs no second look.
        if text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
        guard let valid = String(validating: text, as: UTF8.self) else { throw Self.invalid }
        return valid
    }

    private mutating func varint() throws -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<FactsForm.longestVarint {
            guard place < bytes.count else { throw Self.invalid }
            let byte = bytes[place]
            place += 1
            // The last of ten has room for one bit.
            guard index < FactsForm.longestVarint - 1 || byte <= 1 else { throw Self.invalid }
            number |= UInt64(truncatingIfNeeded: byte & 0x7F) << (7 * index)
            if byte < 0x80 { return number }
        }
        throw Self.invalid
    }

    private static var invalid: StoreError { .corrupt("facts that cannot be read") }
}
