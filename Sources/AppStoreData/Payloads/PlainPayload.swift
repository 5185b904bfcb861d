import JSON

/// The members of a payload in the plainest form: texts without escapes, whole numbers, yes or no, null, and objects of
/// these.
///
/// Apple writes nearly every payload so, and it is gone through once for all of its members. It accepts nothing that a
/// decoder would refuse; whatever is not plain is left to one.
struct PlainPayload {
    /// The value of a member.
    enum Value {
        case null
        case boolean(Bool)
        case integer(Int64)
        case text(String)
        case object(PlainPayload)
    }

    private var members: [(name: Range<Int>, value: Value)] = []
    private let bytes: [UInt8]

    /// How deep objects stand in one another at most; Apple's do twice.
    private static let depth = 4

    /// How many members an object has at most; Apple's have some forty. They are compared with each other, and a stranger's
    /// payload is read before its signature is judged.
    private static let count = 64

    /// The members; `nil` if the bytes are not one object of the plain form in UTF-8.
    init?(_ bytes: [UInt8]) {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { return nil }
        var cursor = JSONCursor(bytes)
        guard let payload = PlainPayload(&cursor, depth: 1), cursor.isAtEnd else { return nil }
        self = payload
    }

    fileprivate init?(_ cursor: inout JSONCursor, depth: Int) {
        bytes = cursor.bytes
        guard depth <= Self.depth, cursor.take(UInt8(ascii: "{")) else { return nil }
        if cursor.take(UInt8(ascii: "}")) { return }
        members.reserveCapacity(32)
        repeat {
            // Which of two members of one name counts is the decoder's to say.
            guard members.count < Self.count, let name = cursor.plainText(), place(of: bytes[name]) == nil,
                cursor.take(UInt8(ascii: ":")),
                let value = Value(&cursor, depth: depth)
            else { return nil }
            members.append((name, value))
        } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "}")) else { return nil }
    }

    /// The value of a member; `nil` if there is none of the name.
    subscript(name: String) -> Value? {
        place(of: name.utf8).map { members[$0].value }
    }

    private func place(of name: some Collection<UInt8>) -> Int? {
        let length = name.count
        return members.firstIndex { $0.name.count == length && bytes[$0.name].elementsEqual(name) }
    }
}

extension PlainPayload.Value {
    fileprivate init?(_ cursor: inout JSONCursor, depth: Int) {
        switch cursor.next() {
        case UInt8(ascii: "\""):
            guard let text = cursor.plainText() else { return nil }
            self = .text(String(decoding: cursor.bytes[text], as: UTF8.self))
        case UInt8(ascii: "{"):
            guard let object = PlainPayload(&cursor, depth: depth + 1) else { return nil }
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
