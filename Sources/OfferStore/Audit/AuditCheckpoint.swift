public import OfferModel

/// The audit as far as it went at an instant, signed.
public struct AuditCheckpoint: Sendable, Hashable {
    /// Counted from 1.
    public var number: Int64
    public var eventSequence: Int64
    /// That event's hash, which covers all before it.
    public var head: [UInt8]
    public var signedAt: Instant
    /// The SHA-256 of the public key, in hexadecimal.
    public var keyFingerprint: String
    /// ECDSA over P-256 with SHA-256, as DER.
    public var signature: [UInt8]

    /// The signed bytes (docs/ledger.md, "Checkpoints").
    public var message: [UInt8] {
        var bytes = CanonicalBytes("offerd-checkpoint-1", capacity: 128)
        bytes.append(number, eventSequence, head, signedAt)
        return bytes.bytes
    }
}

public struct CheckpointStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func newest() throws -> AuditCheckpoint? {
        try transaction.first(
            "SELECT \(Self.columns) FROM audit_checkpoint WHERE number > 0 ORDER BY number DESC LIMIT 1")
    }

    /// The number of the newest event; 0 if there is none.
    public func newestEvent() throws -> Int64 { try AuditHead.read(transaction).sequence }

    /// How many events the newest checkpoint does not sign; its own event is none of them.
    public func unsignedEvents() throws -> Int64 {
        let head = try newestEvent()
        guard let newest = try newest() else { return head }
        return max(0, head - newest.eventSequence - 1)
    }

    /// Signs the audit as far as it goes, and keeps that. Needs a transaction of ``Ledger/write(by:_:)``.
    ///
    /// - Parameters:
    ///   - sign: ECDSA over the message, as DER.
    /// - Returns: the checkpoint; `nil` if there is nothing to sign.
    public func add(
        at now: Instant, fingerprint: String, sign: (_ message: [UInt8]) throws -> [UInt8]
    ) throws -> AuditCheckpoint? {
        guard try unsignedEvents() > 0 else { return nil }
        let head = try AuditHead.read(transaction)
        var checkpoint = AuditCheckpoint(
            number: (try newest()?.number ?? 0) + 1, eventSequence: head.sequence, head: head.hash, signedAt: now,
            keyFingerprint: fingerprint, signature: [])
        checkpoint.signature = try sign(checkpoint.message)
        try transaction.insert(.checkpoint, checkpoint, at: now, in: nil)
        return checkpoint
    }

    static let columns = Table.auditCheckpoint.list

    /// The proof of an issued offer; `nil` if no event covers it: then the ledger is broken.
    public func proof(of issued: StoredIssuedOffer) throws -> LedgerProof? {
        let event: AuditEvent? = try transaction.first(
            """
            SELECT \(Table.auditEvent.list) FROM audit_event WHERE issued_offer = ?1 ORDER BY sequence LIMIT 1
            """, issued.sequence)
        guard let event else { return nil }
        let covered = try event.references().first {
            $0.table == LedgerTable.issuedOffer.name && $0.key == .integer(issued.sequence)
        }
        guard let covered else { return nil }
        let checkpoint: AuditCheckpoint? = try transaction.first(
            """
            SELECT \(Self.columns) FROM audit_checkpoint WHERE event_sequence >= ?1
            ORDER BY event_sequence LIMIT 1
            """, event.sequence)
        return LedgerProof(
            eventSequence: event.sequence, eventHash: event.hash, previousHash: event.previousHash,
            rowDigest: covered.digest, checkpoint: checkpoint)
    }
}

extension AuditCheckpoint: LedgerRecord {
    static var ledger: LedgerTable { .auditCheckpoint }

    static let blank = AuditCheckpoint(
        number: 0, eventSequence: 0, head: [], signedAt: .distantPast, keyFingerprint: "", signature: [])

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("number", &number, .key("CHECK (number > 0)"))
        try columns("event_sequence", &eventSequence, .fixed("UNIQUE"))
        try columns("head", &head, .fixed("CHECK (length(head) = 32)"))
        try columns("signed_at", &signedAt, .fixed)
        try columns("key_fingerprint", &keyFingerprint, .fixed("CHECK (length(key_fingerprint) = 64)"))
        try columns("signature", &signature, .fixed("CHECK (length(signature) > 0)"))
    }
}

/// The audit's proof of an issued offer: the event that recorded it, and the checkpoint that signs that event.
public struct LedgerProof: Sendable, Hashable {
    public var eventSequence: Int64
    public var eventHash: [UInt8]
    public var previousHash: [UInt8]
    public var rowDigest: [UInt8]
    /// The first checkpoint that signs the event; `nil` while there is none.
    public var checkpoint: AuditCheckpoint?
}
