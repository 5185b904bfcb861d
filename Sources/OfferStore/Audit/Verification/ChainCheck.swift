import OfferModel

/// Proves that the events are one unbroken chain, and that the checkpoints sign it.
struct ChainCheck {
    let transaction: any StoreTransaction
    let digest: any Digest
    let judge: LedgerVerification.CheckpointJudge?
    let progress: (Int64) -> Void

    /// - Throws: ``BrokenRow`` for the first event or checkpoint that does not fit.
    ///
    /// - Returns: what the events of erasures tell.
    func run(_ report: inout LedgerReport) throws -> ErasedRows {
        var erased = ErasedRows()
        var hasKey = false
        var events = AuditPages(
            AuditEvent.columns, of: "audit_event", key: "sequence", transaction)
        var checkpoints = AuditPages(
            CheckpointStore.columns, of: "audit_checkpoint", key: "number", transaction)
        var head = AuditHead(sequence: 0, hash: AuditEvent.origin)
        while let row = try events.next() {
            let event = try follow(row, after: head, &erased)
            head = event.head
            if event.kind == .keys { hasKey = try Self.hasDigestKey(row) }
            if hasKey, try row.value(7, as: String.self) == SaltedDigest.name { report.saltedEvents += 1 }
            while let next = try checkpoints.peek(), try next.value(1) == head.sequence {
                try check(next, head: head, number: report.checkpoints + 1)
                report.checkpoints += 1
                report.newestCheckpoint = try AuditCheckpoint(row: next)
                _ = try checkpoints.next()
            }
            if head.sequence.isMultiple(of: 10_000) { progress(head.sequence) }
        }
        if let left = try checkpoints.next() { throw try unmatched(left, newest: head.sequence, report) }
        report.events = head.sequence
        report.head = head.hash
        report.unsignedEvents =
            report.newestCheckpoint.map { max(0, head.sequence - $0.eventSequence - 1) } ?? head.sequence
        return erased
    }

    private func follow(
        _ row: StoredRow, after head: AuditHead, _ erased: inout ErasedRows
    ) throws -> (head: AuditHead, kind: AuditKind) {
        let expected = head.sequence + 1
        let sequence: Int64 = try row.value(0)
        guard sequence == expected else {
            throw BrokenRow("audit_event", .integer(expected), "it is missing; the next one is \(sequence)")
        }
        let event: AuditEvent
        let hash: [UInt8]
        do {
            (event, hash) = try AuditEvent.read(row)
            _ = try event.references()
            try erased.add(event)
        } catch let error as StoreError {
            throw BrokenRow("audit_event", .integer(sequence), "it cannot be read: \(error.detail)")
        }
        guard event.previousHash == head.hash else {
            throw BrokenRow("audit_event", .integer(sequence), "it does not follow the event before it")
        }
        guard event.hash(digest) == hash else {
            throw BrokenRow("audit_event", .integer(sequence), "its hash is not that of its content")
        }
        return (AuditHead(sequence: sequence, hash: hash), event.kind)
    }

    /// Whether a start of the service told of a key for digests.
    private static func hasDigestKey(_ row: StoredRow) throws -> Bool {
        guard let after = try AuditEvent.read(row).event.after else { return false }
        return try AuditValues(text: after)[SigningKeyLog.digestMember] != nil
    }

    private func check(_ row: StoredRow, head: AuditHead, number: Int64) throws {
        let checkpoint = try AuditCheckpoint(row: row)
        func broken(_ detail: String) -> BrokenRow {
            BrokenRow("audit_checkpoint", .integer(checkpoint.number), detail)
        }
        guard checkpoint.number == number else {
            throw BrokenRow("audit_checkpoint", .integer(number), "it is missing")
        }
        guard checkpoint.head == head.hash else {
            throw broken("event \(head.sequence) has not the hash that was signed")
        }
        switch judge?(checkpoint) {
        case .valid, nil: return
        case .unknownKey:
            throw broken("it is signed by the key `\(checkpoint.keyFingerprint)`, which is not the audit's")
        case .invalid: throw broken("its signature is not valid")
        }
    }

    /// Why a checkpoint met no event.
    private func unmatched(_ row: StoredRow, newest: Int64, _ report: LedgerReport) throws -> BrokenRow {
        let checkpoint = try AuditCheckpoint(row: row)
        guard checkpoint.eventSequence > newest else {
            return BrokenRow(
                "audit_checkpoint", .integer(checkpoint.number),
                "it signs event \(checkpoint.eventSequence), which an earlier checkpoint has passed")
        }
        guard checkpoint.number == report.checkpoints + 1 else {
            return BrokenRow("audit_checkpoint", .integer(report.checkpoints + 1), "it is missing")
        }
        if case .valid? = judge?(checkpoint) {
            return BrokenRow(
                "audit_event", .integer(newest + 1),
                "it is missing: the audit was cut off, and checkpoint \(checkpoint.number) signs it up to "
                    + "\(checkpoint.eventSequence)")
        }
        return BrokenRow(
            "audit_checkpoint", .integer(checkpoint.number),
            "it signs event \(checkpoint.eventSequence), and the audit ends at \(newest)")
    }
}
