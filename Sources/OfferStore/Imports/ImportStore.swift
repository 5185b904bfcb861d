public import OfferModel

/// Bulk imports and what they have staged (docs/import.md).
public struct ImportStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func open(source: String, in scope: ScopeNumber) throws -> ImportRun? {
        try transaction.row(
            """
            SELECT \(Self.columns) FROM import_run WHERE scope_id = ?1 AND source = ?2 AND closed_at IS NULL
            """, scope, source
        ).map(ImportRun.init(row:))
    }

    /// Begins an import and records it in the audit.
    public func begin(_ terms: ImportTerms, at now: Instant, in scope: ScopeNumber) throws -> ImportRun {
        try transaction.execute(
            """
            INSERT INTO import_run (
                scope_id, source, provenance, digest, complete_as_of, began_at, stage, position, lines, refused, gaps,
                staged, applied, applied_key, applied_row, added, updated, unchanged, repeated, subscriptions, stated)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'staging', 0, 0, 0, 0, 0, 0, '', 0, 0, 0, 0, 0, 0, 0)
            """, scope, terms.source, terms.provenance, terms.digest, terms.completeAsOf, now)
        guard let run = try open(source: terms.source, in: scope) else {
            throw StoreError.corrupt("a new row of `import_run` is missing")
        }
        try AuditLog(transaction).record(
            .imported, at: now, in: scope,
            after: [
                "import": run.number, "source": terms.source, "provenance": terms.provenance,
                "digest": Hexadecimal.lowercase(terms.digest), "completeAsOf": terms.completeAsOf,
            ])
        return run
    }

    /// - Parameters:
    ///   - before: as it was read; if another process has taken it further since, nothing is written.
    /// - Throws: ``StoreError/busy(_:)`` if another process continues it, and other ``StoreError``s.
    public func update(_ run: ImportRun, from before: ImportRun) throws {
        let counts = run.counts
        let changed = try transaction.execute(
            Self.updateSQL,
            run.number, run.stage, run.position, counts.lines, counts.refused, counts.gaps, counts.staged,
            counts.applied, run.cursor.key, run.cursor.row, counts.added, counts.updated, counts.unchanged,
            counts.repeated, counts.subscriptions, counts.stated, before.stage, before.position, before.cursor.key,
            before.cursor.row)
        guard changed == 1 else {
            throw StoreError.busy("another process goes on with this import at the same time")
        }
    }

    /// Stops an import that is to be discarded: its source is forgotten, and a process that runs it fails at its next
    /// step.
    public func abandon(_ run: ImportRun) throws {
        try transaction.execute(
            "UPDATE import_run SET stage = 'closing', digest = ?2 WHERE id = ?1 AND closed_at IS NULL",
            values: [run.number.storedValue, .blob([UInt8](repeating: 0, count: 32))])
    }

    /// Ends an import whose rows are cleared, and records it in the audit.
    public func close(_ run: ImportRun, isDiscarded: Bool, at now: Instant, in scope: ScopeNumber) throws {
        try transaction.execute(
            "UPDATE import_run SET stage = 'closed', closed_at = ?2 WHERE id = ?1 AND closed_at IS NULL",
            run.number, now)
        let counts = run.counts
        try AuditLog(transaction).record(
            .imported, at: now, in: scope,
            after: [
                "import": run.number, "stage": isDiscarded ? "discarded" : "done", "lines": counts.lines,
                "refused": counts.refused, "added": counts.added, "updated": counts.updated,
                "subscriptions": counts.subscriptions, "stated": counts.stated,
            ])
    }

    private static let columns = """
        id, source, provenance, digest, complete_as_of, began_at, stage, position, applied_key, applied_row, lines, \
        refused, gaps, staged, applied, added, updated, unchanged, repeated, subscriptions, stated
        """

    private static let updateSQL = """
        UPDATE import_run SET stage = ?2, position = ?3, lines = ?4, refused = ?5, gaps = ?6, staged = ?7, applied = ?8,
            applied_key = ?9, applied_row = ?10, added = ?11, updated = ?12, unchanged = ?13, repeated = ?14,
            subscriptions = ?15, stated = ?16
        WHERE id = ?1 AND stage = ?17 AND position = ?18 AND applied_key = ?19 AND applied_row = ?20
        """
}

