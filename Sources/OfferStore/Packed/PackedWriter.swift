import OfferModel

public struct PackedWriter: RecordCoder, Sendable {
    public private(set) var bytes: [UInt8] = []
    /// Where the members are that move by themselves.
    public private(set) var moving: [Range<Int>] = []

    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    // Inlined, so that the types are known where the values are.

    @inline(__always)
    public mutating func append<each Value: Packable>(_ value: repeat each Value) throws {
        repeat try (each value).pack(into: &self)
    }

    @inline(__always)
    public mutating func append<Elements: Collection>(
        each elements: Elements, _ write: (inout PackedWriter, Elements.Element) throws -> Void
    ) rethrows {
        append(varint: (UInt64(clamping: elements.count) + 1) << 1)
        for element in elements { try write(&self, element) }
    }

    @inline(__always)
    public mutating func field<Value: Packable>(_ value: inout Value) throws { try value.pack(into: &self) }

    @inline(__always)
    public mutating func field<Value: Packable>(moving value: inout Value) throws {
        let start = bytes.count
        try value.pack(into: &self)
        moving.append(start..<bytes.count)
    }

    @inline(__always)
    mutating func append(_ scalar: PayloadScalar) throws {
        switch scalar {
        case .text(let text): append(text: text)
        case .number(let number): try append(number: number)
        case .texts(let texts): append(text: StoredTextList(texts).json)
        }
    }

    private mutating func append(text: String) {
        append(varint: UInt64(clamping: text.utf8.count) << 1 | 1)
        bytes += text.utf8
    }

    /// - Throws: ``StoreError/corrupt(_:)`` for a number that would be refused when it is read.
    private mutating func append(number: Int64) throws {
        guard InputBounds.storedIntegers.contains(number) else {
            throw StoreError.corrupt("`\(number)` is beyond what is stored")
        }
        append(varint: (UInt64(bitPattern: number << 1 ^ number >> 63) + 1) << 1)
    }

    public mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(varint number: UInt64) { bytes.append(varint: number) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

extension [UInt8] {
    fileprivate mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Writes runs of rows. A run is the varint number of its rows and the rows, and a row
///
/// ```
/// changed   varint: bit n is set if member n differs from the row before; before the first row every member is absent
/// values    each member that differs, in ``PackedForm``
/// ```
struct RunWriter {
    private(set) var bytes = [PackedForm.version]
    private var row = MemberBytes()
    private var before = MemberBytes()

    /// - Parameters:
    ///   - known: how many of the rows have been stored before.
    ///   - stored: the bytes of those.
    mutating func append(
        run rows: some BidirectionalCollection<some RecordRow>, known: Int = 0, stored: some Collection<UInt8> = []
    ) throws {
        bytes.append(varint: UInt64(clamping: rows.count))
        row.removeAll()
        if let last = rows.prefix(known).last {
            let start = bytes.count
            // Only so that the next row is compared with it.
            try append(last)
            bytes.replaceSubrange(start..., with: stored)
        }
        for row in rows.dropFirst(known) { try append(row) }
    }

    mutating func append(_ record: consuming some RecordRow) throws {
        swap(&row, &before)
        row.removeAll()
        try record.code(with: &row)
        let changed = row.ends.indices.filter { row.bytes(of: $0) != before.bytes(of: $0) }
        bytes.append(varint: changed.reduce(0) { $0 | 1 << UInt64(truncatingIfNeeded: $1) })
        for member in changed { bytes += row.bytes(of: member) }
    }
}

/// The members of one row, each with its bytes.
private struct MemberBytes: RecordCoder {
    private var writer = PackedWriter()
    private(set) var ends: [Int] = []

    func bytes(of member: Int) -> ArraySlice<UInt8> {
        member < ends.count ? writer.bytes[(member == 0 ? 0 : ends[member - 1])..<ends[member]] : [0]
    }

    mutating func removeAll() {
        writer.removeAll()
        ends.removeAll(keepingCapacity: true)
    }

    mutating func field<Value: Packable>(_ value: inout Value) throws {
        try writer.field(&value)
        ends.append(writer.bytes.count)
    }
}
