import OfferModel

/// The digests of the audit: SHA-256 of rows and events, keyed ones of what may be erased.
struct LedgerDigests {
    let digest: any Digest
    let keyed: any KeyedDigest

    /// The digest of a row, from its columns in the order of ``LedgerTable/columns``.
    func row(_ table: LedgerTable, _ values: [StoredValue]) throws -> LedgerRow {
        guard values.count == 1 + table.fixed.count + table.erasable.count + table.state.count else {
            throw StoreError.corrupt("a row of `\(table.name)` has \(values.count) columns")
        }
        let key = values[0]
        var bytes = CanonicalBytes("offerd-row-1")
        bytes.append(table.name)
        bytes.append(key)
        var index = 1
        for name in table.fixed {
            bytes.append(name)
            bytes.append(values[index])
            index += 1
        }
        for name in table.erasable {
            bytes.append(name)
            bytes.append(value(values[index], of: name, table, key: key))
            index += 1
        }
        let erased = values.count(where: { Self.remains(of: $0) != nil })
        var state: [String: StoredValue] = [:]
        for column in table.state {
            let isDigested = column.isErasable && values[index] != .null
            state[column.member] =
                isDigested
                ? .text(Hexadecimal.lowercase(value(values[index], of: column.name, table, key: key))) : values[index]
            index += 1
        }
        return LedgerRow(
            reference: LedgerRow.Reference(table: table.name, key: key, digest: digest.sha256(bytes.bytes)),
            state: AuditValues(state), erased: Int64(erased))
    }

    /// The keyed digest of a value that may be erased, which is what stays of one that is. It differs from row to row, so that equal values cannot be told.
    func value(_ value: StoredValue, of column: String, _ table: LedgerTable, key: StoredValue) -> [UInt8] {
        if let remains = Self.remains(of: value) { return remains }
        var bytes = CanonicalBytes("offerd-value-1")
        bytes.append(table.name)
        bytes.append(key)
        bytes.append(column)
        bytes.append(value)
        return keyed.digest(of: bytes.bytes)
    }
}

extension LedgerDigests {
    /// What stands before the digest in the place of an erased text.
    static let remainsPrefix = RemovedText.prefix

    /// What an erased text is replaced by.
    func remainsText(of value: StoredValue, column: String, _ table: LedgerTable, key: StoredValue) -> String {
        Self.remainsPrefix + Hexadecimal.lowercase(self.value(value, of: column, table, key: key))
    }

    /// The digest of an erased text; `nil` for any other value.
    static func remains(of value: StoredValue) -> [UInt8]? {
        guard case .text(let text) = value, text.hasPrefix(remainsPrefix),
            let digest = Hexadecimal.bytes(text.dropFirst(remainsPrefix.count)), digest.count == 32
        else { return nil }
        return digest
    }
}

/// A row as the audit sees it.
struct LedgerRow {
    /// What an event holds of a row.
    struct Reference: Hashable {
        let table: String
        let key: StoredValue
        let digest: [UInt8]
    }

    let reference: Reference
    /// Its columns that change, as events tell of them.
    let state: AuditValues
    /// How many of its columns were erased.
    let erased: Int64

    /// The row's place in the order of its table.
    var sequence: Int64? {
        if case .integer(let sequence) = reference.key { sequence } else { nil }
    }
}

/// Keyed digests under random bytes that lie in the database itself, for a service without a key for digests.
struct SaltedDigest: KeyedDigest {
    let digest: any Digest
    let salt: [UInt8]

    /// The name under which events tell which key they used.
    static let name = "database"

    var name: String { Self.name }

    func digest(of bytes: [UInt8]) -> [UInt8] {
        digest.hmacSHA256(key: salt, message: bytes)
    }
}
