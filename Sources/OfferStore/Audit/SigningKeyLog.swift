public import OfferModel

/// Which signing keys the service was started with, as the audit tells.
public struct SigningKeyLog {
    private let transaction: any StoreTransaction

    /// The keys as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Whether these keys are those told last.
    ///
    /// - Throws: ``StoreError``.
    public func knows(_ keys: [String: String]) throws -> Bool {
        try newest() == Self.values(keys)
    }

    /// What was told last; `nil` if nothing was ever told.
    private func newest() throws -> AuditValues? {
        let row = try transaction.row(
            Statement("SELECT after_change FROM audit_event WHERE kind = 'keys' ORDER BY sequence DESC LIMIT 1"))
        return try row.map { try AuditValues(text: try $0.value(0)) }
    }

    /// Tells of the keys, if they are not those told last.
    ///
    /// - Parameter keys: each key by a name, with what may be shown of it.
    /// - Throws: ``StoreError``.
    public func note(_ keys: [String: String], at now: Instant) throws {
        let before = try newest()
        let after = Self.values(keys)
        guard before != after else { return }
        try AuditLog(transaction).record(.keys, at: now, in: nil, before: before, after: after)
    }

    private static func values(_ keys: [String: String]) -> AuditValues {
        AuditValues(keys.mapValues { .text($0) })
    }
}
