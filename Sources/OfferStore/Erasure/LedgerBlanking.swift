import OfferModel

/// Puts keyed digests in the place of texts of the ledger, and notes which rows were changed.
struct LedgerBlanking {
    let transaction: any StoreTransaction
    let log: AuditLog
    let otherKeys: [LedgerRowKey: String]

    /// How many texts were replaced.
    private(set) var erased = 0
    /// The rows, by table.
    private(set) var rows: [String: [Int64]] = [:]

    init(transaction: any StoreTransaction, log: AuditLog, otherKeys: [LedgerRowKey: String]) {
        self.transaction = transaction
        self.log = log
        self.otherKeys = otherKeys
    }

    /// Replaces what columns of some rows hold.
    mutating func blank(
        _ table: String, _ columns: [String], where condition: String, _ values: [StoredValue]
    ) throws {
        let found = try transaction.rows(
            Statement(
                "SELECT sequence, \(columns.joined(separator: ", ")) FROM \(table) WHERE \(condition) ORDER BY sequence",
                values: values))
        for row in found {
            let sequence: Int64 = try row.value(0)
            var assignments: [String] = []
            var remains: [StoredValue] = [.integer(sequence)]
            for (place, column) in columns.enumerated() {
                let value = row.values[place + 1]
                guard value != .null else { continue }
                guard LedgerDigests.remains(of: value) == nil else { continue }
                let digests = try digests(of: column, table, sequence)
                remains.append(
                    .text(try digests.remains(of: value, column: column, table: table, key: .integer(sequence))))
                assignments.append("\(column) = ?\(remains.count)")
                erased += 1
            }
            guard !assignments.isEmpty else { continue }
            try transaction.execute(
                Statement(
                    "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE sequence = ?1", values: remains))
            rows[table, default: []].append(sequence)
        }
    }

    /// The digests under the key that the event which told of the column has used.
    private func digests(of column: String, _ table: String, _ sequence: Int64) throws -> AuditLog {
        let state = LedgerTable.named(table)?.state.first { $0.name == column }
        let key =
            try state.flatMap { try stateKey($0.member, of: sequence) }
            ?? otherKeys[LedgerRowKey(table: table, key: sequence)] ?? log.digestKey
        if key == log.digestKey { return log }
        guard key == SaltedDigest.name else { throw ErasureRefusal.otherDigestKey(key) }
        return log.salted(try SaltedDigest.salt(transaction))
    }

    /// The key of the newest event that changed a member of a slot's state.
    private func stateKey(_ member: String, of slot: Int64) throws -> String? {
        var key: String?
        for row in try transaction.rows(
            Statement(
                "SELECT digest_key, after_change FROM audit_event WHERE issued_offer = ?1 ORDER BY sequence", slot))
        {
            guard try AuditValues(text: try row.value(1, as: String?.self) ?? "{}")[member] != nil else { continue }
            key = try row.value(0)
        }
        return key
    }
}
