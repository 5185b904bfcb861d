extension ImportStore {
    /// Keeps payloads until they are applied.
    ///
    /// - Throws: ``StoreError``.
    public func stage(_ payloads: [StagedPayload], of run: ImportRun) throws {
        for staged in payloads {
            try transaction.execute(
                Statement(
                    """
                    INSERT INTO import_row (
                        run_id, subscription_key, line, kind, payload, app_account_token, app_customer_id)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                    """, run.number, staged.key, staged.line, staged.kind, staged.payload, staged.appAccountToken,
                    staged.customerId))
        }
    }

    /// Keeps refusals for the report; a line that is read again keeps its first.
    ///
    /// - Throws: ``StoreError``.
    public func refuse(_ lines: [RefusedLine], of run: ImportRun) throws {
        for line in lines {
            try transaction.execute(
                Statement(
                    """
                    INSERT INTO import_refusal (run_id, line, reason, detail) VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT (run_id, line) DO NOTHING
                    """, run.number, line.line, line.reason, line.detail))
        }
    }

    /// The next staged payloads in the order of their subscriptions, those of one as they stood in the source.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError``.
    public func rows(of run: ImportRun, after cursor: ImportCursor, limit: Int) throws -> [StagedRow] {
        try transaction.rows(
            Statement(
                """
                SELECT subscription_key, id, line, kind, payload, app_account_token, app_customer_id FROM import_row
                WHERE run_id = ?1 AND (subscription_key, id) > (?2, ?3) ORDER BY subscription_key, id LIMIT ?4
                """, run.number, cursor.key, cursor.row, limit)
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
    /// - Throws: ``StoreError``.
    public func stagedKeys(of run: ImportRun, _ keys: [String]) throws -> Set<String> {
        guard let first = keys.first, let last = keys.last else { return [] }
        return Set(
            try transaction.rows(
                Statement(
                    """
                    SELECT DISTINCT subscription_key FROM import_row
                    WHERE run_id = ?1 AND subscription_key >= ?2 AND subscription_key <= ?3 LIMIT ?4
                    """, run.number, first, last,
                    // One that comes in parts may have hundreds of thousands of rows.
                    first == last ? 1 : Int64.max)
            ).map { try $0.value(0, as: String.self) })
    }

    /// The next refusals in the order of their lines.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError``.
    public func refusals(of run: ImportRun, after line: Int64, limit: Int) throws -> [RefusedLine] {
        try transaction.rows(
            Statement(
                """
                SELECT line, reason, detail FROM import_refusal WHERE run_id = ?1 AND line > ?2 ORDER BY line LIMIT ?3
                """, run.number, line, limit)
        ).map { RefusedLine(line: try $0.value(0), reason: try $0.value(1), detail: try $0.value(2)) }
    }

    /// Removes the staged payloads of an import, and what it noted of its customers and refusals.
    ///
    /// - Parameter limit: at most so many of each.
    /// - Returns: whether nothing is left.
    /// - Throws: ``StoreError``.
    public func clear(_ run: ImportRun, limit: Int) throws -> Bool {
        let rows = try transaction.execute(
            Statement(
                """
                DELETE FROM import_row WHERE id IN (
                    SELECT id FROM import_row WHERE run_id = ?1 ORDER BY subscription_key, id LIMIT ?2)
                """, run.number, limit))
        let customers = try transaction.execute(
            Statement(
                """
                DELETE FROM import_customer WHERE run_id = ?1 AND customer_id IN (
                    SELECT customer_id FROM import_customer WHERE run_id = ?1 ORDER BY customer_id LIMIT ?2)
                """, run.number, limit))
        // Last, so that a report that was interrupted can be made again.
        guard rows < limit, customers < limit else { return false }
        let refusals = try transaction.execute(
            Statement(
                """
                DELETE FROM import_refusal WHERE run_id = ?1 AND line IN (
                    SELECT line FROM import_refusal WHERE run_id = ?1 ORDER BY line LIMIT ?2)
                """, run.number, limit))
        return refusals < limit
    }

    /// Removes what is staged of these subscriptions and Apple Accounts, whatever import it is of: somebody is erased.
    ///
    /// Whoever erases someone has to call it, or an open import would bring them back.
    ///
    /// - Returns: how many payloads were removed.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func forget(_ keys: [String], in scope: ScopeNumber) throws -> Int {
        var removed = 0
        for key in keys {
            removed += try transaction.execute(
                Statement(
                    """
                    DELETE FROM import_row WHERE subscription_key = ?2 AND run_id IN (
                        SELECT id FROM import_run WHERE scope_id = ?1 AND closed_at IS NULL)
                    """, scope, key))
        }
        return removed
    }
}
