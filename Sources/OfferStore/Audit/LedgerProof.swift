/// What the audit holds of an issued offer: the event that told of it, and the checkpoint that signs that event.
public struct LedgerProof: Sendable, Hashable {
    /// The event's place in the chain.
    public var eventSequence: Int64
    /// The event's hash.
    public var eventHash: [UInt8]
    /// The hash of the event before.
    public var previousHash: [UInt8]
    /// The digest of the row, which the event holds.
    public var rowDigest: [UInt8]
    /// The first checkpoint that signs the event; `nil` while there is none.
    public var checkpoint: AuditCheckpoint?
}

/// Proofs of issued offers.
public struct LedgerProofStore {
    private let transaction: any StoreTransaction

    /// The proofs as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The proof of an issued offer; `nil` if no event tells of it: then the ledger is broken.
    ///
    /// - Throws: ``StoreError``.
    public func proof(of issued: IssuedOffer) throws -> LedgerProof? {
        let row = try transaction.row(
            Statement(
                """
                SELECT \(AuditEvent.columns) FROM audit_event WHERE issued_offer = ?1 ORDER BY sequence LIMIT 1
                """, issued.sequence))
        guard let row else { return nil }
        let (event, hash) = try AuditEvent.read(row)
        let covered = try event.references().first {
            $0.table == LedgerTable.issuedOffer.name && $0.key == .integer(issued.sequence)
        }
        guard let covered else { return nil }
        return LedgerProof(
            eventSequence: event.sequence, eventHash: hash, previousHash: event.previousHash,
            rowDigest: covered.digest, checkpoint: try CheckpointStore(transaction).covering(event.sequence))
    }
}
