/// Checks the form of a JSON text (RFC 8259) before anything is decoded from it.
///
/// A decoder alone would take the first of two members of one name, and could be made to recurse deeply. Here both are
/// refused, and a misplaced byte is named.
struct JSONForm {
    /// How deeply arrays and objects may nest; no request needs more than four levels.
    static let maximumDepth = 32
    /// How long a number may be written; the longest that a 64-bit float needs is shorter.
    static let maximumNumberLength = 64

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Checks that the bytes are exactly one JSON value in UTF-8.
    ///
    /// - Throws: ``RequestFault`` at the first byte that is wrong.
    static func check(_ bytes: [UInt8]) throws(RequestFault) {
        guard !bytes.isEmpty else {
            throw RequestFault(.root, .malformedJson, "the body is empty", hint: "send a JSON object")
        }
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw fault(in: bytes, at: error.byteOffsets.lowerBound, "this is not UTF-8", .root)
        }
        var form = JSONForm(bytes)
        form.skipSpace()
        try form.value(.root, depth: 0)
        form.skipSpace()
        guard form.index == bytes.count else { throw form.fault("nothing may follow the value", .root) }
    }

    private mutating func value(_ pointer: JSONPointer, depth: Int) throws(RequestFault) {
        switch peek {
        case UInt8(ascii: "{"): try object(pointer, depth: depth + 1)
        case UInt8(ascii: "["): try array(pointer, depth: depth + 1)
        case UInt8(ascii: "\""): _ = try string(pointer)
        case UInt8(ascii: "t"): try word("true", pointer)
        case UInt8(ascii: "f"): try word("false", pointer)
        case UInt8(ascii: "n"): try word("null", pointer)
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): try number(pointer)
        default: throw fault("a value must stand here", pointer)
        }
    }

    private mutating func object(_ pointer: JSONPointer, depth: Int) throws(RequestFault) {
        try enter(pointer, depth: depth)
        var seen = Set<[UInt8]>()
        guard !skip(UInt8(ascii: "}")) else { return }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw fault("a member's name must stand here", pointer) }
            let name = try string(pointer)
            let member = pointer.appending(String(decoding: name, as: UTF8.self))
            guard seen.insert(name).inserted else {
                throw RequestFault(member, .duplicateMember, "this member is given twice")
            }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw fault("`:` must stand here", member) }
            skipSpace()
            try value(member, depth: depth)
            skipSpace()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw fault("`,` or `}` must stand here", pointer) }
    }

    private mutating func array(_ pointer: JSONPointer, depth: Int) throws(RequestFault) {
        try enter(pointer, depth: depth)
        guard !skip(UInt8(ascii: "]")) else { return }
        var place = 0
        repeat {
            skipSpace()
            try value(pointer.appending(place), depth: depth)
            place += 1
            skipSpace()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw fault("`,` or `]` must stand here", pointer) }
    }

    private mutating func enter(_ pointer: JSONPointer, depth: Int) throws(RequestFault) {
        guard depth <= Self.maximumDepth else {
            throw fault("the value nests deeper than \(Self.maximumDepth) levels", pointer)
        }
        index += 1
        skipSpace()
    }

    /// The string's bytes, escapes resolved.
    private mutating func string(_ pointer: JSONPointer) throws(RequestFault) -> [UInt8] {
        index += 1
        var text = [UInt8]()
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return text
            case UInt8(ascii: "\\"):
                text += try escape(pointer)
            case 0..<0x20:
                throw fault("a control character must be escaped", pointer)
            default:
                text.append(byte)
                index += 1
            }
        }
        throw fault("the text does not end", pointer)
    }

    private mutating func escape(_ pointer: JSONPointer) throws(RequestFault) -> [UInt8] {
        index += 1
        let byte = peek
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return byte.map { [$0] } ?? []
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = try codeUnit(pointer)
            if (0xD800...0xDBFF).contains(code), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
                let low = try codeUnit(pointer)
                guard (0xDC00...0xDFFF).contains(low) else { throw fault("half a surrogate pair", pointer) }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair", pointer) }
            return Array(String(Character(scalar)).utf8)
        default:
            throw fault("no such escape", pointer)
        }
    }

    private mutating func codeUnit(_ pointer: JSONPointer) throws(RequestFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits must stand here", pointer)
            }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }

    private mutating func number(_ pointer: JSONPointer) throws(RequestFault) {
        let start = index
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits(pointer) }
        if skip(UInt8(ascii: ".")) { try digits(pointer) }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try digits(pointer)
        }
        guard index - start <= Self.maximumNumberLength else {
            throw RequestFault(pointer, .invalidValue, "a number has at most \(Self.maximumNumberLength) characters")
        }
    }

    private mutating func digits(_ pointer: JSONPointer) throws(RequestFault) {
        let start = index
        while let byte = peek, isDigit(byte) { index += 1 }
        guard index > start else { throw fault("a digit must stand here", pointer) }
    }

    private mutating func word(_ word: String, _ pointer: JSONPointer) throws(RequestFault) {
        for byte in word.utf8 where !skip(byte) { throw fault("a value must stand here", pointer) }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private func fault(_ detail: String, _ pointer: JSONPointer) -> RequestFault {
        Self.fault(in: bytes, at: index, detail, pointer)
    }

    private static func fault(
        in bytes: [UInt8], at offset: Int, _ detail: String, _ pointer: JSONPointer
    ) -> RequestFault {
        let before = bytes[..<min(offset, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return RequestFault(errors: [
            ProblemErrorBody(
                pointer: pointer.description, line: before.count { $0 == 0x0A } + 1,
                column: before.count - lineStart + 1, code: RequestErrorCode.malformedJson.rawValue,
                detail: "byte \(before.count): \(detail)")
        ])
    }
}
