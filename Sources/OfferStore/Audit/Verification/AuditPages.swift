/// Reads rows in the order of an integer key, a page at a time, so that memory stays bounded.
struct AuditPages {
    /// How many rows are read at once.
    static let length = 500

    private let sql: String
    private let transaction: any StoreTransaction
    private var page: ArraySlice<StoredRow> = []
    private var last: Int64 = 0
    private var isExhausted = false
    /// Called with the first and the last key of each page before its rows are given out.
    var onPage: ((Int64, Int64) throws -> Void)?

    /// - Parameter columns: the key first.
    init(_ columns: String, of table: String, key: String, _ transaction: any StoreTransaction) {
        sql = "SELECT \(columns) FROM \(table) WHERE \(key) > ?1 ORDER BY \(key) LIMIT \(Self.length)"
        self.transaction = transaction
    }

    /// The next row, which stays the next.
    mutating func peek() throws -> StoredRow? {
        if page.isEmpty, !isExhausted {
            page = try transaction.rows(Statement(sql, last))[...]
            isExhausted = page.count < Self.length
            if let first = page.first, let newest = page.last {
                last = try newest.value(0)
                try onPage?(try first.value(0), last)
            }
        }
        return page.first
    }

    /// The next row.
    mutating func next() throws -> StoredRow? {
        let row = try peek()
        if row != nil { page.removeFirst() }
        return row
    }
}
