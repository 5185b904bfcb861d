extension Migration {
    /// What bulk import has read and not applied yet (docs/import.md).
    ///
    /// A run is open until everything it read is applied; of each kind of source at most one is open in a scope.
    static let imports = Migration(
        name: "0010-import",
        sql: """
            CREATE TABLE import_run (
                id INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                source TEXT NOT NULL CHECK (length(source) > 0),
                provenance TEXT NOT NULL CHECK (provenance IN ('operator', 'receipt')),
                digest BLOB NOT NULL CHECK (length(digest) = 32),
                complete_as_of INTEGER,
                began_at INTEGER NOT NULL,
                stage TEXT NOT NULL CHECK (stage IN ('staging', 'applying', 'stating', 'closing', 'closed')),
                position INTEGER NOT NULL CHECK (position >= 0),
                lines INTEGER NOT NULL CHECK (lines >= 0),
                refused INTEGER NOT NULL CHECK (refused >= 0),
                gaps INTEGER NOT NULL CHECK (gaps >= 0 AND gaps <= refused),
                staged INTEGER NOT NULL CHECK (staged >= 0),
                applied INTEGER NOT NULL CHECK (applied >= 0 AND applied <= staged),
                applied_key TEXT NOT NULL,
                applied_row INTEGER NOT NULL,
                added INTEGER NOT NULL CHECK (added >= 0),
                updated INTEGER NOT NULL CHECK (updated >= 0),
                unchanged INTEGER NOT NULL CHECK (unchanged >= 0),
                repeated INTEGER NOT NULL CHECK (repeated >= 0),
                subscriptions INTEGER NOT NULL CHECK (subscriptions >= 0),
                stated INTEGER NOT NULL CHECK (stated >= 0),
                closed_at INTEGER,
                CHECK ((stage = 'closed') = (closed_at IS NOT NULL))
            ) STRICT;
            CREATE UNIQUE INDEX import_run_open ON import_run (scope_id, source) WHERE closed_at IS NULL;

            CREATE TABLE import_row (
                id INTEGER PRIMARY KEY,
                run_id INTEGER NOT NULL REFERENCES import_run (id),
                subscription_key TEXT NOT NULL,
                line INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('transaction', 'renewalInfo', 'appTransaction')),
                payload BLOB NOT NULL,
                app_account_token TEXT,
                app_customer_id TEXT
            ) STRICT;
            CREATE INDEX import_row_subscription ON import_row (run_id, subscription_key, id);

            CREATE TABLE import_refusal (
                run_id INTEGER NOT NULL REFERENCES import_run (id),
                line INTEGER NOT NULL,
                reason TEXT NOT NULL CHECK (length(reason) > 0),
                detail TEXT NOT NULL,
                PRIMARY KEY (run_id, line)
            ) STRICT;

            CREATE TABLE import_customer (
                run_id INTEGER NOT NULL REFERENCES import_run (id),
                customer_id INTEGER NOT NULL,
                app_transaction_id TEXT NOT NULL,
                PRIMARY KEY (run_id, customer_id, app_transaction_id)
            ) STRICT;
            CREATE INDEX import_customer_account ON import_customer (run_id, app_transaction_id, customer_id)
                WHERE app_transaction_id <> '';
            """)
}
