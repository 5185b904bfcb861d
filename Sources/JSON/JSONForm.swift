/// Checks the form of a JSON text (RFC 8259) before anything is decoded from it.
///
/// A decoder alone would take the first of two members of one name, and could be made to recurse deeply. Here both are
/// refused, and a misplaced byte is named.
public struct JSONForm {
    public struct Limits: Sendable {
        public let depth: Int
        /// In bytes, escapes resolved.
        public let nameLength: Int
        /// In characters.
        public let numberLength: Int
        /// Whether a repeated member is left to the next reader.
        public let allowsRepeatedMembers: Bool
        /// Values in all, those inside others included: a decoder spends far more on each of them than on a byte. So it
        /// does on an escape, of which there may be ``escapesOfValue`` times as many.
        public let values: Int
        static let escapesOfValue = 8
        /// How many escapes a name with any counts for, on top of its own: it is decoded before it is known that no reader
        /// wants it.
        static let escapesOfName = 64

        public init(
            depth: Int, nameLength: Int, numberLength: Int, allowsRepeatedMembers: Bool, values: Int = .max
        ) {
            self.depth = depth
            self.nameLength = nameLength
            self.numberLength = numberLength
            self.allowsRepeatedMembers = allowsRepeatedMembers
            self.values = values
        }

        /// A document whose own reader is as strict and says more about what is wrong; the depth only bounds the
        /// recursion.
        public static let document = Limits(
            depth: 256, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)
    }

    private let limits: Limits
    private var cursor: JSONCursor
    /// The way to the value being read; its names and its text are built only for a fault, because building them for
    /// every value takes time that grows with the square of the body.
    private var path: [Step] = []
    private var values = 0
    private var escapes = 0

    private enum Step {
        case member(Text)
        case element(Int)
    }

    private struct Text {
        /// Where it is, without its quotes.
        let place: Range<Int>
        /// Its bytes, escapes resolved.
        let length: Int

        var hasEscapes: Bool { place.count != length }
    }

    /// Checks that the bytes are exactly one JSON value in UTF-8, within the limits.
    ///
    /// - Throws: ``JSONFault`` at the first byte that is wrong.
    public static func check(_ bytes: [UInt8], _ limits: Limits) throws(JSONFault) {
        var form = JSONForm(limits: limits, cursor: JSONCursor(bytes))
        try form.check()
    }

    private mutating func check() throws(JSONFault) {
        do {
            _ = try UTF8Span(validating: cursor.bytes.span)
        } catch {
            cursor.index = error.byteOffsets.lowerBound
            throw malformed("this is not UTF-8")
        }
        try value(depth: 0)
        guard cursor.isAtEnd else { throw malformed("unexpected text after the value") }
    }

