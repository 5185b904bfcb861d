extension Migration {
    /// Who may ask and configure, what was decided, issued, signed and used, and the audit of it.
    static let ledgerTables = """
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

        -- Without an offer it is for all of them; without an end it is in force.
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
        CREATE INDEX pause_end ON pause (scope_id, resumed_at);

        -- A slot. `cost` is frozen at the issue; `places` is how many places it takes under limits for everyone.
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
            cost INTEGER CHECK (cost >= 0),
            cost_currency TEXT CHECK ((cost_currency IS NULL) = (cost IS NULL) AND length(cost_currency) = 3),
            redemptions INTEGER NOT NULL CHECK (redemptions >= 0),
            places INTEGER NOT NULL CHECK (places = redemptions OR (places = 1 AND redemptions = 0)),
            full_price_transaction_id TEXT,
            CHECK (voided_at IS NOT NULL OR is_released = 0),
            CHECK (voided_at IS NOT NULL OR void_reason IS NULL)
        ) STRICT;
        CREATE UNIQUE INDEX issued_offer_open ON issued_offer (customer_id, offer_id)
            WHERE voided_at IS NULL AND settled_at IS NULL;
        CREATE INDEX issued_offer_customer ON issued_offer (customer_id, sequence);
        CREATE INDEX issued_offer_offer ON issued_offer (scope_id, offer_id, sequence);
        CREATE INDEX issued_offer_scope ON issued_offer (scope_id, sequence);
        CREATE INDEX issued_offer_counting
            ON issued_offer (scope_id, offer_id, counts_until, cost_currency, cost)
            WHERE places = 1 AND redemptions = 0;

        -- For which of the app's accounts a slot was first issued: a table of its own, so that an erasure leaves the
        -- slot's row as the audit knows it.
        CREATE TABLE issued_offer_sign_up (
            sequence INTEGER PRIMARY KEY REFERENCES issued_offer (sequence),
            app_account_token TEXT,
            app_customer_id TEXT,
            CHECK (app_account_token IS NOT NULL OR app_customer_id IS NOT NULL)
        ) STRICT;

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
            body TEXT NOT NULL,
            body_removed_at INTEGER
        ) STRICT;
        CREATE INDEX decision_customer ON decision (customer_id, sequence);
        CREATE INDEX decision_issued_offer ON decision (issued_offer_id) WHERE issued_offer_id IS NOT NULL;
        CREATE INDEX decision_offer ON decision (scope_id, offer_id, customer_id, decided_at);

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
            body_removed_at INTEGER,
            CHECK ((issued_offer_id IS NULL) = (signing IS NULL)),
            CHECK ((format = 'introductoryEligibility') = (allow_introductory_offer IS NOT NULL)),
            CHECK (issued_offer_id IS NOT NULL OR COALESCE(allow_introductory_offer, 1) = 0)
        ) STRICT;
        CREATE INDEX signature_issued_offer ON signature (issued_offer_id, sequence);
        CREATE INDEX signature_decision ON signature (decision_id);
        CREATE INDEX signature_account ON signature (scope_id, app_account_token, product_id, signed_at)
            WHERE format = 'v1' AND app_account_token IS NOT NULL;

        -- Answers kept under the `Idempotency-Key` of their requests. The decision is noted only where it is an
        -- earlier one, whose signatures were handed out again: any other is found by its instant.
        CREATE TABLE kept_answer (
            api_key_id TEXT NOT NULL REFERENCES api_key (id),
            route TEXT NOT NULL CHECK (length(route) > 0),
            key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
            request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
            status INTEGER NOT NULL CHECK (status IN (200, 201, 403, 422)),
            content_type TEXT NOT NULL CHECK (length(content_type) > 0),
            location TEXT,
            body BLOB NOT NULL,
            answered_at INTEGER NOT NULL,
            decision_id TEXT,
            PRIMARY KEY (api_key_id, route, key)
        ) STRICT;
        CREATE INDEX kept_answer_answered ON kept_answer (answered_at);
        CREATE INDEX kept_answer_decision ON kept_answer (decision_id) WHERE decision_id IS NOT NULL;

        -- Uses of offers as the history shows them.
        CREATE TABLE redemption (
            sequence INTEGER PRIMARY KEY,
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            original_transaction_id TEXT NOT NULL,
            offer_type INTEGER NOT NULL,
            offer_identifier TEXT NOT NULL,
            subscription_group_identifier TEXT NOT NULL,
            product_id TEXT NOT NULL,
            transaction_id TEXT,
            first_evidence INTEGER NOT NULL,
            offer_ends INTEGER,
            provenance TEXT NOT NULL,
            issued_offer_id TEXT REFERENCES issued_offer (id),
            is_doubled INTEGER NOT NULL CHECK (is_doubled IN (0, 1)),
            is_late INTEGER NOT NULL CHECK (is_late IN (0, 1)),
            recorded_at INTEGER NOT NULL,
            CHECK (issued_offer_id IS NOT NULL OR (is_doubled = 0 AND is_late = 0))
        ) STRICT;
        CREATE INDEX redemption_customer ON redemption (customer_id, sequence);
        CREATE INDEX redemption_issued_offer ON redemption (issued_offer_id) WHERE issued_offer_id IS NOT NULL;

        -- What everyone together has used of an offer.
        CREATE TABLE offer_counter (
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
            unit TEXT NOT NULL CHECK (unit = 'places' OR length(unit) = 3),
            amount INTEGER NOT NULL CHECK (amount >= 0),
            PRIMARY KEY (scope_id, offer_id, unit)
        ) STRICT;

        -- Uses of offers without a slot, counted.
        CREATE TABLE redemption_counter (
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            offer_type INTEGER NOT NULL,
            offer_identifier TEXT NOT NULL,
            subscription_group_identifier TEXT NOT NULL,
            product_id TEXT NOT NULL,
            amount INTEGER NOT NULL CHECK (amount >= 0),
            PRIMARY KEY (
                scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id)
        ) STRICT;

        -- What stays of customers whose data was erased (docs/privacy.md).
        CREATE TABLE erasure (
            sequence INTEGER PRIMARY KEY,
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            erased_at INTEGER NOT NULL,
            actor TEXT NOT NULL CHECK (length(actor) > 0),
            reason TEXT NOT NULL CHECK (length(reason) > 0)
        ) STRICT;
        CREATE INDEX erasure_customer ON erasure (customer_id, sequence);

        -- Keyed digests by which an account is known again.
        CREATE TABLE erased_identifier (
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            digest_key TEXT NOT NULL CHECK (length(digest_key) > 0),
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            erased_at INTEGER NOT NULL,
            PRIMARY KEY (scope_id, kind, digest)
        ) STRICT;
        CREATE INDEX erased_identifier_customer ON erased_identifier (customer_id);

        -- Uses of offers whose history was erased, so that limits hold.
        CREATE TABLE kept_evidence (
            sequence INTEGER PRIMARY KEY,
            scope_id INTEGER NOT NULL REFERENCES scope (id),
            customer_id INTEGER NOT NULL REFERENCES customer (id),
            kind TEXT NOT NULL CHECK (kind IN ('period', 'pending')),
            original_transaction_id TEXT NOT NULL CHECK (length(original_transaction_id) > 0),
            subscription_group_identifier TEXT NOT NULL,
            product_id TEXT NOT NULL,
            offer_type INTEGER,
            offer_identifier TEXT,
            offer_period TEXT,
            dated INTEGER NOT NULL,
            expires INTEGER,
            revoked INTEGER,
            is_renewal INTEGER NOT NULL CHECK (is_renewal IN (0, 1)),
            is_upgraded INTEGER NOT NULL CHECK (is_upgraded IN (0, 1)),
            provenance TEXT NOT NULL
        ) STRICT;
        CREATE INDEX kept_evidence_customer ON kept_evidence (customer_id, sequence);
        CREATE INDEX kept_evidence_subscription ON kept_evidence (scope_id, original_transaction_id);

        -- Up to which place retention has gone.
        CREATE TABLE retention_progress (
            subject TEXT PRIMARY KEY CHECK (subject IN ('signatures', 'refusals')),
            done_to INTEGER NOT NULL
        ) STRICT;

        -- The key of digests where the configuration has none.
        CREATE TABLE audit_state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            digest_salt BLOB NOT NULL CHECK (length(digest_salt) = 32)
        ) STRICT;
        INSERT INTO audit_state (id, digest_salt) VALUES (1, randomblob(32));

        -- The audit: a chain of events over the ledger, and signed checkpoints of it (docs/ledger.md).
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
        """
}
