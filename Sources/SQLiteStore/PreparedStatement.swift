import CSQLite
import OfferStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One prepared statement of one connection, and the columns of its current row. One thread at a time may use it.
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

    init(_ sql: String, on connection: OpaquePointer) throws {
        var sql = sql
        var handle: OpaquePointer?
        // To be kept: SQLite then takes its memory where much of it may stay.
        let (code, isAlone) = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    connection, text.baseAddress, CInt(clamping: text.count),
                    CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
                guard let start = text.baseAddress, let tail else { return (code, true) }
                return (code, text.dropFirst(tail - start).allSatisfy { (0...0x20).contains($0) })
            }
        }
        if code == SQLITE_INTERRUPT { throw CancellationError() }
        guard code == SQLITE_OK else { throw StoreError(code: code, on: connection) }
        guard let handle else { throw StoreError.unavailable("the database failed: a statement is empty") }
        guard isAlone else {
            sqlite3_finalize(handle)
            throw StoreError.unavailable("the database failed: a text holds more than one statement")
        }
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

    /// Whether it can change no row; also true of `BEGIN`, `COMMIT` and `ROLLBACK`, but not of `BEGIN IMMEDIATE`.
    var onlyReads: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Whether it has a current row: then it cannot be run a second time.
    var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Runs it from the beginning to the end, with a body for every row; afterwards it can be run again, whatever
    /// happens.
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

    func row() throws -> StoredRow {
        var values = [StoredValue]()
        values.reserveCapacity(columnCount)
        for index in 0..<columnCount { values.append(try stored(index)) }
        return StoredRow(values)
    }

    /// Nothing of ours writes other text; were it repaired, two different texts could become one.
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
            guard known.count == bytes.count, let left = known.baseAddress, let right = bytes.baseAddress else {
                return false
            }
            return memcmp(left, right, known.count) == 0
        } ?? false
    }
}

/// The bytes of the texts and blobs that a running statement is bound to, in one piece of memory that is used for the
/// next run too.
///
/// Swift's texts have no address that holds beyond a closure, and to let SQLite copy each would be an allocation each.
final class BoundMemory {
    private static let least = 256
    /// The most memory that is kept for the next run.
    private static let most = 16_384

    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0

    deinit { memory.deallocate() }

    /// Makes room for values, before any of them is bound: memory that is bound must not move.
    func reserve(for values: [StoredValue]) {
        used = 0
        var needed = 0
        for value in values {
            switch value {
            case .text(let text): needed += text.utf8.count
            case .blob(let bytes): needed += bytes.count
            case .null, .integer: continue
            }
        }
        // Never without an address: SQLite takes text without one for null.
        if memory.baseAddress == nil || needed > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: max(needed, Self.least), alignment: 16)
        }
    }

    /// Copies a text.
    ///
    /// - Throws: ``StoreError/constraint(_:)`` for one with U+0000: a reader by C's rules would lose what follows,
    ///   and two different texts become one.
    func keep(text: String) throws -> UnsafeRawBufferPointer {
        let kept =
            text.utf8.withContiguousStorageIfAvailable { keep(UnsafeRawBufferPointer($0)) } ?? keep(Array(text.utf8))
        if let start = kept.baseAddress, memchr(start, 0, kept.count) != nil {
            throw StoreError.constraint("text without U+0000")
        }
        return kept
    }

    func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        bytes.withUnsafeBytes(keep)
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let place = UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + bytes.count])
        place.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(place)
    }

    /// Gives back what only a long value needed; nothing may be bound any more.
    func shrink() {
        guard memory.count > Self.most else { return }
        memory.deallocate()
        memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
}
