public import OfferModel

/// A value in ``PackedForm``.
public protocol Packable {
    /// - Throws: ``StoreError/corrupt(_:)`` if it would be refused when it is read.
    func pack(into writer: inout PackedWriter) throws
    /// - Throws: ``PackedError`` if the next bytes are no such value.
    init(unpacking reader: inout PackedReader) throws
}

extension Packable where Self: PayloadValue {
    @inline(__always)
    public func pack(into writer: inout PackedWriter) throws { try writer.append(scalar) }
    @inline(__always)
    public init(unpacking reader: inout PackedReader) throws { self = try reader.value() }
}

struct PackedValue<Value: PayloadValue>: Packable {
    let value: Value

    init(value: Value) { self.value = value }

    @inline(__always)
    func pack(into writer: inout PackedWriter) throws { try writer.append(value.scalar) }
    @inline(__always)
    init(unpacking reader: inout PackedReader) throws { value = try reader.value() }
}

extension Bool: Packable {}
extension Int: Packable {}
extension Int64: Packable {}
extension String: Packable {}
extension Instant: Packable {}
extension LowercaseUUID: Packable {}
extension Identifier: Packable {}
extension CustomerNumber: PayloadValue, Packable {}
extension TransactionOfferType: Packable {}
extension SubscriptionStatus: Packable {}

/// Its eight bytes; no value that may be absent.
extension Double: Packable {
    public func pack(into writer: inout PackedWriter) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            writer.append(byte: UInt8(truncatingIfNeeded: bitPattern >> shift))
        }
    }
    public init(unpacking reader: inout PackedReader) throws {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bits |= UInt64(truncatingIfNeeded: try reader.byte()) << shift
        }
        self.init(bitPattern: bits)
    }
}

extension Optional: Packable where Wrapped: Packable {
    @inline(__always)
    public func pack(into writer: inout PackedWriter) throws {
        if let self { try self.pack(into: &writer) } else { writer.append(byte: 0) }
    }
    @inline(__always)
    public init(unpacking reader: inout PackedReader) throws {
        self = reader.takeAbsent() ? nil : .some(try Wrapped(unpacking: &reader))
    }
}

extension Array: Packable where Element: Packable {
    public func pack(into writer: inout PackedWriter) throws { try writer.append(each: self) { try $0.append($1) } }
    public init(unpacking reader: inout PackedReader) throws { self = try reader.list { try Element(unpacking: &$0) } }
}

extension Dictionary: Packable where Key: Packable & Comparable, Value: Packable {
    public func pack(into writer: inout PackedWriter) throws {
        try writer.append(each: sorted { $0.key < $1.key }) { try $0.append($1.key, $1.value) }
    }
    public init(unpacking reader: inout PackedReader) throws {
        let entries = try reader.list { (try Key(unpacking: &$0), try Value(unpacking: &$0)) }
        // In another order they would be other bytes of the same record.
        guard zip(entries, entries.dropFirst()).allSatisfy({ $0.0 < $1.0 }) else { throw PackedError() }
        self.init(entries) { first, _ in first }
    }
}

extension FactValue: Packable {
    /// The codes of the types; none is given to another one.
    public func pack(into writer: inout PackedWriter) throws {
        func append(_ code: UInt64, _ value: some Packable) throws {
            writer.append(varint: code << 1)
            try writer.append(value)
        }
        switch self {
        case .text(let text): try append(1, text)
        case .number(let number): try append(2, number)
        case .boolean(let flag): try append(3, flag)
        case .money(let money):
            try append(4, money.milliunits)
            try writer.append(money.currency)
        case .instant(let instant): try append(5, instant)
        }
    }

    public init(unpacking reader: inout PackedReader) throws {
        self =
            switch try reader.code() {
            case 1: .text(try String(unpacking: &reader))
            case 2: .number(try Double(unpacking: &reader))
            case 3: .boolean(try Bool(unpacking: &reader))
            case 4: .money(Money(milliunits: try Int64(unpacking: &reader), currency: try String(unpacking: &reader)))
            case 5: .instant(try Instant(unpacking: &reader))
            default: throw PackedError()
            }
    }
}
