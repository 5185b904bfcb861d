public import OfferModel

public struct NotificationRecord: Sendable, Hashable {
    public var notificationUUID: String
    public var type: NotificationType
    public var subtype: NotificationSubtype?
    public var signedDate: Instant
    public var source: NotificationSource
    public var outcome: NotificationOutcome
    /// The customer it is about; absent if it names none.
    public var identifier: ProvenIdentifier?
    public var transactionId: TransactionId?
    public var productId: ProductId?
    /// The notification as Apple signed it, a compact JWS.
    public var payload: String

    public init(
        notificationUUID: String, type: NotificationType, signedDate: Instant, source: NotificationSource,
        outcome: NotificationOutcome, payload: String
    ) {
        self.notificationUUID = notificationUUID
        self.type = type
        self.signedDate = signedDate
        self.source = source
        self.outcome = outcome
        self.payload = payload
    }
}

/// A notification as it is stored, without the text that Apple signed.
public struct StoredNotification: Sendable, Hashable {
    public var sequence: Int64
    public var notificationUUID: String
    public var type: NotificationType
    public var subtype: NotificationSubtype?
    public var signedDate: Instant
    public var receivedAt: Instant
    public var source: NotificationSource
    public var outcome: NotificationOutcome
    /// The transaction it is about; absent if it is about none, and once it was erased.
    public var transactionId: TransactionId?
    public var productId: ProductId?
    public var payloadRemovedAt: Instant?
    public var erasedAt: Instant?
}

extension NotificationType: Storable {}
extension NotificationSubtype: Storable {}
extension NotificationSource: Storable {}
extension NotificationOutcome: Storable {}

public struct NotificationStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func notification(_ uuid: String, in scope: ScopeNumber) throws -> StoredNotification? {
        try transaction.first(
            "SELECT \(Self.columns("")) FROM notification WHERE scope_id = ?1 AND uuid = ?2", scope, uuid)
    }

    /// - Throws: ``StoreError/constraint(_:)`` if its id is known.
    public func insert(_ record: NotificationRecord, at now: Instant, in scope: ScopeNumber) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.execute(
            """
            INSERT INTO notification
            (sequence, scope_id, uuid, type, subtype, signed_date, received_at, source, outcome, identifier_kind,
            identifier, transaction_id, product_id, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """, sequence, scope, record.notificationUUID, record.type, record.subtype, record.signedDate, now,
            record.source, record.outcome, record.identifier?.kind, record.identifier?.value,
            record.transactionId, record.productId, record.payload)
    }

    /// The notifications about these customers, the newest by Apple's date first.
    ///
    /// Whose they are is told as for the history: by an identifier that a verified payload of this app has proven.
    public func notifications(of customers: [CustomerNumber], limit: Int) throws -> [StoredNotification] {
        guard !customers.isEmpty else { return [] }
        return try transaction.all(
            """
            SELECT \(Self.columns("n.")) FROM customer_identifier i
            JOIN notification n
            ON n.scope_id = i.scope_id AND n.identifier_kind = i.kind AND n.identifier = i.value
            WHERE i.is_proven = 1 AND i.customer_id IN (\(Statement.placeholders(customers.count, after: 1)))
            ORDER BY n.signed_date DESC, n.sequence DESC LIMIT ?1
            """, values: [limit.storedValue] + customers.map(\.storedValue))
    }

    public func newest(in scope: ScopeNumber) throws -> StoredNotification? {
        try newest(where: "", in: scope)
    }

    /// The newest that Apple delivered; fetched ones do not count.
    public func newestDelivered(in scope: ScopeNumber) throws -> StoredNotification? {
        try newest(where: " AND source = 'delivered'", in: scope)
    }

    public func newestTest(in scope: ScopeNumber) throws -> StoredNotification? {
        try newest(where: " AND type = 'TEST'", in: scope)
    }

    private func newest(where condition: String, in scope: ScopeNumber) throws -> StoredNotification? {
        try transaction.first(
            """
            SELECT \(Self.columns("")) FROM notification WHERE scope_id = ?1\(condition)
            ORDER BY sequence DESC LIMIT 1
            """, scope)
    }

    private static func columns(_ prefix: String) -> String {
        [
            "sequence", "uuid", "type", "subtype", "signed_date", "received_at", "source", "outcome", "transaction_id",
            "product_id", "payload_removed_at", "erased_at",
        ].map { prefix + $0 }.joined(separator: ", ")
    }
}

extension StoredNotification: StoredRecord {
    init(reading row: inout RowReader) throws {
        self.init(
            sequence: try row.next(), notificationUUID: try row.next(), type: try row.next(), subtype: try row.next(),
            signedDate: try row.next(), receivedAt: try row.next(), source: try row.next(), outcome: try row.next(),
            transactionId: try row.next(), productId: try row.next(), payloadRemovedAt: try row.next(),
            erasedAt: try row.next())
    }
}

// The audit has no event for this: like the history, a notification is evidence that Apple signed and not a decision
// of ours, and the audit covers none of its columns (docs/ledger.md).
extension NotificationStore {
    /// Takes the signed text out of notifications whose time is over, the earliest first.
    ///
    /// - Parameters:
    ///   - cutoff: of those stored then or before.
    public func removePayloads(receivedBy cutoff: Instant, at now: Instant, atMost limit: Int) throws -> Int {
        try transaction.execute(
            """
            UPDATE notification SET payload = NULL, payload_removed_at = ?3 WHERE sequence IN (
                SELECT sequence FROM notification
                WHERE payload IS NOT NULL AND received_at <= ?1 ORDER BY received_at LIMIT ?2
            )
            """, cutoff, limit, now)
    }

    /// Takes out of the notifications about these customers what names a person: the identifier, the transaction and
    /// the signed text. Their ids stay, so that a repeat brings nothing of it back.
    public func erase(of customers: [CustomerNumber], at now: Instant) throws -> Int {
        guard !customers.isEmpty else { return 0 }
        return try transaction.execute(
            """
            \(Self.erased) WHERE sequence IN (
                SELECT n.sequence FROM customer_identifier i
                JOIN notification n
                ON n.scope_id = i.scope_id AND n.identifier_kind = i.kind AND n.identifier = i.value
                WHERE i.customer_id IN (\(Statement.placeholders(customers.count, after: 1)))
            )
            """, values: [now.storedValue] + customers.map(\.storedValue))
    }

    /// The same for those of a subscription without an owner, named by renewal info that was kept of it.
    func erase(ofRenewalInfo sequence: Int64, at now: Instant) throws {
        try transaction.execute(
            """
            \(Self.erased) WHERE sequence IN (
                SELECT n.sequence FROM history_renewal_info r
                JOIN notification n ON n.scope_id = r.scope_id AND n.identifier_kind = 'originalTransactionId'
                AND n.identifier = r.original_transaction_id
                WHERE r.sequence = ?2
            )
            """, now, sequence)
    }

    private static let erased = """
        UPDATE notification SET payload = NULL, payload_removed_at = COALESCE(payload_removed_at, ?1), \
        identifier_kind = NULL, identifier = NULL, transaction_id = NULL, erased_at = ?1
        """
}
