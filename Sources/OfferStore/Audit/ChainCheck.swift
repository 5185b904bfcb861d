import OfferModel

/// Proves that the events are one unbroken chain, and that the checkpoints sign it.
struct ChainCheck {
    let transaction: any StoreTransaction
    let digest: any Digest
    let judge: LedgerVerification.CheckpointJudge?
    let progress: (Int64) -> Void

    /// - Throws: ``BrokenRow`` for the first event or checkpoint that does not fit.
    /// - Returns: what the events of erasures tell.
    func run(_ report: inout LedgerReport) throws -> ErasedRows {
        var erased = ErasedRows()
        var hasKey = false
        var events = AuditPages.events(transaction)
        var checkpoints = AuditPages(CheckpointStore.columns, of: "audit_checkpoint", key: "number", in: transaction)
        var head = AuditHead(sequence: 0, hash: AuditEvent.origin)
        while let row = try events.next() {
            let event = try follow(row, after: head, &erased)
            head = AuditHead(sequence: event.sequence, hash: event.hash)
            if event.kind == .keys {
                hasKey = try AuditValues(text: event.after ?? "{}")[SigningKeyLog.digestMember] != nil
            }
            if hasKey, event.digestKey == SaltedDigest.name { report.saltedEvents += 1 }
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

    private func follow(_ row: StoredRow, after head: AuditHead, _ erased: inout ErasedRows) throws -> AuditEvent {
        let expected = head.sequence + 1
        let sequence: Int64 = try row.value(0)
        guard sequence == expected else {
            throw BrokenRow("audit_event", .integer(expected), "it is missing; the next one is \(sequence)")
        }
        let event: AuditEvent
        do {
            event = try AuditEvent(row: row)
            _ = try event.references()
            try erased.add(event)
        } catch let error as StoreError {
            throw BrokenRow("audit_event", .integer(sequence), "it cannot be read: \(error.detail)")
        }
        guard event.previousHash == head.hash else {
            throw BrokenRow("audit_event", .integer(sequence), "it does not follow the event before it")
        }
        guard try event.derivedHash(digest) == event.hash else {
            throw BrokenRow("audit_event", .integer(sequence), "its hash is not that of its content")
        }
        return event
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

/// Reads rows in the order of an integer key, a page at a time, so that memory stays bounded.
struct AuditPages {
    static let length = 500

    private let sql: String
    private let values: [StoredValue]
    private let transaction: any StoreTransaction
    private var page: ArraySlice<StoredRow> = []
    private var last: Int64 = 0
    private var isExhausted = false
    /// Called with the first and the last key of each page before its rows are given out.
    var onPage: ((Int64, Int64) throws -> Void)?

    /// - Parameters:
    ///   - columns: the key first.
    ///   - condition: which rows; its placeholders begin at `?2`.
    init(
        _ columns: String, of table: String, key: String, where condition: String = "TRUE", _ values: StoredValue...,
        in transaction: any StoreTransaction
    ) {
        sql = """
            SELECT \(columns) FROM \(table) WHERE \(key) > ?1 AND \(condition) ORDER BY \(key) LIMIT \(Self.length)
            """
        self.values = values
        self.transaction = transaction
    }

    static func events(_ transaction: any StoreTransaction) -> AuditPages {
        AuditPages(Table.auditEvent.list, of: "audit_event", key: "sequence", in: transaction)
    }

    /// The next row, which stays the next.
    mutating func peek() throws -> StoredRow? {
        if page.isEmpty, !isExhausted {
            page = try transaction.rows(Statement(sql, values: [.integer(last)] + values))[...]
            isExhausted = page.count < Self.length
            if let first = page.first, let newest = page.last {
                last = try newest.value(0)
                try onPage?(try first.value(0), last)
            }
        }
        return page.first
    }

    mutating func next() throws -> StoredRow? {
        let row = try peek()
        if row != nil { page.removeFirst() }
        return row
    }
}

/// The rows that events of erasures name: only of these may texts be gone that retention did not remove.
struct ErasedRows {
    private var rows: [String: Set<Int64>] = [:]
    /// How many texts these events erased.
    private(set) var count: Int64 = 0

    func holds(_ table: String, _ key: Int64?) -> Bool {
        key.map { rows[table]?.contains($0) ?? false } ?? false
    }

    mutating func add(_ event: AuditEvent) throws {
        guard event.kind == .erasure else { return }
        let after = try AuditValues(text: event.after ?? "{}")
        count = count.saturatingAdding(try after.value("erased"))
        for part in try after.value("rows", as: String.self).split(separator: ";") {
            let words = part.split(separator: " ")
            guard let table = words.first else { continue }
            for word in words.dropFirst() {
                guard let key = Int64(word) else {
                    throw StoreError.corrupt("event \(event.sequence) names a row `\(word)`")
                }
                rows[String(table), default: []].insert(key)
            }
        }
    }

    /// The rows as an event tells them: `issued_offer 5 6;refusal 7`.
    static func text(_ rows: [String: [Int64]]) -> String {
        rows.sorted { $0.key < $1.key }
            .map { table, keys in ([table] + Set(keys).sorted().map(String.init)).joined(separator: " ") }
            .joined(separator: ";")
    }
}
