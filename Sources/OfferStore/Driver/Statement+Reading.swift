// Inlined, and asked of the statement and not of the transaction, whose type nobody knows: so what is read is known where
// it is read. Rows have dozens of columns, and generic code would look up the type of each.

extension Statement {
    /// What is read of every row.
    @inline(__always)
    func all<T>(in transaction: any StoreTransaction, _ read: (inout RowReader) throws -> T) throws -> [T] {
        var all = [T]()
        try transaction.each(self) { columns in
            var reader = RowReader(columns)
            all.append(try read(&reader))
        }
        return all
    }

    /// What is read of the first row, if there is one.
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
