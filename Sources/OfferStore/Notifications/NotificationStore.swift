public import OfferModel

/// App Store Server Notifications, each once.
public struct NotificationStore {
    let transaction: any StoreTransaction

    /// The notifications as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The notification with this id; `nil` if it is not known.
    ///
    /// - Throws: ``StoreError``.
    public func notification(_ uuid: String, in scope: ScopeNumber) throws -> StoredNotification? {
        try read(
            Statement(
                "SELECT \(Self.columns("")) FROM notification WHERE scope_id = ?1 AND uuid = ?2", scope, uuid)
        ).first
    }

    /// Keeps a notification.
    ///
    /// - Throws: ``StoreError/constraint(_:)`` if its id is known.
    public func insert(_ record: NotificationRecord, at now: Instant, in scope: ScopeNumber) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.execute(
            Statement(
                """
                INSERT INTO notification
                (sequence, scope_id, uuid, type, subtype, signed_date, received_at, source, outcome, identifier_kind,
                identifier, transaction_id, product_id, payload)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
                """, sequence, scope, record.notificationUUID, record.type, record.subtype, record.signedDate, now,
                record.source, record.outcome, record.identifier?.kind, record.identifier?.value,
                record.transactionId, record.productId, record.payload))
    }

    /// The notifications about these customers, the newest by Apple's date first.
    ///
    /// Whose they are is told as for the history: by an identifier that a verified payload of this app has proven.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError``.
    public func notifications(of customers: [CustomerNumber], limit: Int) throws -> [StoredNotification] {
        guard !customers.isEmpty else { return [] }
        return try read(
            Statement(
                """
                SELECT \(Self.columns("n.")) FROM customer_identifier i
                JOIN notification n
                ON n.scope_id = i.scope_id AND n.identifier_kind = i.kind AND n.identifier = i.value
                WHERE i.is_proven = 1 AND i.customer_id IN (\(Statement.placeholders(customers.count, after: 1)))
                ORDER BY n.signed_date DESC, n.sequence DESC LIMIT ?1
                """, values: [limit.storedValue] + customers.map(\.storedValue)))
    }

    /// The notification stored last; `nil` if there is none.
    ///
    /// - Throws: ``StoreError``.
    public func newest(in scope: ScopeNumber) throws -> StoredNotification? {
        try read(
            Statement(
                """
                SELECT \(Self.columns("")) FROM notification WHERE scope_id = ?1 ORDER BY sequence DESC LIMIT 1
                """, scope)
        ).first
    }

    /// The `TEST` notification stored last; `nil` if there is none.
    ///
    /// - Throws: ``StoreError``.
    public func newestTest(in scope: ScopeNumber) throws -> StoredNotification? {
        try read(
            Statement(
                """
                SELECT \(Self.columns("")) FROM notification WHERE scope_id = ?1 AND type = 'TEST'
                ORDER BY sequence DESC LIMIT 1
                """, scope)
        ).first
    }

    private static func columns(_ prefix: String) -> String {
        [
            "sequence", "uuid", "type", "subtype", "signed_date", "received_at", "source", "outcome", "transaction_id",
            "product_id", "payload_removed_at", "erased_at",
        ].map { prefix + $0 }.joined(separator: ", ")
    }

    private func read(_ statement: Statement) throws -> [StoredNotification] {
        try transaction.rows(statement).map { row in
            var reader = RowReader(row)
            return StoredNotification(
                sequence: try reader.next(), notificationUUID: try reader.next(), type: try reader.next(),
                subtype: try reader.next(), signedDate: try reader.next(), receivedAt: try reader.next(),
                source: try reader.next(), outcome: try reader.next(), transactionId: try reader.next(),
                productId: try reader.next(), payloadRemovedAt: try reader.next(), erasedAt: try reader.next())
        }
    }
}
