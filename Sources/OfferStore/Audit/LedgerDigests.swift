import OfferModel

/// Bytes to take a digest of: exact, and different for different values (docs/ledger.md, "Bytes").
///
/// A value is one byte for its type, and then: nothing for null (0); 8 bytes, most significant first, of an integer
/// (1); 8 bytes of length and the UTF-8 or the bytes themselves for text (2) and a blob (3). Nothing separates values.
struct CanonicalBytes {
    private(set) var bytes: [UInt8]

    /// Begins with what the bytes are for, such as `offerd-event-1`; its number changes with the form.
    init(_ texts: String..., capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity)
        for text in texts { append(.text(text)) }
    }

    init(after beginning: CanonicalBytes, capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        append(beginning)
    }

    mutating func append(_ other: CanonicalBytes) {
        bytes.append(contentsOf: other.bytes)
    }

    mutating func append(_ value: StoredValue) {
        switch value {
        case .null:
            bytes.append(0)
        case .integer(let integer):
            bytes.append(1)
            append(UInt64(bitPattern: integer))
        case .text(let text):
            bytes.append(2)
            append(UInt64(truncatingIfNeeded: text.utf8.count))
            bytes += text.utf8
        case .blob(let blob):
            bytes.append(3)
            append(UInt64(truncatingIfNeeded: blob.count))
            bytes.append(contentsOf: blob)
        }
    }

    mutating func append<each Value: Storable>(_ value: repeat each Value) {
        repeat append((each value).storedValue)
    }

    private mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The digests of the audit: SHA-256 of rows and events, keyed ones of what may be erased.
struct LedgerDigests {
    let digest: any Digest
    let keyed: any KeyedDigest

    /// The digest of a row, from all its columns in the order of the table.
    func row(_ table: LedgerTable, _ values: [StoredValue]) throws -> LedgerRow {
        guard values.count == table.table.columns.count else {
            throw StoreError.corrupt("a row of `\(table.name)` has \(values.count) columns")
        }
        let key = table.key(of: values)
        var bytes = CanonicalBytes(after: table.rowHead, capacity: 1_024)
        bytes.append(key)
        for column in table.covered {
            bytes.append(column.canonicalName)
            let value = values[column.index]
            if column.isErasable, value != .null {
                bytes.append(.blob(self.value(value, of: column, table, key: key)))
            } else {
                bytes.append(value)
            }
        }
        let erased = values.indices.filter { Self.remains(of: values[$0]) != nil }
        return LedgerRow(
            reference: LedgerRow.Reference(table: table.name, key: key, digest: digest.sha256(bytes.bytes)),
            state: state(table, key: key, table.state.map { values[$0.index] }[...]),
            erased: erased.map { table.table.columns[$0].name })
    }

    /// The columns that change, as events record them.
    ///
    /// - Parameter values: in the order of ``LedgerTable/state``.
    func state(_ table: LedgerTable, key: StoredValue, _ values: ArraySlice<StoredValue>) -> AuditValues {
        AuditValues(
            ordered: table.stateOrder.map { index in
                let (column, stored) = (table.state[index], values[values.startIndex + index])
                return AuditValues.Member(
                    name: column.member,
                    value: column.isErasable && stored != .null
                        ? .text(Hexadecimal.lowercase(value(stored, of: column, table, key: key))) : stored)
            })
    }

    /// The keyed digest of a value that may be erased, which is what stays of one that is. It differs from row to row,
    /// so that equal values cannot be told.
    func value(
        _ value: StoredValue, of column: LedgerTable.CoveredColumn, _ table: LedgerTable, key: StoredValue
    ) -> [UInt8] {
        if let remains = Self.remains(of: value) { return remains }
        var bytes = CanonicalBytes(after: table.valueHead, capacity: 1_024)
        bytes.append(key)
        bytes.append(column.canonicalName)
        bytes.append(value)
        return keyed.digest(of: bytes.bytes)
    }

    /// The digest of erased text or bytes; `nil` for any other value.
    static func remains(of value: StoredValue) -> [UInt8]? {
        // Every column of every new row is looked at: nearly all differ in their length already.
        switch value {
        case .text(let text): remains(of: text.utf8)
        case .blob(let bytes): remains(of: bytes)
        case .null, .integer: nil
        }
    }

    static func remains(of bytes: some Collection<UInt8>) -> [UInt8]? {
        let prefix = Redacted.prefix.utf8
        guard bytes.count == prefix.count + 64, bytes.starts(with: prefix) else { return nil }
        return Hexadecimal.bytes(String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self))
    }
}

struct LedgerRow {
    struct Reference: Hashable {
        let table: String
        let key: StoredValue
        let digest: [UInt8]
    }

    let reference: Reference
    let state: AuditValues
    let erased: [String]

    var sequence: Int64? {
        if case .integer(let sequence) = reference.key { sequence } else { nil }
    }
}

/// The key of digests of a service that is given none: random bytes that lie in the database itself.
enum SaltedDigest {
    /// The name under which events tell which key they used.
    static let name = "database"

    static func salt(_ transaction: any StoreTransaction) throws -> [UInt8] {
        let salt: [UInt8]? = try transaction.first("SELECT digest_salt FROM audit_state WHERE id = 1")
        guard let salt else { throw StoreError.corrupt("the row of `audit_state` is missing") }
        return salt
    }
}
