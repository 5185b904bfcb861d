/// The members of a payload in the plainest form: texts without escapes, whole numbers, booleans, null, and objects of
/// these. Apple writes nearly every payload so. It accepts nothing that a decoder would refuse; everything else falls back
/// to one.
struct FastPathPayload {
    enum Value {
        case null
        case boolean(Bool)
        case integer(Int64)
        case text(String)
        case object(FastPathPayload)
    }

    private var members: [(name: Range<Int>, value: Value)] = []
    private let bytes: [UInt8]

    /// How deep objects may nest; Apple's nest twice.
    private static let depth = 4

    /// The most members of an object; Apple's have about forty. They are compared with each other, before any signature is
    /// checked.
    private static let count = 64

    init?(_ bytes: [UInt8]) {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { return nil }
        var cursor = Cursor(bytes: bytes)
        guard let payload = FastPathPayload(&cursor, depth: 1), cursor.isAtEnd else { return nil }
        self = payload
    }

    fileprivate init?(_ cursor: inout Cursor, depth: Int) {
        bytes = cursor.bytes
        guard depth <= Self.depth, cursor.take(UInt8(ascii: "{")) else { return nil }
        if cursor.take(UInt8(ascii: "}")) { return }
        members.reserveCapacity(32)
        repeat {
            // The decoder decides which of two members with one name counts.
            guard members.count < Self.count, let name = cursor.text(), place(of: bytes[name]) == nil,
                cursor.take(UInt8(ascii: ":")),
                let value = Value(&cursor, depth: depth)
            else { return nil }
            members.append((name, value))
        } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "}")) else { return nil }
    }

    subscript(name: String) -> Value? {
        place(of: name.utf8).map { members[$0].value }
    }

    private func place(of name: some Collection<UInt8>) -> Int? {
        let length = name.count
        return members.firstIndex { $0.name.count == length && bytes[$0.name].elementsEqual(name) }
    }
}

extension FastPathPayload.Value {
    fileprivate init?(_ cursor: inout Cursor, depth: Int) {
        switch cursor.next() {
        case UInt8(ascii: "\""):
            guard let text = cursor.text() else { return nil }
            self = .text(String(decoding: cursor.bytes[text], as: UTF8.self))
        case UInt8(ascii: "{"):
            guard let object = FastPathPayload(&cursor, depth: depth + 1) else { return nil }
            self = .object(object)
        case UInt8(ascii: "t"): if cursor.take("true") { self = .boolean(true) } else { return nil }
        case UInt8(ascii: "f"): if cursor.take("false") { self = .boolean(false) } else { return nil }
        case UInt8(ascii: "n"): if cursor.take("null") { self = .null } else { return nil }
        default:
            guard let integer = cursor.integer() else { return nil }
            self = .integer(integer)
        }
    }
}

private struct Cursor {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { mutating get { next() == nil } }

    /// The next byte that is not white space.
    mutating func next() -> UInt8? {
        while index < bytes.count {
            let byte = bytes[index]
            if byte != 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 { return byte }
            index += 1
        }
        return nil
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        index += 1
        return true
    }

    mutating func take(_ word: String) -> Bool {
        guard bytes[index...].starts(with: word.utf8) else { return false }
        index += word.utf8.count
        return true
    }

    mutating func text() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\\") else { return nil }
            index += 1
        }
        guard index < bytes.count else { return nil }
        index += 1
        return start..<index - 1
    }

    /// A whole number that fits 64 bits for certain.
    mutating func integer() -> Int64? {
        let isNegative = take(UInt8(ascii: "-"))
        let start = index
        var number: Int64 = 0
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            guard index - start < 18 else { return nil }
            number = number * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        let digits = index - start
        // What goes on as a fraction or an exponent is followed by neither a comma nor a bracket, and so falls back.
        guard digits > 0, digits == 1 || bytes[start] != 0x30 else { return nil }
        return isNegative ? -number : number
    }
}
