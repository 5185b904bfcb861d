import JSON

/// The members of a payload in the plainest form: texts without escapes, whole numbers, booleans, null, and objects of
/// these. Apple writes nearly every payload so. It accepts nothing that a decoder would refuse; everything else falls
/// back to one.
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

    /// The most members of an object; Apple's have about forty. They are compared with each other, before any signature
    /// is checked.
    private static let count = 64

    init?(_ bytes: [UInt8]) {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { return nil }
        var cursor = JSONCursor(bytes)
        guard let payload = FastPathPayload(&cursor, depth: 1), cursor.isAtEnd else { return nil }
        self = payload
    }

    fileprivate init?(_ cursor: inout JSONCursor, depth: Int) {
        bytes = cursor.bytes
        guard depth <= Self.depth, cursor.take(UInt8(ascii: "{")) else { return nil }
        if cursor.take(UInt8(ascii: "}")) { return }
        members.reserveCapacity(32)
        repeat {
            // The decoder decides which of two members with one name counts.
            guard members.count < Self.count, let name = cursor.plainText(), place(of: bytes[name]) == nil,
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
    fileprivate init?(_ cursor: inout JSONCursor, depth: Int) {
        switch cursor.next() {
        case UInt8(ascii: "\""):
            guard let text = cursor.plainText() else { return nil }
            self = .text(String(decoding: cursor.bytes[text], as: UTF8.self))
        case UInt8(ascii: "{"):
            guard let object = FastPathPayload(&cursor, depth: depth + 1) else { return nil }
            self = .object(object)
        case UInt8(ascii: "t"): if cursor.take("true") { self = .boolean(true) } else { return nil }
        case UInt8(ascii: "f"): if cursor.take("false") { self = .boolean(false) } else { return nil }
        case UInt8(ascii: "n"): if cursor.take("null") { self = .null } else { return nil }
        default:
            let isNegative = cursor.take(UInt8(ascii: "-"))
            guard let magnitude = cursor.digits(atMost: 18) else { return nil }
            self = .integer(isNegative ? -magnitude : magnitude)
        }
    }
}
