import OfferModel

/// A record by its fields, in one order: the list that writes them, reads them and compares them.
///
/// Each row of a run holds only what differs from the row before. The fields that differ in nearly every row come
/// first: then a byte says which they are. At most 64 fields.
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
}

struct FactsWriter: FactsCoder {
    private(set) var bytes = [FactsForm.version]
    private var before: [StoredValue] = []
    private var values: [UInt8] = []
    private var changed: UInt64 = 0
    private var place = 0

    /// - Parameters:
    ///   - known: how many of the rows have been stored before.
    ///   - stored: the bytes of those.
    mutating func append(
        run rows: some BidirectionalCollection<some FactsFields>, known: Int = 0, stored: some Collection<UInt8> = []
    ) throws {
        bytes.append(varint: UInt64(clamping: rows.count))
        before.removeAll()
        if let last = rows.prefix(known).last {
            let start = bytes.count
            // Only so that `before` holds its values.
            try append(last)
            bytes.replaceSubrange(start..., with: stored)
        }
        for row in rows.dropFirst(known) { try append(row) }
    }

    mutating func append(_ row: consuming some FactsFields) throws {
        (changed, place) = (0, 0)
        values.removeAll(keepingCapacity: true)
        try row.code(with: &self)
        bytes.append(varint: changed)
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
            values.append(varint: (UInt64(bitPattern: number << 1 ^ number >> 63) + 1) << 1)
        case .text(let text):
            values.append(varint: UInt64(clamping: text.utf8.count) << 1 | 1)
            values += text.utf8
        case .blob: throw StoreError.corrupt("bytes are no fact")
        }
    }

    /// Swift takes texts of different bytes for the same if they look the same.
    private static func isSame(_ left: StoredValue, _ right: StoredValue) -> Bool {
        if case .text(let left) = left, case .text(let right) = right { return left.hasSameBytes(as: right) }
        return left == right
    }
}

/// Reads rows from the stored form, where the engine has it: any bytes give rows or an error, and no more memory is
/// taken than a fixed multiple of their number.
///
/// A row is read into the one before it, so that a text that both have is not made twice.
struct FactsReader: FactsCoder {
    private var bytes: PackedReader
    private var changed: UInt64 = 0

    /// Has a body read all that the bytes hold.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if they are no facts, or hold more.
    @inline(__always)
    static func read(_ bytes: UnsafeRawBufferPointer, _ body: (inout FactsReader) throws -> Void) throws {
        guard let version = bytes.first, version == FactsForm.version else {
            throw StoreError.corrupt(
                "facts are of version `\(bytes.first.map { "\($0)" } ?? "")`, not of \(FactsForm.version)")
        }
        do {
            var reader = FactsReader(bytes: PackedReader(bytes, from: 1))
            try body(&reader)
            guard reader.bytes.isAtEnd else { throw PackedError() }
        } catch is PackedError {
            throw StoreError.corrupt("facts that cannot be read")
        }
    }

    /// - Returns: where the bytes of the rows are.
    @inline(__always)
    @discardableResult
    mutating func run<Row: FactsFields>(of type: Row.Type, _ body: (Row, _ left: Int) -> Void) throws -> Range<Int> {
        // A row has a byte at least.
        let count = try bytes.count()
        let start = bytes.place
        var row = Row.empty
        for left in stride(from: count, to: 0, by: -1) {
            try read(into: &row)
            body(row, left)
        }
        return start..<bytes.place
    }

    /// Reads the next row into the one before it.
    @inline(__always)
    mutating func read(into row: inout some FactsFields) throws {
        changed = try bytes.unsigned()
        try row.code(with: &self)
        guard changed == 0 else { throw PackedError() }
    }

    @inline(__always)
    mutating func field<Value: Storable>(_ value: inout Value) throws {
        let isChanged = changed & 1 == 1
        changed >>= 1
        guard isChanged else { return }
        guard let read = Value(storedValue: try next()) else { throw PackedError() }
        value = read
    }

    private mutating func next() throws -> StoredValue {
        let header = try bytes.unsigned()
        if header & 1 == 1 { return .text(try bytes.text(of: header >> 1)) }
        guard header > 0 else { return .null }
        let zigzag = (header >> 1) - 1
        return .integer(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
    }
}
