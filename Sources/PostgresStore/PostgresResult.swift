import CPostgres
import OfferStore

/// The answer to one statement, in binary, and the columns of the row at which its reader is.
final class PostgresResult: StoredColumns {
    private let handle: OpaquePointer
    private let columns: CInt
    let count: Int
    var row = 0

    /// - Throws: ``StoreError`` if the statement failed, or the connection is lost.
    init(_ handle: OpaquePointer?, on connection: OpaquePointer) throws {
        guard let handle else { throw StoreError.unreachable(Self.lost(connection)) }
        let status = offerd_pq_resultStatus(handle)
        guard status == OFFERD_PQ_COMMAND_OK || status == OFFERD_PQ_TUPLES_OK else {
            defer { offerd_pq_clear(handle) }
            throw StoreError(handle, on: connection)
        }
        self.handle = handle
        columns = offerd_pq_nfields(handle)
        count = Int(offerd_pq_ntuples(handle))
    }

    deinit { offerd_pq_clear(handle) }

    private static func lost(_ connection: OpaquePointer) -> String {
        "the connection to the database is lost: \(String(cString: offerd_pq_errorMessage(connection)))"
    }

    /// What the server has done, such as `COMMIT` or `ROLLBACK`.
    var command: String { String(cString: offerd_pq_cmdStatus(handle)) }

    /// How many rows the statement changed; of one that only reads, how many it found.
    var changes: Int { Int(String(cString: offerd_pq_cmdTuples(handle))) ?? 0 }

    /// The types of the server's that the store's columns and expressions have.
    private enum Kind {
        case integer, boolean, numeric, text, bytes, other
    }

    private func kind(_ column: Int) -> Kind {
        switch offerd_pq_ftype(handle, CInt(clamping: column)) {
        case 20, 21, 23: .integer
        case 16: .boolean
        case 1_700: .numeric
        case 18, 19, 25, 705, 1_042, 1_043: .text
        case 17: .bytes
        default: .other
        }
    }

    /// The bytes of a column as the server sent them; `nil` if it is null or not there.
    private func raw(_ column: Int) -> UnsafeRawBufferPointer? {
        let (row, place) = (CInt(clamping: row), CInt(clamping: column))
        guard place >= 0, place < columns, offerd_pq_getisnull(handle, row, place) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: offerd_pq_getvalue(handle, row, place), count: Int(offerd_pq_getlength(handle, row, place)))
    }

    func isNull(_ index: Int) throws -> Bool {
        guard index >= 0, index < columns else { throw StoreError.corrupt("a row has no column \(index)") }
        return raw(index) == nil
    }

    func integer(_ index: Int) -> Int64? {
        guard let bytes = raw(index) else { return nil }
        switch kind(index) {
        case .integer: return Self.integer(bytes)
        case .boolean: return bytes.first.map { $0 == 0 ? 0 : 1 }
        case .numeric: return Self.numeric(bytes)
        case .text, .bytes, .other: return nil
        }
    }

    /// A signed number of two, four or eight bytes, the greatest first.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard let first = bytes.first else { return nil }
        return bytes.reduce(first & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int64($1) }
    }

    /// A sum or a quotient: digits to the base of 10,000 after their count, the weight of the first, the sign and the
    /// places after the point. `nil` if it is no whole number of 64 bits.
    private static func numeric(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        func word(_ index: Int) -> Int64? {
            bytes.count >= 2 * index + 2 ? Int64(bytes[2 * index]) << 8 | Int64(bytes[2 * index + 1]) : nil
        }
        guard let count = word(0), let weight = word(1), let sign = word(2), sign == 0 || sign == 0x4000 else {
            return nil
        }
        if count == 0 { return 0 }
        guard weight < 5, weight + 1 >= count else { return nil }
        var number: Int64 = 0
        for index in 0...Int(weight) {
            let digit = index < count ? word(4 + index) : 0
            let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: 10_000)
            guard let digit, !isTooLarge else { return nil }
            let (sum, overflows) =
                sign == 0 ? shifted.addingReportingOverflow(digit) : shifted.subtractingReportingOverflow(digit)
            guard !overflows else { return nil }
            number = sum
        }
        return number
    }

    func text(_ index: Int) throws -> String? {
        guard kind(index) == .text, let bytes = raw(index) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StoreError.corrupt("column \(index) holds text that is not UTF-8")
        }
        return text
    }

    func bytes(_ index: Int) -> [UInt8]? {
        kind(index) == .bytes ? raw(index).map { [UInt8]($0) } : nil
    }

    func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard kind(index) == .bytes, let bytes = raw(index) else { return false }
        try body(bytes)
        return true
    }

    func stored(_ index: Int) throws -> StoredValue {
        if try isNull(index) { return .null }
        if let integer = integer(index) { return .integer(integer) }
        if let text = try text(index) { return .text(text) }
        if let bytes = bytes(index) { return .blob(bytes) }
        throw StoreError.corrupt("a column holds a value of another type, or a number beyond 64 bits")
    }

    func copiedRows() throws -> [StoredRow] {
        try (0..<count).map { row in
            self.row = row
            return StoredRow(try (0..<Int(columns)).map(stored))
        }
    }
}

