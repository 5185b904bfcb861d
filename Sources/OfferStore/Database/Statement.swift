/// SQL text with `?1` placeholders, and the values for them.
///
/// Numbered placeholders mean the same to every engine; `$1` would be a name to SQLite and bind by first appearance.
public struct Statement: Sendable, Hashable {
    /// The text; drivers keep one prepared statement for each.
    public let sql: String
    /// The value of `?1` first.
    public let values: [StoredValue]

    public init(_ sql: String, values: [StoredValue]) {
        self.sql = sql
        self.values = values
    }

    /// - Parameter list: values for each `?*` in the text, after the others; without any the text has NULL there, which
    ///   equals nothing.
    public init<each Value: Storable>(_ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil) {
        let values = [StoredValue].of(repeat each value)
        if let list {
            self.init(Self.text(sql, list.count, after: values.count), values: values + list)
        } else {
            self.init(sql, values: values)
        }
    }

    /// A text with the placeholders of a list, such as `?3, ?4, ?5` for three values after two others.
    fileprivate static func text(_ sql: String, _ count: Int, after first: Int) -> String {
        let places = placeholders(count, after: first)
        var text: [UInt8] = []
        for byte in sql.utf8 {
            if byte == UInt8(ascii: "*"), text.last == UInt8(ascii: "?") {
                text.removeLast()
                text += places.utf8
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether it changes nothing.
    public var onlyAsks: Bool { sql.hasPrefix("SELECT") || sql.hasPrefix("WITH") }

    static func placeholders(_ count: Int, after first: Int = 0) -> String {
        count == 0 ? "NULL" : (1...count).map { "?\(first + $0)" }.joined(separator: ", ")
    }
}

/// One value of a column, in the only types that every engine has.
public enum StoredValue: Sendable, Hashable {
    case null
    /// A 64-bit integer; also times in milliseconds, and 0 and 1 for no and yes.
    case integer(Int64)
    /// Text; also UUIDs, in lower case.
    case text(String)
    case blob([UInt8])
}

extension [StoredValue] {
    @inline(__always)
    static func of<each Value: Storable>(_ value: repeat each Value) -> [StoredValue] {
        var values = [StoredValue]()
        repeat values.append((each value).storedValue)
        return values
    }
}

/// The text of a statement with a list of values, `?*`, made once for the usual length, one.
struct ListedSQL: Sendable {
    private let sql: String
    private let first: Int
    private let one: String

    /// - Parameter first: how many other values come before the list's.
    init(_ sql: String, after first: Int = 0) {
        self.sql = sql
        self.first = first
        one = Statement.text(sql, 1, after: first)
    }

    /// The statement for a list of any length: its last value is repeated up to the next power of two, so that few texts
    /// are kept prepared.
    func statement(_ values: [StoredValue] = [], list: [StoredValue]) -> Statement {
        var list = list
        while let last = list.last, list.count & (list.count - 1) != 0 { list.append(last) }
        return Statement(list.count == 1 ? one : Statement.text(sql, list.count, after: first), values: values + list)
    }
}

/// The columns of the row at which a running statement is; valid only until its next step.
///
/// Requested columns are read straight from the engine, and nothing else of the row is copied.
///
/// A class, so that a reader of many columns holds one reference, not a box of unknown size.
public protocol StoredColumns: AnyObject {
    /// - Throws: ``StoreError/corrupt(_:)`` if the row has no such column.
    func isNull(_ index: Int) throws -> Bool

    /// The integer of a column; `nil` if it holds something else, or is not there.
    func integer(_ index: Int) -> Int64?

    /// The text of a column; `nil` if it holds something else, or is not there.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is not UTF-8.
    func text(_ index: Int) throws -> String?

    /// The bytes of a column; `nil` if it holds something else, or is not there.
    func bytes(_ index: Int) -> [UInt8]?

    /// Runs a body with the bytes of a column where the engine has them, which is there no longer than the body runs.
    ///
    /// - Returns: `false`, and nothing was run, if the column holds something else, or is not there.
    func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool

    /// The value of a column, whatever it is.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if the row has no such column, or it is of none of our types.
    func stored(_ index: Int) throws -> StoredValue
}

// Inlined, like the readers of rows below, so that the types are known where they are read.

extension StoredColumns {
    @inline(__always)
    public func value<Value: Storable>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
        guard let value = try Value(self, at: index) else {
            _ = try stored(index)
            throw StoreError.invalid(index, Value.self)
        }
        return value
    }
}

extension StoreError {
    static func invalid(_ index: Int, _ type: Any.Type) -> StoreError {
        .corrupt("column \(index) does not hold a valid \(type)")
    }
}

/// Reads the columns of a row one after the other, in the order of the statement's list.
struct RowReader {
    private let columns: any StoredColumns
    private var index = 0

    init(_ columns: any StoredColumns) {
        self.columns = columns
    }

    @inline(__always)
    mutating func next<Value: Storable>(_ type: Value.Type = Value.self) throws -> Value {
        defer { index += 1 }
        guard let value = try Value(columns, at: index) else {
            // Says what is wrong in the same words.
            return try columns.value(index)
        }
        return value
    }

    mutating func nextBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        defer { index += 1 }
        guard try columns.withBytes(index, body) else { throw StoreError.invalid(index, [UInt8].self) }
    }
}

/// A row that was copied from the engine.
public final class StoredRow: StoredColumns, Sendable, Hashable {
    public let values: [StoredValue]

