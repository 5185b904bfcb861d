public import OfferModel

/// Bulk imports and what they have staged (docs/import.md).
public struct ImportStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func open(source: String, in scope: ScopeNumber) throws -> ImportRun? {
        try transaction.first(
            """
            SELECT \(Self.columns) FROM import_run WHERE scope_id = ?1 AND source = ?2 AND closed_at IS NULL
            """, scope, source)
    }

    public func begin(_ terms: ImportTerms, at now: Instant, in scope: ScopeNumber) throws -> ImportRun {
        var new = ImportRun.blank
        (new.terms, new.beganAt) = (terms, now)
        // The store gives the number.
        try transaction.execute(
            "INSERT INTO import_run (scope_id, \(Self.changing)) VALUES (?1, ?*)", scope,
            list: Array(try new.stored().dropFirst()))
        guard let run = try open(source: terms.source, in: scope) else {
            throw StoreError.corrupt("a new row of `import_run` is missing")
        }
        try transaction.audit().record(
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
        let updated = try transaction.changes(
            by: """
                UPDATE import_run SET (\(Self.changing)) = (?*)
                WHERE id = ?1 AND stage = ?2 AND position = ?3 AND applied_key = ?4 AND applied_row = ?5 AND digest = ?6
                """, run.number, before.stage, before.position, before.cursor.key, before.cursor.row,
            before.terms.digest,
            list: Array(try run.stored().dropFirst()))
        guard updated == 1 else {
            throw StoreError.busy("another process goes on with this import at the same time")
        }
    }

    /// Stops an import that is to be discarded: its source is forgotten, and a process that runs it fails at its next
    /// step.
    public func abandon(_ run: ImportRun) throws {
        try transaction.execute(
            "UPDATE import_run SET stage = 'closing', digest = ?2 WHERE id = ?1 AND closed_at IS NULL",
            run.number, [UInt8](repeating: 0, count: 32))
    }

    public func close(_ run: ImportRun, isDiscarded: Bool, at now: Instant, in scope: ScopeNumber) throws {
        try transaction.execute(
            "UPDATE import_run SET stage = 'closed', closed_at = ?2 WHERE id = ?1 AND closed_at IS NULL",
            run.number, now)
        let counts = run.counts
        try transaction.audit().record(
            .imported, at: now, in: scope,
            after: [
                "import": run.number, "stage": isDiscarded ? "discarded" : "done", "lines": counts.lines,
                "refused": counts.refused, "added": counts.added, "updated": counts.updated,
                "subscriptions": counts.subscriptions, "stated": counts.stated,
            ])
    }

    private static let columns = ImportRun.list()
    /// The columns but the number.
    private static let changing = ImportRun.columns.dropFirst().map(\.name).joined(separator: ", ")

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
        try transaction.all(
            """
            SELECT subscription_key, id, line, kind, payload, app_account_token, app_customer_id FROM import_row
            WHERE run_id = ?1 AND (subscription_key, id) > (?2, ?3) ORDER BY subscription_key, id LIMIT ?4
            """, run.number, cursor.key, cursor.row, limit
        ).map { key, row, line, kind, payload, token, customer in
            StagedRow(
                cursor: ImportCursor(key: key, row: row),
                staged: StagedPayload(
                    key: key, line: line, kind: kind, payload: payload, appAccountToken: token, customerId: customer))
        }
    }

    /// The subscriptions with anything staged, by their ids.
    public func keys(of run: ImportRun, after key: String, limit: Int) throws -> [String] {
        try transaction.all(
            """
            SELECT DISTINCT subscription_key FROM import_row
            WHERE run_id = ?1 AND subscription_key > ?2 ORDER BY subscription_key LIMIT ?3
            """, run.number, key, limit)
    }

    /// The subscriptions that have anything staged.
    ///
    /// - Parameter keys: in their order; those between the first and the last are told too.
    public func stagedKeys(of run: ImportRun, _ keys: [String]) throws -> Set<String> {
        guard let first = keys.first, let last = keys.last else { return [] }
        let staged: [String] = try transaction.all(
            """
            SELECT DISTINCT subscription_key FROM import_row
            WHERE run_id = ?1 AND subscription_key >= ?2 AND subscription_key <= ?3 LIMIT ?4
            """, run.number, first, last,
            // One that comes in parts may have hundreds of thousands of rows.
            first == last ? 1 : Int64.max)
        return Set(staged)
    }

    public func refusals(of run: ImportRun, after line: Int64, limit: Int) throws -> [RefusedLine] {
        try transaction.all(
            """
            SELECT line, reason, detail FROM import_refusal WHERE run_id = ?1 AND line > ?2 ORDER BY line LIMIT ?3
            """, run.number, line, limit
        ).map(RefusedLine.init)
    }

    /// Removes the staged payloads of an import, and what it noted of its customers and refusals.
    ///
    /// - Returns: whether nothing is left.
    public func clear(_ run: ImportRun, limit: Int) throws -> Bool {
        let rows = try transaction.changes(
            by: """
                DELETE FROM import_row WHERE id IN (
                    SELECT id FROM import_row WHERE run_id = ?1 ORDER BY subscription_key, id LIMIT ?2)
                """, run.number, limit)
        let customers = try transaction.changes(
            by: """
                DELETE FROM import_customer WHERE run_id = ?1 AND customer_id IN (
                    SELECT customer_id FROM import_customer WHERE run_id = ?1 ORDER BY customer_id LIMIT ?2)
                """, run.number, limit)
        guard rows < limit, customers < limit else { return false }
        let refusals = try transaction.changes(
            by: """
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
            removed += try transaction.changes(
                by: """
                    DELETE FROM import_row WHERE subscription_key = ?2 AND run_id IN (
                        SELECT id FROM import_run WHERE scope_id = ?1 AND closed_at IS NULL)
                    """, scope, key)
        }
        return removed
    }

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
        try transaction.all(
            """
            SELECT customer_id FROM import_customer
            WHERE run_id = ?1 AND customer_id > ?2 AND app_transaction_id = '' ORDER BY customer_id LIMIT ?3
            """, run.number, customer, limit)
    }

    /// Whether the source or an alias hints that this customer is the same as another, without proof: then
    /// what is known of this one alone may lack what the other bought (invariant 3).
    public func mayBeSomebodyElse(_ customer: CustomerNumber, of run: ImportRun) throws -> Bool {
        let others = [
            """
            SELECT 1 FROM import_customer b
            WHERE b.run_id = a.run_id AND b.app_transaction_id = a.app_transaction_id
                AND b.app_transaction_id <> '' AND b.customer_id <> a.customer_id
            """,
            """
            SELECT 1 FROM customer_identifier i
            WHERE i.scope_id = (SELECT scope_id FROM import_run WHERE id = ?1)
                AND i.kind = 'appTransactionId' AND i.value = a.app_transaction_id
                AND i.customer_id <> a.customer_id
            """,
        ]
        for other in others {
            let found = try transaction.row(
                """
                SELECT 1 FROM import_customer a
                WHERE a.run_id = ?1 AND a.customer_id = ?2 AND a.app_transaction_id <> '' AND EXISTS (\(other)) LIMIT 1
                """, run.number, customer)
            if found != nil { return true }
        }
        return try transaction.row(
            """
            SELECT 1 FROM customer_alias a WHERE a.customer_id = ?1 AND EXISTS (
                SELECT 1 FROM customer_alias b JOIN customer c ON c.id = b.customer_id
                WHERE b.scope_id = a.scope_id AND b.kind = a.kind AND b.value = a.value
                    AND b.customer_id <> a.customer_id AND c.merged_into IS NULL) LIMIT 1
            """, customer) != nil
    }
}

extension ImportRun: TableRow {
    static let blank = ImportRun(
        number: 0, terms: ImportTerms(source: "", provenance: .operator, digest: []), beganAt: .distantPast,
        stage: .staging, position: 0, cursor: .start, counts: ImportCounts())

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("id", &number, .key)
        try columns("source", &terms.source, "CHECK (length(source) > 0)")
        try columns("provenance", &terms.provenance, "CHECK (provenance IN ('operator', 'receipt'))")
        try columns("digest", &terms.digest, "CHECK (length(digest) = 32)")
        try columns("complete_as_of", &terms.completeAsOf)
        try columns("began_at", &beganAt)
        try columns("stage", &stage, "CHECK (stage IN ('staging', 'applying', 'stating', 'closing', 'closed'))")
        try columns("position", &position, "CHECK (position >= 0)")
        try columns("lines", &counts.lines, "CHECK (lines >= 0)")
        try columns("refused", &counts.refused, "CHECK (refused >= 0)")
        try columns("gaps", &counts.gaps, "CHECK (gaps >= 0 AND gaps <= refused)")
        try columns("staged", &counts.staged, "CHECK (staged >= 0)")
        try columns("applied", &counts.applied, "CHECK (applied >= 0 AND applied <= staged)")
        try columns("applied_key", &cursor.key, .erased(.emptied))
        try columns("applied_row", &cursor.row)
        try columns("added", &counts.added, "CHECK (added >= 0)")
        try columns("updated", &counts.updated, "CHECK (updated >= 0)")
        try columns("unchanged", &counts.unchanged, "CHECK (unchanged >= 0)")
        try columns("repeated", &counts.repeated, "CHECK (repeated >= 0)")
        try columns("subscriptions", &counts.subscriptions, "CHECK (subscriptions >= 0)")
        try columns("stated", &counts.stated, "CHECK (stated >= 0)")
        try columns("report", &report)
    }
}