    private mutating func value(depth: Int) throws(JSONFault) {
        values += 1
        guard values <= limits.values else {
            throw fault(.manyValues, "there are more than \(limits.values) values, those inside others included")
        }
        switch cursor.next() {
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): try number()
        default: throw malformed("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONFault) {
        try enter(depth: depth)
        var seen = Set<[UInt8]>()
        guard !cursor.take(UInt8(ascii: "}")) else { return }
        repeat {
            guard cursor.next() == UInt8(ascii: "\"") else { throw malformed("expected a member's name") }
            let name = try string()
            guard name.length <= limits.nameLength else {
                throw fault(.longName, "a member's name has at most \(limits.nameLength) bytes, one here has more")
            }
            path.append(.member(name))
            if name.hasEscapes { try count(escapes: Limits.escapesOfName) }
            guard limits.allowsRepeatedMembers || seen.insert(bytes(of: name)).inserted else {
                throw fault(.repeatedMember, "this member is given twice")
            }
            guard cursor.take(UInt8(ascii: ":")) else { throw malformed("expected `:`") }
            try value(depth: depth)
            path.removeLast()
        } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "}")) else { throw malformed("expected `,` or `}`") }
    }

    private mutating func array(depth: Int) throws(JSONFault) {
        try enter(depth: depth)
        guard !cursor.take(UInt8(ascii: "]")) else { return }
        var place = 0
        repeat {
            path.append(.element(place))
            try value(depth: depth)
            path.removeLast()
            place += 1
        } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "]")) else { throw malformed("expected `,` or `]`") }
    }

    private mutating func enter(depth: Int) throws(JSONFault) {
        guard depth <= limits.depth else { throw malformed("the value nests deeper than \(limits.depth) levels") }
        cursor.index += 1
    }

    private mutating func string() throws(JSONFault) -> Text {
        cursor.index += 1
        let start = cursor.index
        // How many bytes more the escapes take than the characters they write.
        var saved = 0
        while let byte = cursor.peek {
            switch byte {
            case UInt8(ascii: "\""):
                let place = start..<cursor.index
                cursor.index += 1
                return Text(place: place, length: place.count - saved)
            case UInt8(ascii: "\\"):
                let escape = cursor.index
                let length = UTF8.width(try scalar())
                saved += cursor.index - escape - length
            case 0..<0x20:
                throw malformed("a control character must be escaped")
            default:
                cursor.index += 1
            }
        }
        throw malformed("unterminated string")
    }

    private mutating func count(escapes number: Int) throws(JSONFault) {
        escapes += number
        guard escapes / Limits.escapesOfValue <= limits.values else {
            throw fault(
                .manyValues,
                """
                there are more than \(limits.values * Limits.escapesOfValue) escapes; a name with any counts as \
                \(Limits.escapesOfName) more
                """)
        }
    }

    /// The character that an escape writes.
    private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
        try count(escapes: 1)
        cursor.index += 1
        let byte = cursor.peek
        cursor.index += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if (0xD800...0xDBFF).contains(code), cursor.takeAtOnce(UInt8(ascii: "\\")),
                cursor.takeAtOnce(UInt8(ascii: "u"))
            {
                let low = try codeUnit()
                guard (0xDC00...0xDFFF).contains(low) else { throw malformed("unpaired surrogate") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw malformed("unpaired surrogate") }
            return scalar
        default:
            throw malformed("no such escape")
        }
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = cursor.peek else { throw malformed("expected four hexadecimal digits") }
            let digit: UInt8? =
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
                case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
                default: nil
                }
            guard let digit else { throw malformed("expected four hexadecimal digits") }
            code = code << 4 | UInt32(truncatingIfNeeded: digit)
            cursor.index += 1
        }
        return code
    }

    /// A string's bytes, escapes resolved.
    private func bytes(of text: Text) -> [UInt8] {
        guard text.hasEscapes else { return Array(cursor.bytes[text.place]) }
        // The place was read before, so it reads without a fault.
        var reader = JSONForm(limits: limits, cursor: cursor)
        reader.cursor.index = text.place.lowerBound
        var bytes = [UInt8]()
        bytes.reserveCapacity(text.length)
        while reader.cursor.index < text.place.upperBound {
            let rest = cursor.bytes[reader.cursor.index..<text.place.upperBound]
            let end = rest.firstIndex(of: UInt8(ascii: "\\")) ?? rest.endIndex
            bytes += rest[..<end]
            reader.cursor.index = end
            guard end < rest.endIndex, let scalar = try? reader.scalar() else { break }
            bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
        return bytes
    }

    private mutating func number() throws(JSONFault) {
        let start = cursor.index
        _ = cursor.takeAtOnce(UInt8(ascii: "-"))
        if !cursor.takeAtOnce(UInt8(ascii: "0")) { try digits() }
        if cursor.takeAtOnce(UInt8(ascii: ".")) { try digits() }
        if cursor.takeAtOnce(UInt8(ascii: "e")) || cursor.takeAtOnce(UInt8(ascii: "E")) {
            _ = cursor.takeAtOnce(UInt8(ascii: "+")) || cursor.takeAtOnce(UInt8(ascii: "-"))
            try digits()
        }
        guard cursor.index - start <= limits.numberLength else {
            throw fault(.longNumber, "a number has at most \(limits.numberLength) characters")
        }
    }

    private mutating func digits() throws(JSONFault) {
        let start = cursor.index
        while let byte = cursor.peek, Self.isDigit(byte) { cursor.index += 1 }
        guard cursor.index > start else { throw malformed("expected a digit") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func word(_ word: String) throws(JSONFault) {
        for byte in word.utf8 where !cursor.takeAtOnce(byte) { throw malformed("expected a value") }
    }

    private func fault(_ kind: JSONFault.Kind, _ detail: String) -> JSONFault {
        JSONFault(kind: kind, path: steps, detail: detail)
    }

    private var steps: [JSONStep] {
        path.map { step in
            switch step {
            case .member(let name): .member(bytes(of: name))
            case .element(let place): .element(place)
            }
        }
    }

    private func malformed(_ detail: String) -> JSONFault {
        let before = cursor.bytes[..<min(cursor.index, cursor.bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return JSONFault(
            kind: .malformed(line: line, column: column), path: steps, detail: "byte \(before.count): \(detail)")
    }

    fileprivate static func text(_ cursor: inout JSONCursor) -> String? {
        let limits = Limits(depth: 0, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)
        var form = JSONForm(limits: limits, cursor: cursor)
        guard let text = try? form.string() else { return nil }
        cursor.index = form.cursor.index
        return String(decoding: form.bytes(of: text), as: UTF8.self)
    }
}

public struct JSONFault: Error, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Both from 1.
        case malformed(line: Int, column: Int)
        case repeatedMember
        case longName
        case longNumber
        case manyValues
    }

    public let kind: Kind
    public let path: [JSONStep]
    public let detail: String
}

/// One step of the way into a JSON text.
public enum JSONStep: Sendable, Hashable {
    /// A member's name in UTF-8.
    case member([UInt8])
    /// From 0.
    case element(Int)
}

extension JSONCursor {
    /// Takes a text, its escapes resolved; `nil` if none is ahead.
    public mutating func text() -> String? {
        guard next() == UInt8(ascii: "\"") else { return nil }
        let start = index
        if let plain = plainText() { return String(decoding: bytes[plain], as: UTF8.self) }
        index = start
        return JSONForm.text(&self)
    }
}
