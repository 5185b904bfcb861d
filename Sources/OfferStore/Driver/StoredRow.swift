/// One row of an answer, copied.
public struct StoredRow: Sendable, Hashable {
    /// The columns in the order of the statement's list.
    public let values: [StoredValue]

    /// A row by its columns.
    public init(_ values: [StoredValue]) {
        self.values = values
    }
}

extension StoredRow {
    /// The column at that place, from 0.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is not there or of another type.
    public func value<Value: Storable>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
        guard values.indices.contains(index) else { throw StoreError.corrupt("a row has no column \(index)") }
        guard let value = Value(storedValue: values[index]) else { throw StoreError.invalid(index, Value.self) }
        return value
    }
}

/// The columns of a row that was copied.
final class CopiedColumns: StoredColumns {
    private let values: [StoredValue]

    init(_ row: StoredRow) {
        values = row.values
    }

    func isNull(_ index: Int) throws -> Bool {
        if case .null = try stored(index) { true } else { false }
    }

    func integer(_ index: Int) -> Int64? {
        guard values.indices.contains(index), case .integer(let value) = values[index] else { return nil }
        return value
    }

    func text(_ index: Int) -> String? {
        guard values.indices.contains(index), case .text(let value) = values[index] else { return nil }
        return value
    }

    func bytes(_ index: Int) -> [UInt8]? {
        guard values.indices.contains(index), case .blob(let value) = values[index] else { return nil }
        return value
    }

    func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard let bytes = bytes(index) else { return false }
        try bytes.withUnsafeBytes(body)
        return true
    }

    func stored(_ index: Int) throws -> StoredValue {
        guard values.indices.contains(index) else { throw StoreError.corrupt("a row has no column \(index)") }
        return values[index]
    }
}
