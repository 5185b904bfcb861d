/// The bytes of one input, taken from the front; where they end, zeros follow.
struct InputBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The next byte.
    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// The next two bytes as a number, the greater first.
    mutating func number() -> Int {
        Int(byte()) << 8 | Int(byte())
    }

    /// Everything before the next NUL, which is passed over.
    mutating func part() -> [UInt8] {
        let end = rest.firstIndex(of: 0) ?? rest.endIndex
        let part = rest[..<end]
        rest = rest[end...].dropFirst()
        return Array(part)
    }

    /// Everything that is left.
    mutating func remainder() -> [UInt8] {
        let remainder = rest
        rest = []
        return Array(remainder)
    }
}
