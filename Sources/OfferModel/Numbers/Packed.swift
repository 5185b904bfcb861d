/// Writes values one after the other in few bytes: whole numbers as LEB128 (signed ones zigzag), texts as their length and
/// their UTF-8.
public struct PackedWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    public mutating func append(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    public mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    public mutating func append(_ number: Int64) {
        append(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    public mutating func append(_ number: Int) {
        append(Int64(clamping: number))
    }

    public mutating func append(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func append(_ text: String) {
        append(UInt64(clamping: text.utf8.count))
        if text.utf8.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
            bytes.append(contentsOf: text.utf8)
        }
    }

    public mutating func append(_ instant: Instant) {
        append(instant.milliseconds)
    }

    /// Writes whether there is a value, and then the value.
    public mutating func append<Value>(_ value: Value?, _ write: (inout PackedWriter, Value) throws -> Void) rethrows {
        append(value != nil)
        if let value { try write(&self, value) }
    }

    /// Writes how many there are, and then each.
    public mutating func append<Elements: Collection>(
        each elements: Elements, _ write: (inout PackedWriter, Elements.Element) throws -> Void
    ) rethrows {
        append(UInt64(clamping: elements.count))
        for element in elements { try write(&self, element) }
    }
}

/// The bytes are not what ``PackedWriter`` wrote.
public struct PackedError: Error, Sendable {
    public init() {}
}

/// Reads what ``PackedWriter`` wrote. Any bytes are read or refused, whatever they claim.
public struct PackedReader: Sendable {
    private let bytes: [UInt8]
    private var place = 0

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var isAtEnd: Bool { place == bytes.count }

    public mutating func byte() throws(PackedError) -> UInt8 {
        guard place < bytes.count else { throw PackedError() }
        defer { place += 1 }
        return bytes[place]
    }

    public mutating func flag() throws(PackedError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw PackedError()
        }
    }

    public mutating func unsigned() throws(PackedError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            // The tenth byte holds the topmost bit alone.
            guard shift < 63 || byte <= 1 else { throw PackedError() }
            number |= UInt64(truncatingIfNeeded: byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw PackedError()
    }

    public mutating func integer() throws(PackedError) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    public mutating func count() throws(PackedError) -> Int {
        guard let count = Int(exactly: try integer()) else { throw PackedError() }
        return count
    }

    public mutating func double() throws(PackedError) -> Double {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(truncatingIfNeeded: try byte()) << shift }
        return Double(bitPattern: bits)
    }

    public mutating func text() throws(PackedError) -> String {
        let count = try unsigned()
        guard count <= UInt64(clamping: bytes.count - place) else { throw PackedError() }
        let end = place + Int(truncatingIfNeeded: count)
        defer { place = end }
        guard let text = String(validating: bytes[place..<end], as: UTF8.self) else { throw PackedError() }
        return text
    }

    public mutating func instant() throws(PackedError) -> Instant {
        let milliseconds = try integer()
        guard InputBounds.storedIntegers.contains(milliseconds) else { throw PackedError() }
        return Instant(milliseconds: milliseconds)
    }

    public mutating func optional<Value>(
        _ read: (inout PackedReader) throws -> Value
    ) throws -> Value? {
        try flag() ? try read(&self) : nil
    }

    public mutating func list<Value>(_ read: (inout PackedReader) throws -> Value) throws -> [Value] {
        let count = try unsigned()
        // Each takes a byte at least, so that no number makes room for more than there is.
        guard count <= UInt64(clamping: bytes.count - place) else { throw PackedError() }
        var values: [Value] = []
        values.reserveCapacity(Int(truncatingIfNeeded: count))
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
