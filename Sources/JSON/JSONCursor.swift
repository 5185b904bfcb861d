/// A place in a JSON text, and the tokens that every reader takes from there.
///
/// Its texts and numbers are the plain ones that need no decoding; ``JSONForm`` judges the rest.
public struct JSONCursor {
    public let bytes: [UInt8]
    public var index = 0

    @inlinable
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    @inlinable
    public var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    @inlinable
    public mutating func skipSpace() {
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            index += 1
        }
    }

    /// The next byte that is no space.
    @inlinable
    public mutating func next() -> UInt8? {
        skipSpace()
        return peek
    }

    /// Whether only space is left.
    @inlinable
    public var isAtEnd: Bool { mutating get { next() == nil } }

    /// Takes the byte, if it is the next one.
    @inlinable
    public mutating func takeAtOnce(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    /// Takes the byte, if it is the next one after space.
    @inlinable
    public mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        return takeAtOnce(byte)
    }

    /// Takes the word, if it is next.
    @inlinable
    public mutating func take(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard bytes.count - index >= length,
            word.withUTF8Buffer({ bytes[index..<index + length].elementsEqual($0) })
        else { return false }
        index += length
        return true
    }

    /// The place of a text without escapes, quotes left out.
    @inlinable
    public mutating func plainText() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = index
        let end = bytes[start...].firstIndex { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
        }
        guard let end, bytes[end] == UInt8(ascii: "\"") else { return nil }
        index = end + 1
        return start..<end
    }

    /// A whole number without a sign, of so few digits that it fits.
    ///
    /// A fraction or an exponent goes on with a byte that may not follow a value.
    @inlinable
    public mutating func digits(atMost most: Int) -> Int64? {
        let start = index
        var number: Int64 = 0
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            guard index - start < most else { return nil }
            number = number * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        let count = index - start
        return count > 0 && (count == 1 || bytes[start] != UInt8(ascii: "0")) ? number : nil
    }

    @inlinable
    public func spells(_ place: Range<Int>, _ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard place.count == length else { return false }
        return word.withUTF8Buffer { bytes[place].elementsEqual($0) }
    }
}

/// A number as far as 64 bits hold it.
public enum JSONNumber: Sendable {
    case whole(Int64)
    /// With a fraction, or too large for 64 bits; perhaps infinite.
    case other(Double)
}

// In a text whose form is right.
extension JSONCursor {
    /// Takes a truth value; `nil` if none is ahead.
    public mutating func flag() -> Bool? {
        skipSpace()
        return take("true") ? true : take("false") ? false : nil
    }

    /// Takes a number, however it is written; `nil` if none is ahead.
    public mutating func number() -> JSONNumber? {
        skipSpace()
        let start = index
        if let digits = digits(atMost: 15), !isInNumber { return .whole(digits) }
        index = start
        while isInNumber { index += 1 }
        guard index > start else { return nil }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if let whole = Int64(text) { return .whole(whole) }
        let number = Double(text) ?? .nan
        // From there on, several whole numbers have the same float.
        if number.magnitude < 0x1p53, let whole = Int64(exactly: number) { return .whole(whole) }
        return .other(number)
    }

    /// Whether a number begins or goes on with the next byte.
    private var isInNumber: Bool {
        guard let peek else { return false }
        return switch peek {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    public mutating func skipValue() {
        var depth = 0
        repeat {
            let byte = next()
            index += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                while let byte = peek, byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): continue
            case nil: return
            default: while let byte = peek, Self.isOfScalar(byte) { index += 1 }
            }
        } while depth > 0
    }

    private static func isOfScalar(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E")].contains(byte)
    }
}
