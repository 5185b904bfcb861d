extension Migration {
    /// Apps, their customers, and what is known of them.
    static let customerTables = """
        -- The store-wide order, the instants that the clock is held against, and a place to try writing.
        CREATE TABLE store_state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL CHECK (sequence >= 0),
            last_instant INTEGER,
            newest_signed_date INTEGER,
            tried_at INTEGER
        ) STRICT;
        INSERT INTO store_state (id, sequence) VALUES (1, 0);

        -- An app in one environment. `generation` moves with its catalog and its pauses.
        CREATE TABLE scope (
            id INTEGER PRIMARY KEY,
            bundle_id TEXT NOT NULL CHECK (length(bundle_id) > 0),
            environment TEXT NOT NULL
                CHECK (environment IN ('Production', 'Sandbox', 'LocalTesting', 'Xcode')),
            generation INTEGER NOT NULL,
            UNIQUE (bundle_id, environment)
        ) STRICT;

        -- `version` is the place of the newest change that a decision may depend on. What was stored by
        -- `issued_sequence`, when an offer was last issued on the history, stays for replay, also where newer copies
        -- say the same.
        CREATE TABLE customer (
            id INTEGER PRIMARY KEY,
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            rollout_key TEXT NOT NULL,
            first_stored_at INTEGER NOT NULL,
            merged_into INTEGER REFERENCES customer (id) CHECK (merged_into <> id),
            version INTEGER NOT NULL,
            erasure_sequence INTEGER REFERENCES erasure (sequence),
            issued_sequence INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX customer_merged ON customer (merged_into) WHERE merged_into IS NOT NULL;

        -- Identifiers that Apple's data holds.
        CREATE TABLE customer_identifier (
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
            value TEXT NOT NULL,
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
            first_stored_at INTEGER NOT NULL,
            provenance TEXT NOT NULL,
            transaction_id TEXT,
            PRIMARY KEY (scope_id, kind, value)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX customer_identifier_customer ON customer_identifier (customer_id, kind, is_proven);

        -- Names that the app gave; several customers may have one.
        CREATE TABLE customer_alias (
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            kind TEXT NOT NULL CHECK (kind IN ('appAccountToken', 'customerId')),
            value TEXT NOT NULL,
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            first_stored_at INTEGER NOT NULL,
            provenance TEXT NOT NULL,
            transaction_id TEXT,
            request_id TEXT,
            PRIMARY KEY (scope_id, kind, value, customer_id)
        ) STRICT;
        CREATE INDEX customer_alias_customer ON customer_alias (customer_id, kind);
        CREATE INDEX customer_alias_proven ON customer_alias (scope_id, kind, value, customer_id)
            WHERE provenance IN ('notification', 'client', 'serverAPI');

        CREATE TABLE customer_merge (
            sequence INTEGER PRIMARY KEY,
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            survivor_id INTEGER NOT NULL REFERENCES customer (id),
            merged_id INTEGER NOT NULL UNIQUE REFERENCES customer (id),
            proof TEXT NOT NULL,
            merged_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX customer_merge_survivor ON customer_merge (survivor_id);

        -- What the app sets. A value is text whatever its type, so that a number comes back as the same number.
        CREATE TABLE customer_attribute (
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            name TEXT NOT NULL CHECK (length(name) > 0),
            type TEXT NOT NULL CHECK (type IN ('text', 'number', 'boolean', 'money', 'instant')),
            value TEXT NOT NULL,
            actor TEXT NOT NULL,
            set_at INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (customer_id, name)
        ) STRICT;

        -- The moments from which an offer with `availableFor` is open to a customer.
        CREATE TABLE offer_opening (
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
            opened_at INTEGER NOT NULL,
            PRIMARY KEY (customer_id, offer_id)
        ) STRICT;

        -- How much of a history was known, and on whose word; the newest row holds.
        CREATE TABLE coverage (
            sequence INTEGER NOT NULL,
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
            as_of INTEGER,
            provenance TEXT,
            stated_at INTEGER NOT NULL,
            PRIMARY KEY (customer_id, sequence),
            CHECK ((is_complete = 1) = (as_of IS NOT NULL AND provenance IS NOT NULL))
        ) STRICT, WITHOUT ROWID;

        -- What Apple or an operator said. A row is never changed, and belongs to the customer that its identifiers
        -- name; a newer copy that says the same may take its place (docs/decisions/0046). `facts` is all that the payload
        -- says, packed; the payload stands last, so that reading facts does not touch it.
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

        -- What of a subscription's or an account's history can matter now: derived from its rows, and written with them
        -- (docs/decisions/0051).
        CREATE TABLE history_facts (
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
            value TEXT NOT NULL,
            facts BLOB NOT NULL CHECK (length(facts) > 0),
            PRIMARY KEY (scope_id, kind, value)
        ) STRICT, WITHOUT ROWID;

        -- App Store Server Notifications, each once. A row holds no customer: like a row of the history it belongs to
        -- the customer that `identifier` names. It stays for good, so that a repeat is known for one; `payload`, and with an
        -- erasure `identifier` and `transaction_id`, are taken out of it.
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
        CREATE INDEX notification_newest ON notification (scope_id, sequence);

        -- What bulk import has read and not applied yet (docs/import.md). A run is open until everything it read is
        -- applied; of each kind of source at most one is open in a scope.
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
        """
}
