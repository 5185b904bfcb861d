/// The columns of the row that a running statement stands at; valid only until the statement goes on.
///
/// What is asked for is read straight from the engine, and nothing else of the row is copied.
///
/// A class, so that whoever reads many columns holds one reference, not a box of unknown size.
public protocol StoredColumns: AnyObject {
    /// Whether a column holds no value.
    ///
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
    /// - Throws: what the body throws.
    func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool

    /// The value of a column, whatever it is.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if the row has no such column, or it is of none of our types.
    func stored(_ index: Int) throws -> StoredValue
}

extension StoredColumns {
    /// The column at that place, from 0.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is not there or of another type.
    public func value<Value: Storable>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
        guard let value = try Value(self, at: index) else {
            _ = try stored(index)
            throw StoreError.invalid(index, Value.self)
        }
        return value
    }
}

extension StoreError {
    /// A column holds something else than what is read of it.
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

    init(_ row: StoredRow) {
        columns = CopiedColumns(row)
    }

    /// The next column.
    mutating func next<Value: Storable>(_ type: Value.Type = Value.self) throws -> Value {
        defer { index += 1 }
        guard let value = try Value(columns, at: index) else {
            // Says what is wrong in the same words.
            return try columns.value(index)
        }
        return value
    }

    /// Runs a body with the bytes of the next column.
    mutating func nextBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        defer { index += 1 }
        guard try columns.withBytes(index, body) else { throw StoreError.invalid(index, [UInt8].self) }
    }
}
