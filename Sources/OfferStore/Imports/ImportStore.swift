public import OfferModel

/// Bulk imports and what they have staged (docs/import.md).
public struct ImportStore {
    let transaction: any StoreTransaction

    /// The imports as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The import of a kind of source that is not done yet.
    ///
    /// - Throws: ``StoreError``.
    public func open(source: String, in scope: ScopeNumber) throws -> ImportRun? {
        try transaction.row(
            Statement(
                """
                SELECT \(Self.columns) FROM import_run WHERE scope_id = ?1 AND source = ?2 AND closed_at IS NULL
                """, scope, source)
        ).map(ImportRun.init(row:))
    }

    /// Begins an import, which the audit tells of.
    ///
    /// - Throws: ``StoreError``.
    public func begin(_ terms: ImportTerms, at now: Instant, in scope: ScopeNumber) throws -> ImportRun {
        try transaction.execute(
            Statement(
                """
                INSERT INTO import_run (
                    scope_id, source, provenance, digest, complete_as_of, began_at, stage, position, lines, refused, gaps,
                    staged, applied, applied_key, applied_row, added, updated, unchanged, repeated, subscriptions, stated)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'staging', 0, 0, 0, 0, 0, 0, '', 0, 0, 0, 0, 0, 0, 0)
                """, scope, terms.source, terms.provenance, terms.digest, terms.completeAsOf, now))
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

    /// Notes how far an import is.
    ///
    /// - Parameters:
    ///   - run: as it shall be.
    ///   - before: as it was read; if another process has taken it further since, nothing is written.
    /// - Throws: ``StoreError/busy(_:)`` if somebody else is at it, and other ``StoreError``s.
    public func update(_ run: ImportRun, from before: ImportRun) throws {
        let counts = run.counts
        let changed = try transaction.execute(
            Statement(
                Self.updateSQL,
                values: [
                    run.number.storedValue, run.stage.storedValue, run.position.storedValue,
                    counts.lines.storedValue, counts.refused.storedValue, counts.gaps.storedValue,
                    counts.staged.storedValue, counts.applied.storedValue, run.cursor.key.storedValue,
                    run.cursor.row.storedValue, counts.added.storedValue, counts.updated.storedValue,
                    counts.unchanged.storedValue, counts.repeated.storedValue, counts.subscriptions.storedValue,
                    counts.stated.storedValue, before.stage.storedValue, before.position.storedValue,
                    before.cursor.key.storedValue, before.cursor.row.storedValue,
                ]))
        guard changed == 1 else {
            throw StoreError.busy("another process goes on with this import at the same time")
        }
    }

    /// Lets nobody go on with an import that is to be discarded: neither its source, which is forgotten, nor a process
    /// that is at it.
    ///
    /// - Throws: ``StoreError``.
    public func abandon(_ run: ImportRun) throws {
        try transaction.execute(
            Statement(
                "UPDATE import_run SET stage = 'closing', digest = ?2 WHERE id = ?1 AND closed_at IS NULL",
                values: [run.number.storedValue, .blob([UInt8](repeating: 0, count: 32))]))
    }

    /// Ends an import whose rows are cleared away, which the audit tells of.
    ///
    /// - Throws: ``StoreError``.
    public func close(_ run: ImportRun, isDiscarded: Bool, at now: Instant, in scope: ScopeNumber) throws {
        try transaction.execute(
            Statement(
                "UPDATE import_run SET stage = 'closed', closed_at = ?2 WHERE id = ?1 AND closed_at IS NULL",
                run.number, now))
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
