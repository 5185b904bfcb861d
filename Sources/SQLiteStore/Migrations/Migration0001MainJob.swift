extension Migration {
    /// Scopes, customers, history, catalogs, slots, signatures, decisions and API keys.
    ///
    /// Times are milliseconds since 1970, UUIDs lower-case text, yes and no 1 and 0. `sequence` numbers are taken from
    /// `store_state` and are unique across all tables.
    static let mainJob = Migration(
        name: "0001-main-job",
        sql: """
            CREATE TABLE store_state (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                sequence INTEGER NOT NULL CHECK (sequence >= 0),
                last_instant INTEGER
            ) STRICT;
            INSERT INTO store_state (id, sequence) VALUES (1, 0);

            CREATE TABLE scope (
                id INTEGER PRIMARY KEY,
                bundle_id TEXT NOT NULL CHECK (length(bundle_id) > 0),
                environment TEXT NOT NULL
                    CHECK (environment IN ('Production', 'Sandbox', 'LocalTesting', 'Xcode')),
                generation INTEGER NOT NULL,
                UNIQUE (bundle_id, environment)
            ) STRICT;

            CREATE TABLE api_key (
                id TEXT PRIMARY KEY CHECK (length(id) > 0),
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                role TEXT NOT NULL CHECK (role IN ('client', 'support', 'marketing', 'admin')),
                secret_digest BLOB NOT NULL CHECK (length(secret_digest) = 32),
                label TEXT,
                created_at INTEGER NOT NULL,
                expires_at INTEGER,
                revoked_at INTEGER
            ) STRICT;
            CREATE INDEX api_key_scope ON api_key (scope_id);

            CREATE TABLE catalog_revision (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                revision INTEGER NOT NULL CHECK (revision > 0),
                document TEXT NOT NULL,
                format TEXT NOT NULL CHECK (format IN ('yaml', 'json')),
                digest TEXT NOT NULL CHECK (length(digest) = 64),
                actor TEXT NOT NULL,
                message TEXT,
                created_at INTEGER NOT NULL,
                PRIMARY KEY (scope_id, revision)
            ) STRICT;

            CREATE TABLE pause (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                offer_id TEXT CHECK (length(offer_id) > 0),
                actor TEXT NOT NULL,
                paused_at INTEGER NOT NULL,
                resumed_at INTEGER,
                resumed_by TEXT,
                CHECK ((resumed_at IS NULL) = (resumed_by IS NULL))
            ) STRICT;
            CREATE UNIQUE INDEX pause_active ON pause (scope_id, COALESCE(offer_id, '')) WHERE resumed_at IS NULL;

            CREATE TABLE customer (
                id INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                rollout_key TEXT NOT NULL,
                first_stored_at INTEGER NOT NULL,
                merged_into INTEGER REFERENCES customer (id) CHECK (merged_into <> id),
                version INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX customer_merged ON customer (merged_into) WHERE merged_into IS NOT NULL;

            CREATE TABLE customer_identifier (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
                value TEXT NOT NULL,
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
                first_stored_at INTEGER NOT NULL,
                PRIMARY KEY (scope_id, kind, value)
            ) STRICT;
            CREATE INDEX customer_identifier_customer ON customer_identifier (customer_id, kind);

            CREATE TABLE customer_alias (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                kind TEXT NOT NULL CHECK (kind IN ('appAccountToken', 'customerId')),
                value TEXT NOT NULL,
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                first_stored_at INTEGER NOT NULL,
                PRIMARY KEY (scope_id, kind, value, customer_id)
            ) STRICT;
            CREATE INDEX customer_alias_customer ON customer_alias (customer_id, kind);

            CREATE TABLE customer_merge (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                survivor_id INTEGER NOT NULL REFERENCES customer (id),
                merged_id INTEGER NOT NULL UNIQUE REFERENCES customer (id),
                proof TEXT NOT NULL,
                merged_at INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX customer_merge_survivor ON customer_merge (survivor_id);

            CREATE TABLE coverage (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
                as_of INTEGER,
                provenance TEXT,
                stated_at INTEGER NOT NULL,
                CHECK ((is_complete = 1) = (as_of IS NOT NULL AND provenance IS NOT NULL))
            ) STRICT;
            CREATE INDEX coverage_customer ON coverage (customer_id, sequence);

            CREATE TABLE history_transaction (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                provenance TEXT NOT NULL,
                is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
                received_at INTEGER NOT NULL,
                transaction_id TEXT NOT NULL,
                original_transaction_id TEXT NOT NULL,
                signed_date INTEGER NOT NULL,
                purchase_date INTEGER NOT NULL,
                expires_date INTEGER,
                facts BLOB NOT NULL CHECK (length(facts) > 0),
                payload BLOB NOT NULL
            ) STRICT;
            CREATE INDEX history_transaction_id
                ON history_transaction (scope_id, transaction_id, is_proven, signed_date);
            CREATE INDEX history_transaction_subscription ON history_transaction (scope_id, original_transaction_id);

            CREATE TABLE history_renewal_info (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                provenance TEXT NOT NULL,
                is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
                received_at INTEGER NOT NULL,
                original_transaction_id TEXT NOT NULL,
                signed_date INTEGER NOT NULL,
                app_transaction_id TEXT,
                app_account_token TEXT,
                facts BLOB NOT NULL CHECK (length(facts) > 0),
                payload BLOB NOT NULL
            ) STRICT;
            CREATE INDEX history_renewal_info_subscription
                ON history_renewal_info (scope_id, original_transaction_id, is_proven, signed_date);

            CREATE TABLE history_app_transaction (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                provenance TEXT NOT NULL,
                is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
                received_at INTEGER NOT NULL,
                app_transaction_id TEXT NOT NULL,
                receipt_creation_date INTEGER NOT NULL,
                facts BLOB NOT NULL CHECK (length(facts) > 0),
                payload BLOB NOT NULL
            ) STRICT;
            CREATE INDEX history_app_transaction_id
                ON history_app_transaction (scope_id, app_transaction_id, is_proven, receipt_creation_date);

            CREATE TABLE history_facts (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
                value TEXT NOT NULL,
                facts BLOB NOT NULL CHECK (length(facts) > 0),
                PRIMARY KEY (scope_id, kind, value)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE issued_offer (
                sequence INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                catalog_revision INTEGER NOT NULL,
                offer_id TEXT NOT NULL,
                offer_identifier TEXT,
                offer_type TEXT NOT NULL CHECK (offer_type IN ('introductory', 'promotional', 'winBack')),
                delivery TEXT NOT NULL CHECK (delivery IN ('signature', 'introductoryEligibility', 'appStore')),
                product_id TEXT NOT NULL,
                subscription_group_identifier TEXT NOT NULL,
                tags TEXT NOT NULL,
                issued_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL CHECK (expires_at >= issued_at),
                counts_until INTEGER NOT NULL CHECK (counts_until >= expires_at),
                signings INTEGER NOT NULL CHECK (signings >= 0),
                voided_at INTEGER,
                void_reason TEXT,
                is_released INTEGER NOT NULL CHECK (is_released IN (0, 1)),
                settled_at INTEGER,
                CHECK (voided_at IS NOT NULL OR is_released = 0),
                CHECK (voided_at IS NOT NULL OR void_reason IS NULL)
            ) STRICT;
            CREATE UNIQUE INDEX issued_offer_open ON issued_offer (customer_id, offer_id)
                WHERE voided_at IS NULL AND settled_at IS NULL;
            CREATE INDEX issued_offer_customer ON issued_offer (customer_id, sequence);
            CREATE INDEX issued_offer_offer ON issued_offer (scope_id, offer_id, sequence);
            CREATE INDEX issued_offer_scope ON issued_offer (scope_id, sequence);

            CREATE TABLE decision (
                sequence INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                kind TEXT NOT NULL CHECK (length(kind) > 0),
                customer_id INTEGER REFERENCES customer (id),
                offer_id TEXT NOT NULL,
                decided_at INTEGER NOT NULL,
                catalog_revision INTEGER NOT NULL,
                outcome TEXT NOT NULL CHECK (outcome IN ('eligible', 'ineligible', 'undetermined')),
                issued_offer_id TEXT REFERENCES issued_offer (id),
                body TEXT NOT NULL
            ) STRICT;
            CREATE INDEX decision_customer ON decision (customer_id, sequence);
            CREATE INDEX decision_issued_offer ON decision (issued_offer_id) WHERE issued_offer_id IS NOT NULL;

            CREATE TABLE signature (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                nonce TEXT NOT NULL UNIQUE CHECK (length(nonce) = 36 AND nonce = lower(nonce)),
                issued_offer_id TEXT REFERENCES issued_offer (id),
                signing INTEGER CHECK (signing > 0),
                decision_id TEXT NOT NULL REFERENCES decision (id),
                format TEXT NOT NULL CHECK (format IN ('v1', 'v2', 'introductoryEligibility')),
                allow_introductory_offer INTEGER CHECK (allow_introductory_offer IN (0, 1)),
                key_id TEXT NOT NULL,
                signed_at INTEGER NOT NULL,
                product_id TEXT NOT NULL,
                app_account_token TEXT,
                transaction_id TEXT,
                artefact TEXT NOT NULL CHECK (length(artefact) > 0),
                CHECK ((issued_offer_id IS NULL) = (signing IS NULL)),
                CHECK ((format = 'introductoryEligibility') = (allow_introductory_offer IS NOT NULL)),
                CHECK (issued_offer_id IS NOT NULL OR COALESCE(allow_introductory_offer, 1) = 0)
            ) STRICT;
            CREATE INDEX signature_issued_offer ON signature (issued_offer_id, sequence);
            CREATE INDEX signature_decision ON signature (decision_id);
            """)
}
