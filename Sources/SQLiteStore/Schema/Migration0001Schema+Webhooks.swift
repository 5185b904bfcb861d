extension Migration {
    /// How far events were delivered.
    static let webhookTables = """
        -- Every event up to `done_to` was delivered, dropped, or is in `webhook_retry`. One process at a time delivers,
        -- until `lease_until`. `id` is a digest of the URL, the app and the environment.
        CREATE TABLE webhook (
            id TEXT PRIMARY KEY CHECK (length(id) = 64),
            done_to INTEGER NOT NULL,
            lease_holder TEXT,
            lease_until INTEGER,
            failures INTEGER NOT NULL CHECK (failures >= 0),
            failing_since INTEGER,
            retry_at INTEGER,
            succeeded_at INTEGER
        ) STRICT;

        -- Events that are sent later. Of one customer only the earliest has `next_at`; the others wait for it.
        CREATE TABLE webhook_retry (
            webhook_id TEXT NOT NULL REFERENCES webhook (id),
            event_sequence INTEGER NOT NULL,
            customer_id INTEGER,
            attempts INTEGER NOT NULL CHECK (attempts >= 0),
            next_at INTEGER,
            expires_at INTEGER NOT NULL,
            failed_at INTEGER,
            PRIMARY KEY (webhook_id, event_sequence)
        ) STRICT;
        CREATE INDEX webhook_retry_due ON webhook_retry (webhook_id, next_at) WHERE next_at IS NOT NULL;
        CREATE INDEX webhook_retry_customer ON webhook_retry (webhook_id, customer_id, event_sequence)
            WHERE customer_id IS NOT NULL;
        """
}
