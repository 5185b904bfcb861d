public import OfferModel

/// The audit as far as it went at an instant, signed.
public struct AuditCheckpoint: Sendable, Hashable {
    /// Counted from 1.
    public var number: Int64
    /// The newest event.
    public var eventSequence: Int64
    /// That event's hash, which stands for all before it.
    public var head: [UInt8]
    /// When it was signed.
    public var signedAt: Instant
    /// The SHA-256 of the public key, in hexadecimal.
    public var keyFingerprint: String
    /// ECDSA over P-256 with SHA-256, as DER.
    public var signature: [UInt8]

    /// What is signed (docs/ledger.md, "Checkpoints").
    public var message: [UInt8] {
        Self.message(number: number, eventSequence: eventSequence, head: head, signedAt: signedAt)
    }

    static func message(number: Int64, eventSequence: Int64, head: [UInt8], signedAt: Instant) -> [UInt8] {
        var bytes = CanonicalBytes("offerd-checkpoint-1", capacity: 128)
        bytes.append(number)
        bytes.append(eventSequence)
        bytes.append(head)
        bytes.append(signedAt)
        return bytes.bytes
    }
}

/// Checkpoints of the audit.
public struct CheckpointStore {
    let transaction: any StoreTransaction

    /// The checkpoints as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The newest checkpoint.
    ///
    /// - Throws: ``StoreError``.
    public func newest() throws -> AuditCheckpoint? {
        try transaction.row(
            Statement("SELECT \(Self.columns) FROM audit_checkpoint WHERE number > 0 ORDER BY number DESC LIMIT 1")
        ).map(AuditCheckpoint.init(row:))
    }

    /// The first checkpoint that signs an event.
    ///
    /// - Throws: ``StoreError``.
    public func covering(_ event: Int64) throws -> AuditCheckpoint? {
        try transaction.row(
            Statement(
                """
                SELECT \(Self.columns) FROM audit_checkpoint WHERE event_sequence >= ?1
                ORDER BY event_sequence LIMIT 1
                """, event)
        ).map(AuditCheckpoint.init(row:))
    }

    /// How many events the newest checkpoint does not sign; its own event is none of them.
    ///
    /// - Throws: ``StoreError``.
    public func unsignedEvents() throws -> Int64 {
        let head = try AuditHead.read(transaction).sequence
        guard let newest = try newest() else { return head }
        return max(0, head - newest.eventSequence - 1)
    }

    /// Signs the audit as far as it goes, and keeps that. Needs a transaction of ``Ledger/write(by:_:)``.
    ///
    /// - Parameters:
    ///   - fingerprint: the public key's.
    ///   - sign: ECDSA over the message, as DER.
    /// - Returns: the checkpoint; `nil` if there is nothing to sign.
    /// - Throws: ``StoreError``, and what `sign` throws.
    public func add(
        at now: Instant, fingerprint: String, sign: (_ message: [UInt8]) throws -> [UInt8]
    ) throws -> AuditCheckpoint? {
        guard try unsignedEvents() > 0 else { return nil }
        let head = try AuditHead.read(transaction)
        let number = (try newest()?.number ?? 0) + 1
        let message = AuditCheckpoint.message(
            number: number, eventSequence: head.sequence, head: head.hash, signedAt: now)
        let checkpoint = AuditCheckpoint(
            number: number, eventSequence: head.sequence, head: head.hash, signedAt: now, keyFingerprint: fingerprint,
            signature: try sign(message))
        let inserted = try transaction.row(
            Statement(
                """
                INSERT INTO audit_checkpoint (\(Self.columns)) VALUES (\(Statement.placeholders(6)))
                RETURNING \(LedgerTable.auditCheckpoint.columns)
                """, number, head.sequence, head.hash, now, fingerprint, checkpoint.signature))
        try AuditLog(transaction).record(.checkpoint, .auditCheckpoint, inserted: inserted, at: now, in: nil)
        return checkpoint
    }

    static let columns = "number, event_sequence, head, signed_at, key_fingerprint, signature"
}

extension AuditCheckpoint {
    init(row: StoredRow) throws {
        var reader = RowReader(row)
        self.init(
            number: try reader.next(), eventSequence: try reader.next(), head: try reader.next(),
            signedAt: try reader.next(), keyFingerprint: try reader.next(), signature: try reader.next())
    }
}
