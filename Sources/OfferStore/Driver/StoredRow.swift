/// One row of an answer.
public struct StoredRow: Sendable, Hashable {
    /// The columns in the order of the statement's list.
    public let values: [StoredValue]

    /// A row by its columns.
    public init(_ values: [StoredValue]) {
        self.values = values
    }

    /// The column at that place, from 0.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is not there or of another type.
    public func value<Value: Storable>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
        guard values.indices.contains(index) else { throw StoreError.corrupt("a row has no column \(index)") }
        guard let value = Value(storedValue: values[index]) else {
            throw StoreError.corrupt("column \(index) does not hold a valid \(Value.self)")
        }
        return value
    }
}

/// Reads the columns of a row one after the other, in the order of the statement's list.
struct RowReader {
    private let row: StoredRow
    private var index = 0

    init(_ row: StoredRow) {
        self.row = row
    }

    /// The next column.
    mutating func next<Value: Storable>(_ type: Value.Type = Value.self) throws -> Value {
        defer { index += 1 }
        return try row.value(index)
    }
}
