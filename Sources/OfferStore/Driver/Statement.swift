/// SQL text with `?1` placeholders, and the values for them.
///
/// Numbered placeholders mean the same to every engine; `$1` would be a name to SQLite and bind by first appearance.
public struct Statement: Sendable, Hashable {
    /// The text; drivers keep one prepared statement for each.
    public let sql: String
    /// The value of `?1` first.
    public let values: [StoredValue]

    /// A statement with a list of values.
    public init(_ sql: String, values: [StoredValue]) {
        self.sql = sql
        self.values = values
    }

    /// A statement with its values in order.
    public init<each Value: Storable>(_ sql: String, _ value: repeat each Value) {
        self.sql = sql
        var values = [StoredValue]()
        repeat values.append((each value).storedValue)
        self.values = values
    }

    /// `?3, ?4, ?5` for three values after two others.
    static func placeholders(_ count: Int, after first: Int = 0) -> String {
        var text = ""
        for index in 0..<count {
            text += index == 0 ? "?\(first + index + 1)" : ", ?\(first + index + 1)"
        }
        return text
    }
}

/// One value of a column, in the only types that every engine has.
public enum StoredValue: Sendable, Hashable {
    /// No value.
    case null
    /// A 64-bit integer; also times in milliseconds, and 0 and 1 for no and yes.
    case integer(Int64)
    /// Text; also UUIDs, in lower case.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}
