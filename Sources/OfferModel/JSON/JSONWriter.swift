/// Writes compact JSON into bytes, without a tree and without Foundation: the same bytes as Foundation's encoder writes with
/// sorted keys and plain slashes, provided that members are written in the order of their names.
///
/// It sets the commas; that brackets close and a value follows each name is up to whoever writes.
public struct JSONWriter {
    /// A number that JSON cannot hold.
    public struct NotFinite: Error {}

    /// What was written.
    public private(set) var bytes: [UInt8] = []

    /// Begins with nothing.
    ///
    /// - Parameter capacity: how many bytes to make room for.
    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// What was written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes an object, whose members `members` writes.
    public mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        bytes.append(UInt8(ascii: "{"))
        try members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Begins a member of an object; its value is written next.
    public mutating func name(_ name: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// The same with a name that is not known beforehand.
    public mutating func name(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        text(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes an array.
    public mutating func array<Element>(
        _ elements: [Element], _ write: (inout JSONWriter, Element) throws -> Void
    ) rethrows {
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
            try write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a text.
    public mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { escape($0) }
        if isWritten == nil { Array(text.utf8).withUnsafeBufferPointer { escape($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    public mutating func integer(_ integer: Int64) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = integer.magnitude
        let start = bytes.count
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Writes a number, a whole one without a fraction.
    ///
    /// - Throws: ``NotFinite``.
    public mutating func number(_ number: Double) throws {
        if let whole = Int64(exactly: number) { return integer(whole) }
        guard number.isFinite else { throw NotFinite() }
        let digits = number.description
        bytes.append(contentsOf: digits.hasSuffix(".0") ? digits.dropLast(2).utf8 : digits[...].utf8)
    }

    /// Writes yes or no.
    public mutating func boolean(_ flag: Bool) {
        bytes.append(contentsOf: flag ? Self.yes : Self.no)
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)

    /// Copies what needs no escape in one go, up to the next byte that does.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var copied = 0
        for place in text.indices {
            let byte = text[place]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: text[copied..<place])
            bytes.append(UInt8(ascii: "\\"))
            appendEscaped(byte)
            copied = place + 1
        }
        bytes.append(contentsOf: text[copied...])
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Hexadecimal.lowercaseDigits[Int(byte >> 4)])
            bytes.append(Hexadecimal.lowercaseDigits[Int(byte & 0x0F)])
        default: bytes.append(byte)
        }
    }
}
