import OfferModel

/// Reads what ``PackedWriter`` and ``RunWriter`` wrote, where the engine has it. Any bytes are read or refused,
/// whatever they claim, and no more memory is taken than a fixed multiple of their number.
public struct PackedReader: RecordCoder {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0
    /// Bit 0: whether the next member is in the bytes; outside of runs every one is.
    private var isNext: Int64 = -1

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Has a body read all that the bytes hold after their version.
    ///
    /// - Throws: ``PackedError`` if they hold more, or are of another version.
    @inline(__always)
    static func read(_ bytes: UnsafeRawBufferPointer, _ body: (inout PackedReader) throws -> Void) throws {
        guard let version = bytes.first, version == PackedForm.version else {
            throw PackedError(
                detail: "are of version `\(bytes.first.map { "\($0)" } ?? "")`, not of \(PackedForm.version)")
        }
        var reader = PackedReader(bytes)
        reader.index = 1
        try body(&reader)
        guard reader.index == bytes.count else { throw PackedError() }
    }

    // Rows. A row is read into the one before it, so that a text that both have is not made twice.

    /// - Returns: where the bytes of the rows are.
    @inline(__always)
    @discardableResult
    mutating func run<Row: RecordRow>(of type: Row.Type, _ body: (Row, _ left: Int) -> Void) throws -> Range<Int> {
        // A row has a byte at least.
        let count = try fitting(try varint())
        let start = index
        var row = Row.blank
        for left in stride(from: count, to: 0, by: -1) {
            try read(into: &row)
            body(row, left)
        }
        return start..<index
    }

    /// Reads the next row into the one before it.
    @inline(__always)
    mutating func read(into row: inout some RecordRow) throws {
        isNext = Int64(bitPattern: try varint())
        guard isNext >= 0 else { throw PackedError() }
        try row.code(with: &self)
        guard isNext == 0 else { throw PackedError() }
        isNext = -1
    }

    // Members.

    @inline(__always)
    private mutating func takesNext() -> Bool {
        defer { isNext >>= 1 }
        return isNext & 1 == 1
    }

    @inline(__always)
    public mutating func field<Value: Packable>(_ value: inout Value) throws {
        if takesNext() { value = try Value(unpacking: &self) }
    }

    @inline(__always)
    mutating func value<Value: PayloadValue>() throws -> Value {
        var scalar = try scalar()
        if Value.form == .texts, case .text(let json) = scalar {
            guard let list = StoredTextList(json: json) else { throw PackedError() }
            scalar = .texts(list.texts)
        }
        guard let value = Value(scalar: scalar) else { throw PackedError() }
        return value
    }

    // Forms.

    private mutating func scalar() throws(PackedError) -> PayloadScalar {
        let header = try varint()
        if header & 1 == 1 { return .text(try text(of: header >> 1)) }
        guard header > 0 else { throw PackedError() }
        let zigzag = (header >> 1) - 1
        let number = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        guard InputBounds.storedIntegers.contains(number) else { throw PackedError() }
        return .number(number)
    }

    mutating func takeAbsent() -> Bool {
        guard index < bytes.count, bytes[index] == 0 else { return false }
        index += 1
        return true
    }

    mutating func code() throws(PackedError) -> UInt64 {
        let header = try varint()
        guard header & 1 == 0, header > 0 else { throw PackedError() }
        return header >> 1
    }

    mutating func byte() throws(PackedError) -> UInt8 {
        guard index < bytes.count else { throw PackedError() }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func list<Value>(_ read: (inout PackedReader) throws -> Value) throws -> [Value] {
        let count = try fitting(try code() - 1)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    mutating func varint() throws(PackedError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            // The tenth byte holds the topmost bit alone.
            guard shift < 63 || byte <= 1 else { throw PackedError() }
            number |= UInt64(truncatingIfNeeded: byte & 0x7F) << shift
            guard byte < 0x80 else { continue }
            // A number has one form, so that a record has one.
            guard byte > 0 || shift == 0 else { throw PackedError() }
            return number
        }
        throw PackedError()
    }

    /// How many things follow, each of a byte at least, so that no number makes room for more than there is.
    private func fitting(_ count: UInt64) throws(PackedError) -> Int {
        guard count <= UInt64(clamping: bytes.count - index) else { throw PackedError() }
        return Int(truncatingIfNeeded: count)
    }

    private mutating func text(of count: UInt64) throws(PackedError) -> String {
        let end = index + (try fitting(count))
        let text = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
        index = end
        // Nearly every text is ASCII, which needs no second look.
        if text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
        guard let valid = String(validating: text, as: UTF8.self) else { throw PackedError() }
        return valid
    }
}
