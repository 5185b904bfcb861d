public import OfferModel

/// A value that is written in few bytes: whole numbers as LEB128 (signed ones zigzag), texts as their length and their
/// UTF-8, words as their place in their list, and before what may be absent or repeated, whether or how often it is
/// there.
public protocol Packable {
    func pack(into writer: inout PackedWriter)
    /// - Throws: ``PackedError`` if the next bytes are no such value.
    init(unpacking reader: inout PackedReader) throws
}

public struct PackedWriter: Sendable {
    public internal(set) var bytes: [UInt8] = []

    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    // Inlined, so that the types are known where the values are.

    @inline(__always)
    public mutating func append<each Value: Packable>(_ value: repeat each Value) {
        repeat (each value).pack(into: &self)
    }

    @inline(__always)
    public mutating func append<Elements: Collection>(
        each elements: Elements, _ write: (inout PackedWriter, Elements.Element) -> Void
    ) {
        bytes.append(varint: UInt64(clamping: elements.count))
        for element in elements { write(&self, element) }
    }

    public mutating func append(byte: UInt8) {
        bytes.append(byte)
    }
}

extension [UInt8] {
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

/// The bytes are not what ``PackedWriter`` wrote.
public struct PackedError: Error, Sendable {}

/// Reads what ``PackedWriter`` wrote. Any bytes are read or refused, whatever they claim.
public struct PackedReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var place: Int

    init(_ bytes: UnsafeRawBufferPointer, from place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func next<Value: Packable>() throws -> Value { try Value(unpacking: &self) }

    mutating func byte() throws(PackedError) -> UInt8 {
        guard place < bytes.count else { throw PackedError() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func unsigned() throws(PackedError) -> UInt64 {
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

    /// How many things follow, each of a byte at least, so that no number makes room for more than there is.
    mutating func count() throws(PackedError) -> Int { try fitting(try unsigned()) }

    private func fitting(_ count: UInt64) throws(PackedError) -> Int {
        guard count <= UInt64(clamping: bytes.count - place) else { throw PackedError() }
        return Int(truncatingIfNeeded: count)
    }

    mutating func text() throws(PackedError) -> String { try text(of: try unsigned()) }

    mutating func text(of count: UInt64) throws(PackedError) -> String {
        let end = place + (try fitting(count))
        let text = UnsafeRawBufferPointer(rebasing: bytes[place..<end])
        place = end
        // Nearly every text is ASCII, which needs no second look.
        if text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
        guard let valid = String(validating: text, as: UTF8.self) else { throw PackedError() }
        return valid
    }

    mutating func list<Value>(_ read: (inout PackedReader) throws -> Value) throws -> [Value] {
        let count = try count()
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}

extension Bool: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(byte: self ? 1 : 0) }
    public init(unpacking reader: inout PackedReader) throws {
        switch try reader.byte() {
        case 0: self = false
        case 1: self = true
        default: throw PackedError()
        }
    }
}

extension Int64: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.bytes.append(varint: UInt64(bitPattern: self << 1 ^ self >> 63))
    }
    public init(unpacking reader: inout PackedReader) throws {
        let number = try reader.unsigned()
        self = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}

extension Int: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(Int64(clamping: self)) }
    public init(unpacking reader: inout PackedReader) throws { self.init(clamping: try reader.next() as Int64) }
}

extension Double: Packable {
    public func pack(into writer: inout PackedWriter) {
        withUnsafeBytes(of: bitPattern.littleEndian) { writer.bytes.append(contentsOf: $0) }
    }
    public init(unpacking reader: inout PackedReader) throws {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bits |= UInt64(truncatingIfNeeded: try reader.byte()) << shift
        }
        self.init(bitPattern: bits)
    }
}

extension String: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.bytes.append(varint: UInt64(clamping: utf8.count))
        if utf8.withContiguousStorageIfAvailable({ writer.bytes.append(contentsOf: $0) }) == nil {
            writer.bytes.append(contentsOf: utf8)
        }
    }
    public init(unpacking reader: inout PackedReader) throws { self = try reader.text() }
}

extension Instant: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(milliseconds) }
    public init(unpacking reader: inout PackedReader) throws {
        let milliseconds: Int64 = try reader.next()
        guard InputBounds.storedIntegers.contains(milliseconds) else { throw PackedError() }
        self.init(milliseconds: milliseconds)
    }
}

extension LowercaseUUID: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(description) }
    public init(unpacking reader: inout PackedReader) throws {
        guard let uuid = LowercaseUUID(try reader.text()) else { throw PackedError() }
        self = uuid
    }
}

extension Optional: Packable where Wrapped: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.append(self != nil)
        if let self { writer.append(self) }
    }
    public init(unpacking reader: inout PackedReader) throws {
        self = try reader.next() ? .some(try reader.next()) : nil
    }
}

extension Array: Packable where Element: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(each: self) { $0.append($1) } }
    public init(unpacking reader: inout PackedReader) throws { self = try reader.list { try $0.next() } }
}

extension Dictionary: Packable where Key: Packable & Comparable, Value: Packable {
    public func pack(into writer: inout PackedWriter) {
        writer.append(each: sorted { $0.key < $1.key }) { $0.append($1.key, $1.value) }
    }
    public init(unpacking reader: inout PackedReader) throws {
        self.init(try reader.list { (try $0.next(), try $0.next()) }) { first, _ in first }
    }
}

extension Packable where Self: RawRepresentable, RawValue: Packable {
    public func pack(into writer: inout PackedWriter) { writer.append(rawValue) }
    public init(unpacking reader: inout PackedReader) throws {
        guard let value = Self(rawValue: try reader.next()) else { throw PackedError() }
        self = value
    }
}

// A word's list may only grow at its end: PackedRecordTests holds each to it.
extension Packable where Self: RawRepresentable & CaseIterable & Equatable, RawValue: Packable, AllCases == [Self] {
    public func pack(into writer: inout PackedWriter) {
        writer.bytes.append(varint: UInt64(clamping: Self.allCases.firstIndex(of: self) ?? 0))
    }
    public init(unpacking reader: inout PackedReader) throws {
        let (place, words) = (try reader.unsigned(), Self.allCases)
        guard place < words.count else { throw PackedError() }
        self = words[Int(place)]
    }
}