extension StoreError {
    /// What a failed statement means, by its SQLSTATE (PostgreSQL, appendix A).
    fileprivate init(_ result: OpaquePointer, on connection: OpaquePointer) {
        func field(_ code: CInt) -> String? {
            offerd_pq_resultErrorField(result, code).map { String(cString: $0) }
        }
        let state = field(OFFERD_PQ_SQLSTATE) ?? "08000"
        let message = field(OFFERD_PQ_MESSAGE) ?? String(cString: offerd_pq_errorMessage(connection))
        let place = [field(OFFERD_PQ_TABLE), field(OFFERD_PQ_COLUMN) ?? field(OFFERD_PQ_CONSTRAINT)].compactMap(\.self)
        switch (state.prefix(2), state) {
        case (_, "23503"): self = .constraint("a foreign key")
        case (_, "23505"):
            self = .constraint(
                Self.key(field(OFFERD_PQ_TABLE) ?? "", field(OFFERD_PQ_CONSTRAINT) ?? "", field(OFFERD_PQ_DETAIL) ?? "")
            )
        case ("23", _): self = .constraint(place.isEmpty ? message : place.joined(separator: "."))
        // What a trigger raises.
        case (_, "P0001"): self = .constraint(message)
        case (_, "22021"): self = .constraint("text without U+0000")
        case (_, "22003"): self = .corrupt("a sum of its rows is beyond 64 bits")
        case (_, "55P03"), ("40", _), (_, "57014"): self = .busy("another process holds the database")
        case (_, "53300"): self = .busy("the database takes no more connections")
        case (_, "53100"): self = .full("the disk of the database is full")
        // A standby, or a server that has become one: another may take writes.
        case (_, "25006"): self = .unreachable("the database cannot be written: \(message)")
        case (_, "XX001"), (_, "XX002"): self = .damaged("the database is damaged: \(message)")
        // 25P03: the transaction was idle for too long, and its connection was ended.
        case ("08", _), ("57", _), (_, "25P03"):
            self = .unreachable("the connection to the database is lost: \(message)")
        default: self = .unavailable("the database failed: \(message)")
        }
    }

    /// The columns of a key that is there already, such as `issued_offer.id`, or the name of an index.
    ///
    /// - Parameter detail: `Key (id)=(7) already exists.`
    private static func key(_ table: String, _ constraint: String, _ detail: String) -> String {
        guard constraint.hasSuffix("_pkey") || constraint.hasSuffix("_key"), detail.hasPrefix("Key ("),
            let end = detail.firstRange(of: ")=(")
        else { return "index '\(constraint)'" }
        let columns = detail[..<end.lowerBound].dropFirst("Key (".count).split(separator: ", ")
        return columns.map { "\(table).\($0)" }.joined(separator: ", ")
    }
}
