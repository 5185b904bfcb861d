/// A row, or the part of one, as a Swift value: the one list of its columns, by which rows are declared, read and
/// written.
protocol TableRow {
    /// A value to read into and to list the columns by.
    static var blank: Self { get }
    mutating func visit(_ columns: inout some ColumnVisitor) throws
}

protocol ColumnVisitor {
    /// - Parameter rules: what else holds of the column, for who declares it.
    mutating func callAsFunction<Value: Storable>(
        _ name: String, _ value: inout Value, _ rules: @autoclosure () -> ColumnRules
    ) throws
}

extension ColumnVisitor {
    @inline(__always)
    mutating func callAsFunction<Value: Storable>(_ name: String, _ value: inout Value) throws {
        try self(name, &value, "")
    }

    /// A column in which an erasure leaves a digest, which is read as none.
    @inline(__always)
    mutating func erasable<Value: Storable>(
        _ name: String, _ value: inout Value?, _ rules: @autoclosure () -> ColumnRules
    ) throws {
        var column = ErasableColumn(value)
        try self(name, &column, rules())
        value = column.value
    }
}

extension RowReader: ColumnVisitor {
    @inline(__always)
    mutating func callAsFunction<Value: Storable>(
        _ name: String, _ value: inout Value, _ rules: @autoclosure () -> ColumnRules
    ) throws {
        value = try next()
    }
}

/// Takes the values of a row, in the order of its columns.
struct RowWriter: ColumnVisitor {
    private(set) var values: [StoredValue] = []

    @inline(__always)
    mutating func callAsFunction<Value: Storable>(
        _ name: String, _ value: inout Value, _ rules: @autoclosure () -> ColumnRules
    ) {
        values.append(value.storedValue)
    }
}

private struct ColumnLister: ColumnVisitor {
    var columns: [Column] = []

    mutating func callAsFunction<Value: Storable>(
        _ name: String, _ value: inout Value, _ rules: @autoclosure () -> ColumnRules
    ) {
        columns.append(Column(name, Value.self, rules()))
    }
}

extension TableRow {
    @inline(__always)
    init(reading row: inout RowReader) throws {
        self = .blank
        try visit(&row)
    }

    init(row: StoredRow) throws {
        var reader = RowReader(row)
        try self.init(reading: &reader)
    }

    /// What a statement binds to insert it, in the order of ``columns``.
    @inline(__always)
    func stored() throws -> [StoredValue] {
        var (row, writer) = (self, RowWriter())
        try row.visit(&writer)
        return writer.values
    }

    static var columns: [Column] {
        var (row, lister) = (blank, ColumnLister())
        // Listing reads nothing that could fail.
        try? row.visit(&lister)
        return lister.columns
    }

    /// The columns as a statement selects them.
    ///
    /// - Parameter prefix: what comes before each name, such as `t.`.
    static func list(_ prefix: String = "") -> String {
        columns.map { prefix + $0.name }.joined(separator: ", ")
    }
}

extension StoreTransaction {
    @inline(__always)
    func insert(_ row: some TableRow, into table: Table) throws {
        try execute(Statement(table.insertSQL, values: try row.stored()))
    }
}
