extension Migration {
    /// App Store Server Notifications, each once: what it told and whom it was about, and for a time the text as Apple
    /// signed it.
    ///
    /// A row holds no customer: like a row of the history it belongs to whoever `identifier` names. It stays for good, so
    /// that a repeat is known for one; `payload`, and with an erasure `identifier` and `transaction_id`, are taken out of
    /// it.
    static let notifications = Migration(
        name: "0009-notifications",
        sql: """
            CREATE TABLE notification (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                uuid TEXT NOT NULL CHECK (length(uuid) > 0),
                type TEXT NOT NULL CHECK (length(type) > 0),
                subtype TEXT,
                signed_date INTEGER NOT NULL,
                received_at INTEGER NOT NULL,
                source TEXT NOT NULL CHECK (source IN ('delivered', 'fetched')),
                outcome TEXT NOT NULL CHECK (outcome IN ('added', 'updated', 'unchanged', 'noHistory')),
                identifier_kind TEXT CHECK (identifier_kind IN ('originalTransactionId', 'appTransactionId')),
                identifier TEXT,
                transaction_id TEXT,
                product_id TEXT,
                payload TEXT,
                payload_removed_at INTEGER,
                erased_at INTEGER,
                UNIQUE (scope_id, uuid),
                CHECK ((identifier IS NULL) = (identifier_kind IS NULL)),
                CHECK ((payload IS NULL) = (payload_removed_at IS NOT NULL)),
                CHECK (erased_at IS NULL OR (payload IS NULL AND identifier IS NULL AND transaction_id IS NULL))
            ) STRICT;
            CREATE INDEX notification_identifier ON notification (scope_id, identifier_kind, identifier)
                WHERE identifier IS NOT NULL;
            CREATE INDEX notification_payload ON notification (received_at) WHERE payload IS NOT NULL;
            CREATE INDEX notification_test ON notification (scope_id, sequence) WHERE type = 'TEST';
            """)
}
