extension Migration {
    /// Where the identifiers of customers came from, and for which of the app's accounts an offer was first issued.
    ///
    /// What was stored before says nothing of it. The account has a table of its own, so that an erasure deletes its row
    /// and the slot's row stays as the audit knows it.
    static let signUps = Migration(
        name: "0013-sign-ups",
        sql: """
            ALTER TABLE customer_identifier ADD COLUMN provenance TEXT;
            ALTER TABLE customer_identifier ADD COLUMN transaction_id TEXT;
            ALTER TABLE customer_alias ADD COLUMN provenance TEXT;
            ALTER TABLE customer_alias ADD COLUMN transaction_id TEXT;
            ALTER TABLE customer_alias ADD COLUMN request_id TEXT;

            CREATE TABLE issued_offer_sign_up (
                sequence INTEGER PRIMARY KEY REFERENCES issued_offer (sequence),
                app_account_token TEXT,
                app_customer_id TEXT,
                CHECK (app_account_token IS NOT NULL OR app_customer_id IS NOT NULL)
            ) STRICT;
            """)
}
