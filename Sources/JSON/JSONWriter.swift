/// Writes compact JSON into bytes, without a tree and without Foundation: the bytes that Foundation's encoder writes
/// with sorted keys and plain slashes, provided that members are written in the order of their names.
///
/// It sets the commas; that a value follows each name is up to the caller.
public struct JSONWriter {
    /// A number that JSON cannot hold.
    public struct NotFinite: Error {}

    /// How a text's characters are escaped; every reader of JSON takes all of these for the same text.
    public enum Escapes: Sendable {
        /// Control characters only, by a letter where there is one: as Foundation's encoder does.
        case short
        /// Control characters only, all by their digits: in stored rows and signed claims, whose bytes may not change.
        case hexadecimal
        /// Everything that editors do not show, in a form that YAML reads too.
        case visible
    }

    public private(set) var bytes: [UInt8] = []
    private let escapes: Escapes
    /// Why a value could not be written by ``value(_:)``, the first time.
    public private(set) var failure: (any Error)?

    /// - Parameter capacity: how many bytes to make room for.
    public init(capacity: Int = 256, escapes: Escapes = .short) {
        self.escapes = escapes
        bytes.reserveCapacity(capacity)
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A writer whose text is one object: its members are written next.
    public static func beginObject(_ escapes: Escapes) -> JSONWriter {
        var json = JSONWriter(escapes: escapes)
        json.bytes.append(UInt8(ascii: "{"))
        return json
    }

    /// The finished object that ``beginObject(_:)`` began.
    public consuming func endObject() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

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

    public mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if escapes == .visible {
            for scalar in text.unicodeScalars { appendVisible(scalar) }
        } else {
            let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { escape($0) }
            if isWritten == nil { Array(text.utf8).withUnsafeBufferPointer { escape($0) } }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func integer(_ integer: Int64) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = integer.magnitude
        let start = bytes.count
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest > 0
        // Reversing the slice would copy the whole array.
        var (low, high) = (start, bytes.count - 1)
        while low < high {
            bytes.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
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

    public mutating func boolean(_ flag: Bool) {
        bytes.append(contentsOf: flag ? Self.yes : Self.no)
    }

    /// Writes a value and keeps what goes wrong.
    public mutating func value(_ value: some JSONWritable) {
        do {
            try value.write(to: &self)
        } catch {
            failure = failure ?? error
        }
    }

    /// Appends a value that is JSON already.
    public mutating func append(_ value: [UInt8]) {
        bytes.append(contentsOf: value)
    }

    public mutating func append(_ value: JSONWriter) {
        append(value.bytes)
        failure = failure ?? value.failure
    }

    public mutating func null() {
        bytes.append(contentsOf: Self.nothing)
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)
    private static let nothing = Array("null".utf8)
    private static let digits = Array("0123456789abcdef".utf8)

    /// Copies what needs no escape in one go, up to the next byte that does.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var copied = 0
        for place in text.indices {
            let byte = text[place]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: text[copied..<place])
            appendEscaped(byte)
            copied = place + 1
        }
        bytes.append(contentsOf: text[copied...])
    }

    private mutating func appendVisible(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x00..<0x20, 0x22, 0x5C: appendEscaped(UInt8(truncatingIfNeeded: scalar.value))
        case 0x7F...0x9F, 0x2028, 0x2029, 0xE000...0xF8FF, 0xFEFF, 0xFFFE, 0xFFFF: appendDigits(scalar.value)
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        let letter: UInt8? =
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
            case 0x09 where escapes != .hexadecimal: UInt8(ascii: "t")
            case 0x0A where escapes != .hexadecimal: UInt8(ascii: "n")
            case 0x0D where escapes != .hexadecimal: UInt8(ascii: "r")
            case 0x08 where escapes == .short: UInt8(ascii: "b")
            case 0x0C where escapes == .short: UInt8(ascii: "f")
            default: nil
            }
        guard let letter else { return appendDigits(UInt32(truncatingIfNeeded: byte)) }
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(letter)
    }

    private mutating func appendDigits(_ codeUnit: UInt32) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt32] { bytes.append(Self.digits[Int(codeUnit >> shift & 0xF)]) }
    }
}
