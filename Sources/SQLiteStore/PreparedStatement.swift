import CSQLite
import OfferStore

/// One prepared statement of one connection, and the columns of the row it stands at. One thread at a time may use it.
final class PreparedStatement {
    let handle: OpaquePointer
    private let connection: OpaquePointer
    private let memory = BoundMemory()
    let columnCount: Int
    /// Of each column the text it had last: the ids in the rows of one customer repeat.
    ///
    /// Memory of its own: every column of every row is compared with it, and an array would be checked each time for
    /// whether it is shared and whether another writes it.
    let recentTexts: UnsafeMutableBufferPointer<String>

    /// Prepares a statement.
    ///
    /// - Throws: ``StoreError``.
    init(_ sql: String, on connection: OpaquePointer) throws {
        var sql = sql
        var handle: OpaquePointer?
        // To be kept: SQLite then takes its memory where much of it may stay.
        let code = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    connection, $0.baseAddress, CInt(clamping: $0.count), CUnsignedInt(SQLITE_PREPARE_PERSISTENT),
                    &handle, nil)
            }
        }
        guard code == SQLITE_OK else { throw StoreError(code: code, on: connection) }
        guard let handle else { throw StoreError.unavailable("the database failed: a statement is empty") }
        self.handle = handle
        self.connection = connection
        columnCount = Int(sqlite3_column_count(handle))
        recentTexts = .allocate(capacity: columnCount)
        recentTexts.initialize(repeating: "")
    }

    deinit {
        recentTexts.deinitialize()
        recentTexts.deallocate()
        sqlite3_finalize(handle)
    }

    /// Whether it stands at a row: then it cannot be run a second time.
    var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Runs it from the beginning to the end, with a body for every row; afterwards it can be run again, whatever happens.
    ///
    /// - Throws: what the body throws, `CancellationError` if the connection was interrupted, or ``StoreError``.
    func run(_ values: [StoredValue], _ body: () throws -> Void) throws {
        defer {
            // What a failed run answers is thrown already.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            memory.shrink()
        }
        try bind(values)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body()
            case SQLITE_DONE: return
            case SQLITE_INTERRUPT: throw CancellationError()
            case let code: throw StoreError(code: code, on: connection)
            }
        }
    }

    /// Values beyond the statement's placeholders are left out, and placeholders beyond its values are null.
    private func bind(_ values: [StoredValue]) throws {
        memory.reserve(for: values)
        for (index, value) in values.prefix(Int(sqlite3_bind_parameter_count(handle))).enumerated() {
            let place = CInt(clamping: index + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, place)
                case .integer(let integer): sqlite3_bind_int64(handle, place, integer)
                case .text(let text): bind(try memory.keep(text: text), at: place)
                case .blob(let bytes): bind(blob: memory.keep(bytes), at: place)
                }
            guard code == SQLITE_OK else { throw StoreError(code: code, on: connection) }
        }
    }

    // Without a destructor the bytes are not copied once more: they stay where they are until the statement is reset.

    private func bind(_ text: UnsafeRawBufferPointer, at place: CInt) -> CInt {
        sqlite3_bind_text64(
            handle, place, text.baseAddress?.assumingMemoryBound(to: CChar.self), sqlite3_uint64(text.count), nil,
            UInt8(SQLITE_UTF8))
    }

    private func bind(blob: UnsafeRawBufferPointer, at place: CInt) -> CInt {
        sqlite3_bind_blob64(handle, place, blob.baseAddress, sqlite3_uint64(blob.count), nil)
    }
}
