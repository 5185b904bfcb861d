extension Migration {
    /// The audit: a chain of events over the ledger, and signed checkpoints of it (docs/ledger.md).
    ///
    /// What was stored before is not covered; `audit_state` says up to where that goes.
    static let audit = Migration(
        name: "0005-audit",
        sql: """
            CREATE TABLE audit_state (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                began_after INTEGER NOT NULL CHECK (began_after >= 0),
                api_keys INTEGER NOT NULL CHECK (api_keys >= 0),
                catalog_revisions INTEGER NOT NULL CHECK (catalog_revisions >= 0),
                digest_salt BLOB NOT NULL CHECK (length(digest_salt) = 32)
            ) STRICT;
            INSERT INTO audit_state (id, began_after, api_keys, catalog_revisions, digest_salt)
                SELECT 1, sequence, (SELECT COUNT(*) FROM api_key), (SELECT COUNT(*) FROM catalog_revision),
                    randomblob(32)
                FROM store_state WHERE id = 1;

            CREATE TABLE audit_event (
                sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
                kind TEXT NOT NULL CHECK (length(kind) > 0),
                actor TEXT NOT NULL CHECK (length(actor) > 0),
                at INTEGER NOT NULL,
                request_id TEXT,
                scope_id INTEGER,
                issued_offer INTEGER,
                digest_key TEXT NOT NULL CHECK (length(digest_key) > 0),
                before_change TEXT,
                after_change TEXT,
                ledger_rows TEXT NOT NULL,
                previous_hash BLOB NOT NULL CHECK (length(previous_hash) = 32),
                hash BLOB NOT NULL CHECK (length(hash) = 32)
            ) STRICT;
            CREATE INDEX audit_event_issued_offer ON audit_event (issued_offer, sequence)
                WHERE issued_offer IS NOT NULL;
            CREATE INDEX audit_event_keys ON audit_event (sequence) WHERE kind = 'keys';
            CREATE TRIGGER audit_event_update BEFORE UPDATE ON audit_event
                BEGIN SELECT RAISE(ABORT, 'audit_event.append'); END;
            CREATE TRIGGER audit_event_delete BEFORE DELETE ON audit_event
                BEGIN SELECT RAISE(ABORT, 'audit_event.append'); END;

            CREATE TABLE audit_checkpoint (
                number INTEGER PRIMARY KEY CHECK (number > 0),
                event_sequence INTEGER NOT NULL UNIQUE,
                head BLOB NOT NULL CHECK (length(head) = 32),
                signed_at INTEGER NOT NULL,
                key_fingerprint TEXT NOT NULL CHECK (length(key_fingerprint) = 64),
                signature BLOB NOT NULL CHECK (length(signature) > 0)
            ) STRICT;
            CREATE TRIGGER audit_checkpoint_update BEFORE UPDATE ON audit_checkpoint
                BEGIN SELECT RAISE(ABORT, 'audit_checkpoint.append'); END;
            CREATE TRIGGER audit_checkpoint_delete BEFORE DELETE ON audit_checkpoint
                BEGIN SELECT RAISE(ABORT, 'audit_checkpoint.append'); END;
            """)
}
