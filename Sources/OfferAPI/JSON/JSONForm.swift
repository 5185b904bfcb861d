/// Checks the form of a JSON text (RFC 8259) before anything is decoded from it.
///
/// A decoder alone would take the first of two members of one name, and could be made to recurse deeply. Here both are
/// refused, and a misplaced byte is named.
struct JSONForm {
    let limits: JSONLimits
    let bytes: [UInt8]
    var index = 0
    /// The way to the value being read; the pointer's text is built only for a fault, because building it for every
    /// value takes time that grows with the square of the body.
    private var path: [JSONStep] = []

    private init(_ bytes: [UInt8], _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Checks that the bytes are exactly one JSON value in UTF-8, within the limits.
    ///
    /// - Throws: ``RequestFault`` at the first byte that is wrong.
    static func check(_ bytes: [UInt8], _ limits: JSONLimits) throws(RequestFault) {
        guard !bytes.isEmpty else {
            throw RequestFault(.root, .malformedJson, "the body is empty", hint: "send a JSON object")
        }
        var form = JSONForm(bytes, limits)
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            form.index = error.byteOffsets.lowerBound
            throw form.fault("this is not UTF-8")
        }
        form.skipSpace()
        try form.value(depth: 0)
        form.skipSpace()
        guard form.index == bytes.count else { throw form.fault("nothing may follow the value") }
    }

    private mutating func value(depth: Int) throws(RequestFault) {
        switch peek {
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): try number()
        default: throw fault("a value must stand here")
        }
    }

    private mutating func object(depth: Int) throws(RequestFault) {
        try enter(depth: depth)
        var seen = Set<[UInt8]>()
        guard !skip(UInt8(ascii: "}")) else { return }
        repeat {
            skipSpace()
            let name = try self.name()
            path.append(.member(name))
            guard limits.allowsRepeatedMembers || seen.insert(name).inserted else {
                throw RequestFault(pointer, .duplicateMember, "this member is given twice")
            }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw fault("`:` must stand here") }
            skipSpace()
            try value(depth: depth)
            path.removeLast()
            skipSpace()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw fault("`,` or `}` must stand here") }
    }

    private mutating func name() throws(RequestFault) -> [UInt8] {
        guard peek == UInt8(ascii: "\"") else { throw fault("a member's name must stand here") }
        let name = try string()
        guard name.count <= limits.nameLength else {
            throw RequestFault(
                pointer, .invalidLength, "a member's name has at most \(limits.nameLength) bytes, one here has more")
        }
        return name
    }

    private mutating func array(depth: Int) throws(RequestFault) {
        try enter(depth: depth)
        guard !skip(UInt8(ascii: "]")) else { return }
        var place = 0
        repeat {
            skipSpace()
            path.append(.element(place))
            try value(depth: depth)
            path.removeLast()
            place += 1
            skipSpace()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw fault("`,` or `]` must stand here") }
    }

    private mutating func enter(depth: Int) throws(RequestFault) {
        guard depth <= limits.depth else { throw fault("the value nests deeper than \(limits.depth) levels") }
        index += 1
        skipSpace()
    }

    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    var pointer: JSONPointer { JSONPointer(path) }

    func fault(_ detail: String) -> RequestFault {
        let before = bytes[..<min(index, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return RequestFault(errors: [
            ProblemErrorBody(
                pointer: pointer.description, line: before.count { $0 == 0x0A } + 1,
                column: before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1,
                code: RequestErrorCode.malformedJson.rawValue, detail: "byte \(before.count): \(detail)")
        ])
    }
}

extension JSONForm {
    /// The string's bytes, escapes resolved.
    mutating func string() throws(RequestFault) -> [UInt8] {
        index += 1
        var text = [UInt8]()
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return text
            case UInt8(ascii: "\\"):
                text += try escape()
            case 0..<0x20:
                throw fault("a control character must be escaped")
            default:
                text.append(byte)
                index += 1
            }
        }
        throw fault("the text does not end")
    }

    private mutating func escape() throws(RequestFault) -> [UInt8] {
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
            var code = try codeUnit()
            if (0xD800...0xDBFF).contains(code), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
                let low = try codeUnit()
                guard (0xDC00...0xDFFF).contains(low) else { throw fault("half a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair") }
            return Array(String(Character(scalar)).utf8)
        default:
            throw fault("no such escape")
        }
    }

    private mutating func codeUnit() throws(RequestFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits must stand here")
            }
            code = code << 4 | UInt32(truncatingIfNeeded: digit)
            index += 1
        }
        return code
    }

    mutating func number() throws(RequestFault) {
        let start = index
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits() }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try digits()
        }
        guard index - start <= limits.numberLength else {
            throw RequestFault(pointer, .invalidValue, "a number has at most \(limits.numberLength) characters")
        }
    }

    private mutating func digits() throws(RequestFault) {
        let start = index
        while let byte = peek, isDigit(byte) { index += 1 }
        guard index > start else { throw fault("a digit must stand here") }
    }

    mutating func word(_ word: String) throws(RequestFault) {
        for byte in word.utf8 where !skip(byte) { throw fault("a value must stand here") }
    }
}

/// How much of each a JSON text may hold.
struct JSONLimits {
    let depth: Int
    /// How many bytes a member's name may have, escapes resolved.
    let nameLength: Int
    let numberLength: Int
    /// Whether a repeated member is left to the next reader.
    let allowsRepeatedMembers: Bool

    /// A request: none needs more than four levels, and the longest number that a 64-bit float needs is shorter.
    static let request = JSONLimits(depth: 32, nameLength: 255, numberLength: 64, allowsRepeatedMembers: false)
    /// A document whose own reader is as strict, and says more about what is wrong; the depth only bounds the recursion.
    static let document = JSONLimits(
        depth: 256, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)
}

/// One step of the way into a JSON text.
enum JSONStep {
    case member([UInt8])
    case element(Int)
}
