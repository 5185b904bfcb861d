/// Checks the form of a JSON text (RFC 8259) before anything is decoded from it.
///
/// A decoder alone would take the first of two members of one name, and could be made to recurse deeply. Here both are
/// refused, and a misplaced byte is named.
public struct JSONForm {
    /// What a text may hold.
    public struct Limits: Sendable {
        public let depth: Int
        /// In bytes, escapes resolved.
        public let nameLength: Int
        /// In characters.
        public let numberLength: Int
        /// Whether a repeated member is left to the next reader.
        public let allowsRepeatedMembers: Bool

        public init(depth: Int, nameLength: Int, numberLength: Int, allowsRepeatedMembers: Bool) {
            self.depth = depth
            self.nameLength = nameLength
            self.numberLength = numberLength
            self.allowsRepeatedMembers = allowsRepeatedMembers
        }
    }

    private let limits: Limits
    private var cursor: JSONCursor
    /// The way to the value being read; the pointer's text is built only for a fault, because building it for every
    /// value takes time that grows with the square of the body.
    private var path: [JSONStep] = []

    /// Checks that the bytes are exactly one JSON value in UTF-8, within the limits.
    ///
    /// - Throws: ``JSONFault`` at the first byte that is wrong.
    public static func check(_ bytes: [UInt8], _ limits: Limits) throws(JSONFault) {
        var form = JSONForm(limits: limits, cursor: JSONCursor(bytes))
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            form.cursor.index = error.byteOffsets.lowerBound
            throw form.malformed("this is not UTF-8")
        }
        try form.value(depth: 0)
        guard form.cursor.isAtEnd else { throw form.malformed("unexpected text after the value") }
    }

    private mutating func value(depth: Int) throws(JSONFault) {
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
            guard name.count <= limits.nameLength else {
                throw fault(.longName, "a member's name has at most \(limits.nameLength) bytes, one here has more")
            }
            path.append(.member(name))
            guard limits.allowsRepeatedMembers || seen.insert(name).inserted else {
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

    /// The string's bytes, escapes resolved.
    private mutating func string() throws(JSONFault) -> [UInt8] {
        cursor.index += 1
        var text = [UInt8]()
        while let byte = cursor.peek {
            switch byte {
            case UInt8(ascii: "\""):
                cursor.index += 1
                return text
            case UInt8(ascii: "\\"):
                cursor.index += 1
                text += try escape()
            case 0..<0x20:
                throw malformed("a control character must be escaped")
            default:
                text.append(byte)
                cursor.index += 1
            }
        }
        throw malformed("unterminated string")
    }

    private mutating func escape() throws(JSONFault) -> [UInt8] {
        let byte = cursor.peek
        cursor.index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return byte.map { [$0] } ?? []
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
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
            return Array(String(Character(scalar)).utf8)
        default:
            throw malformed("no such escape")
        }
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = cursor.peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed("expected four hexadecimal digits")
            }
            code = code << 4 | UInt32(truncatingIfNeeded: digit)
            cursor.index += 1
        }
        return code
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
        JSONFault(kind: kind, path: path, detail: detail)
    }

    private func malformed(_ detail: String) -> JSONFault {
        let before = cursor.bytes[..<min(cursor.index, cursor.bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return JSONFault(
            kind: .malformed(line: line, column: column), path: path, detail: "byte \(before.count): \(detail)")
    }
}

/// What is wrong with the form of a JSON text.
public struct JSONFault: Error, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Both from 1.
        case malformed(line: Int, column: Int)
        case repeatedMember
        case longName
        case longNumber
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
