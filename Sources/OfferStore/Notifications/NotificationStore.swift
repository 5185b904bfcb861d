public import OfferModel

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

extension StoredNotification {
    /// A notification that is to be kept; ``NotificationStore/insert(_:about:payload:in:)`` gives it its place.
    public init(
        _ notification: AppStoreNotification, source: NotificationSource, outcome: NotificationOutcome, at now: Instant
    ) {
        self.init(
            sequence: 0, notificationUUID: notification.notificationUUID, type: notification.notificationType,
            subtype: notification.subtype, signedDate: notification.signedDate, receivedAt: now, source: source,
            outcome: outcome)
    }
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
            "SELECT \(StoredNotification.list()) FROM notification WHERE scope_id = ?1 AND uuid = ?2", scope, uuid)
    }

    /// - Parameters:
    ///   - identifier: the customer it is about; `nil` if it names none.
    ///   - payload: the notification as Apple signed it, a compact JWS.
    /// - Throws: ``StoreError/constraint(_:)`` if its id is known.
    public func insert(
        _ notification: StoredNotification, about identifier: ProvenIdentifier?, payload: String, in scope: ScopeNumber
    ) throws {
        var row = NotificationRow(
            notification: notification, scope: scope, identifierKind: identifier?.kind, identifier: identifier?.value,
            payload: payload)
        row.notification.sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(row, into: .notification)
    }

    /// The notifications about these customers, the newest by Apple's date first.
    ///
    /// Their owner is found as for the history: by an identifier that a verified payload of this app has proven.
    public func notifications(of customers: [CustomerNumber], limit: Int) throws -> [StoredNotification] {
        try transaction.all(
            """
            SELECT \(StoredNotification.list("n.")) FROM customer_identifier i
            JOIN notification n
            ON n.scope_id = i.scope_id AND n.identifier_kind = i.kind AND n.identifier = i.value
            WHERE i.is_proven = 1 AND i.customer_id IN (?*)
            ORDER BY n.signed_date DESC, n.sequence DESC LIMIT ?1
            """, limit, list: customers.map(\.storedValue))
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
            SELECT \(StoredNotification.list()) FROM notification WHERE scope_id = ?1\(condition)
            ORDER BY sequence DESC LIMIT 1
            """, scope)
    }
}

extension StoredNotification: TableRow {
    static let blank = StoredNotification(
        sequence: 0, notificationUUID: "", type: NotificationType(rawValue: ""), signedDate: .distantPast,
        receivedAt: .distantPast, source: .delivered, outcome: .added)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("uuid", &notificationUUID, "CHECK (length(uuid) > 0)")
        try columns("type", &type, "CHECK (length(type) > 0)")
        try columns("subtype", &subtype)
        try columns("signed_date", &signedDate)
        try columns("received_at", &receivedAt)
        try columns("source", &source, "CHECK (source IN ('delivered', 'fetched'))")
        try columns("outcome", &outcome, "CHECK (outcome IN ('added', 'updated', 'unchanged', 'noHistory'))")
        try columns("transaction_id", &transactionId, .erased(.emptied))
        try columns("product_id", &productId)
        try columns("payload_removed_at", &payloadRemovedAt)
        try columns("erased_at", &erasedAt)
    }
}

struct NotificationRow: TableRow {
    var notification: StoredNotification
    var scope: ScopeNumber
    var identifierKind: String?
    var identifier: String?
    /// `nil` once it was removed.
    var payload: String?

    static let blank = NotificationRow(notification: .blank, scope: .blank)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try notification.visit(&columns)
        try columns("scope_id", &scope, "REFERENCES scope (id)")
        try columns(
            "identifier_kind", &identifierKind,
            .erased(.emptied, "CHECK (identifier_kind IN ('originalTransactionId', 'appTransactionId'))"))
        try columns("identifier", &identifier, .erased(.emptied))
        try columns("payload", &payload, .erased(.emptied))
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
        try transaction.changes(
            by: """
                UPDATE notification SET payload = NULL, payload_removed_at = ?3 WHERE sequence IN (
                    SELECT sequence FROM notification
                    WHERE payload IS NOT NULL AND received_at <= ?1 ORDER BY received_at LIMIT ?2
                )
                """, cutoff, limit, now)
    }

    /// Takes out of the notifications about these customers what names a person: the identifier, the transaction and
    /// the signed text. Their ids stay, so that a repeat brings nothing of it back.
    public func erase(of customers: [CustomerNumber], at now: Instant) throws -> Int {
        try transaction.changes(
            by: """
                \(Self.erased) WHERE sequence IN (
                    SELECT n.sequence FROM customer_identifier i
                    JOIN notification n
                    ON n.scope_id = i.scope_id AND n.identifier_kind = i.kind AND n.identifier = i.value
                    WHERE i.customer_id IN (?*)
                )
                """, now, list: customers.map(\.storedValue))
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