extension ImportRun {
    fileprivate init(row: StoredRow) throws {
        var reader = RowReader(row)
        number = try reader.next()
        terms = ImportTerms(
            source: try reader.next(), provenance: try reader.next(), digest: try reader.next(),
            completeAsOf: try reader.next())
        beganAt = try reader.next()
        stage = try reader.next()
        position = try reader.next()
        cursor = ImportCursor(key: try reader.next(), row: try reader.next())
        counts = ImportCounts()
        counts.lines = try reader.next()
        counts.refused = try reader.next()
        counts.gaps = try reader.next()
        counts.staged = try reader.next()
        counts.applied = try reader.next()
        counts.added = try reader.next()
        counts.updated = try reader.next()
        counts.unchanged = try reader.next()
        counts.repeated = try reader.next()
        counts.subscriptions = try reader.next()
        counts.stated = try reader.next()
    }
}

extension ImportStore {
    public func stage(_ payloads: [StagedPayload], of run: ImportRun) throws {
        for staged in payloads {
            try transaction.execute(
                """
                INSERT INTO import_row (
                    run_id, subscription_key, line, kind, payload, app_account_token, app_customer_id)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """, run.number, staged.key, staged.line, staged.kind, staged.payload, staged.appAccountToken,
                staged.customerId)
        }
    }

    /// Keeps refusals for the report; a line that is read again keeps its first.
    public func refuse(_ lines: [RefusedLine], of run: ImportRun) throws {
        for line in lines {
            try transaction.execute(
                """
                INSERT INTO import_refusal (run_id, line, reason, detail) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (run_id, line) DO NOTHING
                """, run.number, line.line, line.reason, line.detail)
        }
    }

    /// The next staged payloads in the order of their subscriptions, those of one as they stood in the source.
    public func rows(of run: ImportRun, after cursor: ImportCursor, limit: Int) throws -> [StagedRow] {
        try transaction.rows(
            """
            SELECT subscription_key, id, line, kind, payload, app_account_token, app_customer_id FROM import_row
            WHERE run_id = ?1 AND (subscription_key, id) > (?2, ?3) ORDER BY subscription_key, id LIMIT ?4
            """, run.number, cursor.key, cursor.row, limit
        ).map { row in
            var reader = RowReader(row)
            let cursor = ImportCursor(key: try reader.next(), row: try reader.next())
            return StagedRow(
                cursor: cursor,
                staged: StagedPayload(
                    key: cursor.key, line: try reader.next(), kind: try reader.next(), payload: try reader.next(),
                    appAccountToken: try reader.next(), customerId: try reader.next()))
        }
    }

    /// Which of some subscriptions have anything staged.
    ///
    /// - Parameter keys: in their order; those between the first and the last are told too.
    public func stagedKeys(of run: ImportRun, _ keys: [String]) throws -> Set<String> {
        guard let first = keys.first, let last = keys.last else { return [] }
        return Set(
            try transaction.rows(
                """
                SELECT DISTINCT subscription_key FROM import_row
                WHERE run_id = ?1 AND subscription_key >= ?2 AND subscription_key <= ?3 LIMIT ?4
                """, run.number, first, last,
                // One that comes in parts may have hundreds of thousands of rows.
                first == last ? 1 : Int64.max
            ).map { try $0.value(0, as: String.self) })
    }

    public func refusals(of run: ImportRun, after line: Int64, limit: Int) throws -> [RefusedLine] {
        try transaction.rows(
            """
            SELECT line, reason, detail FROM import_refusal WHERE run_id = ?1 AND line > ?2 ORDER BY line LIMIT ?3
            """, run.number, line, limit
        ).map { RefusedLine(line: try $0.value(0), reason: try $0.value(1), detail: try $0.value(2)) }
    }

