extension Migration {
    /// What Apple's clock said last, a place to try writing, and when the body of a signature was removed.
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
            """)
}
