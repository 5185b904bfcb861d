extension Migration {
    /// What Apple's clock said last, a place to try writing, and what retention has removed.
    ///
    /// Production data was always verified to Apple's root; of Sandbox data stored before, that is not known.
    static let upkeep = Migration(
        name: "0006-upkeep",
        sql: """
            ALTER TABLE store_state ADD COLUMN newest_signed_date INTEGER;
            ALTER TABLE store_state ADD COLUMN tried_at INTEGER;
            UPDATE store_state SET newest_signed_date = (
                SELECT max(newest) FROM (
                    SELECT max(h.signed_date) AS newest FROM history_transaction h JOIN scope s ON s.id = h.scope_id
                    WHERE s.environment = 'Production' AND h.is_proven = 1
                    UNION ALL
                    SELECT max(h.signed_date) FROM history_renewal_info h JOIN scope s ON s.id = h.scope_id
                    WHERE s.environment = 'Production' AND h.is_proven = 1
                    UNION ALL
                    SELECT max(h.receipt_creation_date) FROM history_app_transaction h JOIN scope s ON s.id = h.scope_id
                    WHERE s.environment = 'Production' AND h.is_proven = 1
                )
            );
            ALTER TABLE signature ADD COLUMN body_removed_at INTEGER;
            ALTER TABLE decision ADD COLUMN body_removed_at INTEGER;
            CREATE TABLE retention_progress (
                subject TEXT PRIMARY KEY CHECK (subject IN ('signatures', 'refusals')),
                done_to INTEGER NOT NULL
            ) STRICT;
            """)
}