    /// Removes the staged payloads of an import, and what it noted of its customers and refusals.
    ///
    /// - Returns: whether nothing is left.
    public func clear(_ run: ImportRun, limit: Int) throws -> Bool {
        let rows = try transaction.execute(
            """
            DELETE FROM import_row WHERE id IN (
                SELECT id FROM import_row WHERE run_id = ?1 ORDER BY subscription_key, id LIMIT ?2)
            """, run.number, limit)
        let customers = try transaction.execute(
            """
            DELETE FROM import_customer WHERE run_id = ?1 AND customer_id IN (
                SELECT customer_id FROM import_customer WHERE run_id = ?1 ORDER BY customer_id LIMIT ?2)
            """, run.number, limit)
        // Last, so that a report that was interrupted can be made again.
        guard rows < limit, customers < limit else { return false }
        let refusals = try transaction.execute(
            """
            DELETE FROM import_refusal WHERE run_id = ?1 AND line IN (
                SELECT line FROM import_refusal WHERE run_id = ?1 ORDER BY line LIMIT ?2)
            """, run.number, limit)
        return refusals < limit
    }

    /// Removes what is staged of these subscriptions and Apple Accounts, of any import: their customer is erased.
    ///
    /// Every erasure has to call it, or an open import would bring the customer back.
    @discardableResult
    public func forget(_ keys: [String], in scope: ScopeNumber) throws -> Int {
        var removed = 0
        for key in keys {
            removed += try transaction.execute(
                """
                DELETE FROM import_row WHERE subscription_key = ?2 AND run_id IN (
                    SELECT id FROM import_run WHERE scope_id = ?1 AND closed_at IS NULL)
                """, scope, key)
        }
        return removed
    }
}

extension ImportStore {
    /// Remembers a customer whose history the operator calls complete, until all that is staged is applied.
    ///
    /// - Parameter accounts: the Apple Accounts that the source names, unproven.
    public func remember(_ customer: CustomerNumber, accounts: [AppTransactionId], of run: ImportRun) throws {
        for account in [AppTransactionId("")] + accounts {
            try transaction.execute(
                """
                INSERT INTO import_customer (run_id, customer_id, app_transaction_id) VALUES (?1, ?2, ?3)
                ON CONFLICT (run_id, customer_id, app_transaction_id) DO NOTHING
                """, run.number, customer, account)
        }
    }

    public func remembered(of run: ImportRun, after customer: Int64, limit: Int) throws -> [CustomerNumber] {
        try transaction.rows(
            """
            SELECT customer_id FROM import_customer
            WHERE run_id = ?1 AND customer_id > ?2 AND app_transaction_id = '' ORDER BY customer_id LIMIT ?3
            """, run.number, customer, limit
        ).map { try $0.value(0) }
    }

    /// Whether the source or an alias hints that this customer is the same as another, without proof: then
    /// what is known of this one alone may lack what the other bought (invariant 3).
    public func mayBeSomebodyElse(_ customer: CustomerNumber, of run: ImportRun) throws -> Bool {
        let byAccount = try transaction.row(
            """
            SELECT 1 FROM import_customer a
            WHERE a.run_id = ?1 AND a.customer_id = ?2 AND a.app_transaction_id <> '' AND EXISTS (
                SELECT 1 FROM import_customer b
                WHERE b.run_id = a.run_id AND b.app_transaction_id = a.app_transaction_id
                    AND b.app_transaction_id <> '' AND b.customer_id <> a.customer_id) LIMIT 1
            """, run.number, customer)
        if byAccount != nil { return true }
        let byKnownAccount = try transaction.row(
            """
            SELECT 1 FROM import_customer a
            WHERE a.run_id = ?1 AND a.customer_id = ?2 AND a.app_transaction_id <> '' AND EXISTS (
                SELECT 1 FROM customer_identifier i
                WHERE i.scope_id = (SELECT scope_id FROM import_run WHERE id = ?1)
                    AND i.kind = 'appTransactionId' AND i.value = a.app_transaction_id
                    AND i.customer_id <> a.customer_id) LIMIT 1
            """, run.number, customer)
        if byKnownAccount != nil { return true }
        return try transaction.row(
            """
            SELECT 1 FROM customer_alias a WHERE a.customer_id = ?1 AND EXISTS (
                SELECT 1 FROM customer_alias b JOIN customer c ON c.id = b.customer_id
                WHERE b.scope_id = a.scope_id AND b.kind = a.kind AND b.value = a.value
                    AND b.customer_id <> a.customer_id AND c.merged_into IS NULL) LIMIT 1
            """, customer) != nil
    }
}