    public init(_ values: [StoredValue]) {
        self.values = values
    }

    public static func == (left: StoredRow, right: StoredRow) -> Bool { left.values == right.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    private subscript(index: Int) -> StoredValue? { values.indices.contains(index) ? values[index] : nil }

    public func isNull(_ index: Int) throws -> Bool { try stored(index) == .null }

    public func integer(_ index: Int) -> Int64? {
        if case .integer(let value)? = self[index] { value } else { nil }
    }

    public func text(_ index: Int) -> String? {
        if case .text(let value)? = self[index] { value } else { nil }
    }

    public func bytes(_ index: Int) -> [UInt8]? {
        if case .blob(let value)? = self[index] { value } else { nil }
    }

    public func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        try bytes(index)?.withUnsafeBytes(body) != nil
    }

    public func stored(_ index: Int) throws -> StoredValue {
        guard let value = self[index] else { throw StoreError.corrupt("a row has no column \(index)") }
        return value
    }
}

extension StoreTransaction {
    @inline(__always)
    func all<Row: TableRow, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [Row] {
        try Statement(sql, repeat each value, list: list).all(in: self) { try Row(reading: &$0) }
    }

    @inline(__always)
    func first<Row: TableRow, each Value: Storable>(_ sql: String, _ value: repeat each Value) throws -> Row? {
        try Statement(sql, repeat each value).first(in: self) { try Row(reading: &$0) }
    }

    /// Rows of two columns, of which the first differs from row to row.
    @inline(__always)
    func dictionary<Key: Storable & Hashable, Content: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [Key: Content] {
        let rows: [(Key, Content)] = try all(sql, repeat each value, list: list)
        return Dictionary(rows) { first, _ in first }
    }
}

// Rows of a few columns, each as a tuple of their values. Not with a pack of the columns' types: Swift 6.3 reads the
// types of one from a wrong place where it optimises the closure that reads them.

extension StoreTransaction {
    @inline(__always)
    func all<A: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [A] {
        try Statement(sql, repeat each value, list: list).all(in: self) { try $0.next() }
    }

    @inline(__always)
    func all<A: Storable, B: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [(A, B)] {
        try Statement(sql, repeat each value, list: list).all(in: self) { (try $0.next(), try $0.next()) }
    }

    @inline(__always)
    func all<A: Storable, B: Storable, C: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [(A, B, C)] {
        try Statement(sql, repeat each value, list: list).all(in: self) {
            (try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func all<A: Storable, B: Storable, C: Storable, D: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [(A, B, C, D)] {
        try Statement(sql, repeat each value, list: list).all(in: self) {
            (try $0.next(), try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func all<A: Storable, B: Storable, C: Storable, D: Storable, E: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [(A, B, C, D, E)] {
        try Statement(sql, repeat each value, list: list).all(in: self) {
            (try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func all<A: Storable, B: Storable, C: Storable, D: Storable, E: Storable, F: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [(A, B, C, D, E, F)] {
        try Statement(sql, repeat each value, list: list).all(in: self) {
            (try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func all<
        A: Storable, B: Storable, C: Storable, D: Storable, E: Storable, F: Storable, G: Storable, each Value: Storable
    >(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [(A, B, C, D, E, F, G)] {
        try Statement(sql, repeat each value, list: list).all(in: self) {
            (try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func first<A: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> A? {
        try Statement(sql, repeat each value, list: list).first(in: self) { try $0.next() }
    }

    @inline(__always)
    func first<A: Storable, B: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> (A, B)? {
        try Statement(sql, repeat each value, list: list).first(in: self) { (try $0.next(), try $0.next()) }
    }

    @inline(__always)
    func first<A: Storable, B: Storable, C: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> (A, B, C)? {
        try Statement(sql, repeat each value, list: list).first(in: self) {
            (try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func first<A: Storable, B: Storable, C: Storable, D: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> (A, B, C, D)? {
        try Statement(sql, repeat each value, list: list).first(in: self) {
            (try $0.next(), try $0.next(), try $0.next(), try $0.next())
        }
    }

    @inline(__always)
    func first<A: Storable, B: Storable, C: Storable, D: Storable, E: Storable, each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> (A, B, C, D, E)? {
        try Statement(sql, repeat each value, list: list).first(in: self) {
            (try $0.next(), try $0.next(), try $0.next(), try $0.next(), try $0.next())
        }
    }
}

// Inlined, and methods of the statement, because the type of the transaction is unknown: so what is read is known where
// it is read. Rows have dozens of columns, and generic code would look up the type of each.

extension Statement {
    @inline(__always)
    func all<T>(in transaction: any StoreTransaction, _ read: (inout RowReader) throws -> T) throws -> [T] {
        var all = [T]()
        try transaction.each(self) { columns in
            var reader = RowReader(columns)
            all.append(try read(&reader))
        }
        return all
    }

    @inline(__always)
    func first<T>(in transaction: any StoreTransaction, _ read: (inout RowReader) throws -> T) throws -> T? {
        var first: T?
        try transaction.each(self) { columns in
            guard first == nil else { return }
            var reader = RowReader(columns)
            first = try read(&reader)
        }
        return first
    }
}
