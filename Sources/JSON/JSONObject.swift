/// The members of an object in a text whose form is right.
///
/// Each value is read when it is asked for: a reader that needs little of a text from a stranger spends nothing on the
/// rest. Of several members with one name the first counts, and `null` counts as absent.
public struct JSONObject: Sendable {
    /// The value of a member is of another type than was asked for.
    public struct WrongType: Error {}

    private let bytes: [UInt8]
    /// Where each name is, or what it is if it has escapes, and where its value begins.
    private var members: [(name: Range<Int>, unescaped: String?, value: Int)] = []

    /// Checks a text and finds the members of the object that it is; `nil` for any other value.
    public init?(_ bytes: [UInt8], _ limits: JSONForm.Limits) throws(JSONFault) {
        try JSONForm.check(bytes, limits)
        var cursor = JSONCursor(bytes)
        self.init(&cursor)
    }

    private init?(_ cursor: inout JSONCursor) {
        guard cursor.take(UInt8(ascii: "{")) else { return nil }
        bytes = cursor.bytes
        members.reserveCapacity(32)
        while cursor.next() == UInt8(ascii: "\"") {
            let start = cursor.index
            var (name, unescaped) = (0..<0, String?.none)
            if let plain = cursor.plainText() {
                name = plain
            } else {
                cursor.index = start
                unescaped = cursor.text()
            }
            _ = cursor.take(UInt8(ascii: ":"))
            cursor.skipSpace()
            members.append((name, unescaped, cursor.index))
            cursor.skipValue()
            _ = cursor.take(UInt8(ascii: ","))
        }
    }

    /// Whether there is a member of that name, null or not.
    public func contains(_ name: String) -> Bool { cursor(at: name) != nil }

    /// Whether there is a member of that name that is not null.
    public func has(_ name: String) -> Bool { value(name) != nil }

    public func text(_ name: String) throws(WrongType) -> String? { try read(name) { $0.text() } }

    public func flag(_ name: String) throws(WrongType) -> Bool? { try read(name) { $0.flag() } }

    /// A whole number of 64 bits, however it is written.
    public func integer(_ name: String) throws(WrongType) -> Int64? {
        try read(name) { if case .whole(let whole) = $0.number() { whole } else { nil } }
    }

    /// A number without its fraction.
    public func roundedDown(_ name: String) throws(WrongType) -> Int64? {
        try read(name) { cursor in
            switch cursor.number() {
            case .whole(let whole): whole
            case .other(let number): Int64(exactly: number.rounded(.down))
            case nil: nil
            }
        }
    }

    public func double(_ name: String) throws(WrongType) -> Double? {
        try read(name) { cursor in
            switch cursor.number() {
            case .whole(let whole): Double(whole)
            case .other(let number): number
            case nil: nil
            }
        }
    }

    public func texts(_ name: String) throws(WrongType) -> [String]? {
        try read(name) { cursor in
            guard cursor.take(UInt8(ascii: "[")) else { return nil }
            var texts: [String] = []
            while cursor.next() != UInt8(ascii: "]") {
                guard let text = cursor.text() else { return nil }
                texts.append(text)
                _ = cursor.take(UInt8(ascii: ","))
            }
            return texts
        }
    }

    public func object(_ name: String) throws(WrongType) -> JSONObject? { try read(name) { JSONObject(&$0) } }

    private func read<Value>(_ name: String, _ take: (inout JSONCursor) -> Value?) throws(WrongType) -> Value? {
        guard var cursor = value(name) else { return nil }
        guard let value = take(&cursor) else { throw WrongType() }
        return value
    }

    private func value(_ name: String) -> JSONCursor? {
        cursor(at: name).flatMap { $0.peek == UInt8(ascii: "n") ? nil : $0 }
    }

    private func cursor(at name: String) -> JSONCursor? {
        let length = name.utf8.count
        let member = members.first { member in
            if let unescaped = member.unescaped { return unescaped.utf8.elementsEqual(name.utf8) }
            return member.name.count == length && bytes[member.name].elementsEqual(name.utf8)
        }
        guard let member else { return nil }
        var cursor = JSONCursor(bytes)
        cursor.index = member.value
        return cursor
    }
}
