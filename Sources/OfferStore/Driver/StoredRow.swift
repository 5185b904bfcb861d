/// One row of an answer, copied.
public struct StoredRow: Sendable, Hashable {
    /// The columns in the order of the statement's list.
    public let values: [StoredValue]

    /// A row by its columns.
    public init(_ values: [StoredValue]) {
        self.values = values
    }
}

extension StoredRow: StoredColumns {
    /// Whether a column holds no value.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if the row has no such column.
    public func isNull(_ index: Int) throws -> Bool {
        if case .null = try stored(index) { true } else { false }
    }

    /// The integer of a column; `nil` if it holds something else, or is not there.
    public func integer(_ index: Int) -> Int64? {
        guard values.indices.contains(index), case .integer(let value) = values[index] else { return nil }
        return value
    }

    /// The text of a column; `nil` if it holds something else, or is not there.
    public func text(_ index: Int) -> String? {
        guard values.indices.contains(index), case .text(let value) = values[index] else { return nil }
        return value
    }

    /// The bytes of a column; `nil` if it holds something else, or is not there.
    public func bytes(_ index: Int) -> [UInt8]? {
        guard values.indices.contains(index), case .blob(let value) = values[index] else { return nil }
        return value
    }

    /// The value of a column, whatever it is.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if the row has no such column.
    public func stored(_ index: Int) throws -> StoredValue {
        guard values.indices.contains(index) else { throw StoreError.corrupt("a row has no column \(index)") }
        return values[index]
    }
}
