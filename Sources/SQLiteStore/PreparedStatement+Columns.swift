import CSQLite
import OfferStore

extension PreparedStatement: StoredColumns {
    /// Longer texts hardly ever repeat.
    private static let longestRepeated = 64

    /// A value of the row, to be asked what it is and read without one more look at the statement each time.
    ///
    /// SQLite calls it unprotected: to be read by one thread at a time, as statements here are.
    private func value(_ index: Int) -> OpaquePointer? { sqlite3_column_value(handle, CInt(clamping: index)) }

    func isNull(_ index: Int) throws -> Bool {
        guard index >= 0, index < columnCount else { throw StoreError.corrupt("a row has no column \(index)") }
        return sqlite3_value_type(value(index)) == SQLITE_NULL
    }

    func integer(_ index: Int) -> Int64? {
        // SQLite answers for a column that is not there as for null.
        let value = value(index)
        guard sqlite3_value_type(value) == SQLITE_INTEGER else { return nil }
        return sqlite3_value_int64(value)
    }

    func text(_ index: Int) throws -> String? {
        let value = value(index)
        guard sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
        // In this order: the length is that of the text as it was asked for.
        guard let start = sqlite3_value_text(value) else { throw StoreError.unavailable("no memory is left") }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        guard bytes.count <= Self.longestRepeated, index < columnCount else { return try Self.text(bytes, index) }
        if Self.isSame(recentTexts[index], bytes) { return recentTexts[index] }
        let text = try Self.text(bytes, index)
        recentTexts[index] = text
        return text
    }

    func bytes(_ index: Int) -> [UInt8]? {
        let value = value(index)
        guard sqlite3_value_type(value) == SQLITE_BLOB else { return nil }
        // No address for no bytes.
        guard let start = sqlite3_value_blob(value) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        let value = value(index)
        guard sqlite3_value_type(value) == SQLITE_BLOB else { return false }
        try body(UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value))))
        return true
    }

    func stored(_ index: Int) throws -> StoredValue {
        if try isNull(index) { return .null }
        if let integer = integer(index) { return .integer(integer) }
        if let text = try text(index) { return .text(text) }
        if let bytes = bytes(index) { return .blob(bytes) }
        throw StoreError.corrupt("a column holds a floating-point number")
    }

    /// The row, copied.
    func row() throws -> StoredRow {
        var values = [StoredValue]()
        values.reserveCapacity(columnCount)
        for index in 0..<columnCount { values.append(try stored(index)) }
        return StoredRow(values)
    }

    /// Nothing of ours writes other text; were it mended, two different texts could become one.
    ///
    /// - Parameter bytes: what SQLite ends with a zero, which is not counted.
    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) throws -> String {
        // Quicker than the way that is generic, but it ends at the first zero.
        let plain = bytes.withMemoryRebound(to: CChar.self) { text in
            text.baseAddress.flatMap { String(validatingCString: $0) }
        }
        if let plain, plain.utf8.count == bytes.count { return plain }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StoreError.corrupt("column \(index) holds text that is not UTF-8")
        }
        return text
    }

    private static func isSame(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { known in
            guard known.count == bytes.count else { return false }
            guard known.count >= 8 else { return known.elementsEqual(bytes) }
            let (left, right) = (UnsafeRawBufferPointer(known), UnsafeRawBufferPointer(bytes))
            // Eight bytes at once; the last eight may overlap those before.
            var index = 0
            while index < left.count {
                let offset = min(index, left.count - 8)
                guard
                    left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                else { return false }
                index += 8
            }
            return true
        } ?? false
    }
}
