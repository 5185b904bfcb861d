CREATE TABLE migration (name TEXT NOT NULL PRIMARY KEY) STRICT;
CREATE TABLE store_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    last_instant INTEGER,
    newest_signed_date INTEGER,
    tried_at INTEGER,
    backed_up_at INTEGER,
    proven_at INTEGER
) STRICT;
CREATE TABLE scope (
    id INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL CHECK (length(bundle_id) > 0),
    environment TEXT NOT NULL CHECK (environment IN ('Production', 'Sandbox', 'LocalTesting', 'Xcode')),
    generation INTEGER NOT NULL,
    UNIQUE (bundle_id, environment)
) STRICT;
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
CREATE TABLE offer_opening (
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
    opened_at INTEGER NOT NULL,
    PRIMARY KEY (customer_id, offer_id)
) STRICT;
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
CREATE TABLE notification (
    sequence INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL CHECK (length(uuid) > 0),
    type TEXT NOT NULL CHECK (length(type) > 0),
    subtype TEXT,
    signed_date INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('delivered', 'fetched')),
    outcome TEXT NOT NULL CHECK (outcome IN ('added', 'updated', 'unchanged', 'noHistory')),
    transaction_id TEXT,
    product_id TEXT,
    payload_removed_at INTEGER,
    erased_at INTEGER,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    identifier_kind TEXT CHECK (identifier_kind IN ('originalTransactionId', 'appTransactionId')),
    identifier TEXT,
    payload TEXT,
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
CREATE TABLE import_run (
    id INTEGER PRIMARY KEY,
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
    report TEXT,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
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
CREATE TABLE api_key (
    id TEXT PRIMARY KEY CHECK (length(id) > 0),
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    role TEXT NOT NULL CHECK (role IN ('client', 'app', 'support', 'marketing', 'admin')),
    secret_digest BLOB NOT NULL CHECK (length(secret_digest) = 32),
    label TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    networks TEXT,
    ends_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX api_key_scope ON api_key (scope_id);
CREATE TABLE api_key_use (
    api_key_id TEXT PRIMARY KEY REFERENCES api_key (id),
    last_used_at INTEGER NOT NULL
) STRICT;
CREATE TABLE console_session (
    digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
    api_key_id TEXT NOT NULL REFERENCES api_key (id),
    person TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX console_session_expiry ON console_session (expires_at);
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
    covers TEXT NOT NULL CHECK (covers IN ('offer', 'everyOffer', 'limitedOffers')),
    offer_id TEXT CHECK (length(offer_id) > 0),
    actor TEXT NOT NULL,
    paused_at INTEGER NOT NULL,
    ends_at INTEGER,
    reason TEXT,
    resumed_at INTEGER,
    resumed_by TEXT,
    CHECK ((resumed_at IS NULL) = (resumed_by IS NULL)),
    CHECK ((offer_id IS NULL) = (covers <> 'offer')),
    CHECK (covers <> 'limitedOffers' OR ends_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX pause_active ON pause (scope_id, covers, COALESCE(offer_id, ''))
WHERE resumed_at IS NULL;
CREATE INDEX pause_end ON pause (scope_id, resumed_at);
CREATE TABLE issued_offer (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    catalog_revision INTEGER NOT NULL,
    offer_id TEXT NOT NULL,
    offer_identifier TEXT,
    offer_type TEXT NOT NULL CHECK (offer_type = 'promotional' OR offer_type = 'winBack' OR offer_type = 'introductory'),
    delivery TEXT NOT NULL CHECK (delivery = 'signature' OR delivery = 'introductoryEligibility' OR delivery = 'appStore'),
    product_id TEXT NOT NULL,
    subscription_group_identifier TEXT NOT NULL,
    tags TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL CHECK (expires_at >= issued_at),
    counts_until INTEGER NOT NULL CHECK (counts_until >= expires_at),
    signings INTEGER NOT NULL CHECK (signings > 0),
    voided_at INTEGER,
    void_reason TEXT,
    is_released INTEGER NOT NULL CHECK (is_released = 0 OR is_released = 1),
    settled_at INTEGER,
    cost INTEGER CHECK (cost >= 0),
    cost_currency TEXT CHECK ((cost_currency IS NULL) = (cost IS NULL) AND length(cost_currency) = 3),
    redemptions INTEGER NOT NULL CHECK (redemptions >= 0),
    places INTEGER NOT NULL CHECK (CASE WHEN grant_id IS NULL THEN places = redemptions OR (places = 1 AND redemptions = 0) ELSE places = CASE WHEN redemptions = 0 THEN 0 ELSE redemptions - 1 END END),
    full_price_transaction_id TEXT,
    app_account_token TEXT,
    app_customer_id TEXT,
    grant_id TEXT,
    transaction_id TEXT,
    decision_id TEXT NOT NULL CHECK (length(decision_id) = 36),
    key_id TEXT,
    signed_product_id TEXT,
    v1_nonce TEXT CHECK (length(v1_nonce) = 36 AND v1_nonce = lower(v1_nonce)),
    v1_signature TEXT,
    jws_nonce TEXT CHECK (length(jws_nonce) = 36 AND jws_nonce = lower(jws_nonce)),
    jws TEXT,
    allow_introductory_offer INTEGER CHECK (allow_introductory_offer IS NULL OR (allow_introductory_offer = 1 AND jws IS NOT NULL)),
    record BLOB NOT NULL,
    CHECK (voided_at IS NOT NULL OR is_released = 0),
    CHECK (voided_at IS NOT NULL OR void_reason IS NULL),
    CHECK ((v1_nonce IS NULL) = (v1_signature IS NULL) AND (jws_nonce IS NULL) = (jws IS NULL)),
    CHECK ((delivery = 'appStore') = (v1_nonce IS NULL AND jws_nonce IS NULL)),
    CHECK ((key_id IS NULL) = (delivery = 'appStore') AND (signed_product_id IS NULL) = (key_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX issued_offer_customer ON issued_offer (
    customer_id, offer_id, (CASE WHEN voided_at IS NULL AND settled_at IS NULL THEN 0 ELSE sequence END));
CREATE INDEX issued_offer_offer ON issued_offer (scope_id, offer_id);
CREATE INDEX issued_offer_scope ON issued_offer (scope_id);
CREATE INDEX issued_offer_counting
    ON issued_offer (scope_id, offer_id, counts_until, cost_currency, cost)
    WHERE places = 1 AND redemptions = 0;
CREATE INDEX issued_offer_account ON issued_offer (scope_id, app_account_token, signed_product_id, issued_at)
    WHERE v1_nonce IS NOT NULL AND app_account_token IS NOT NULL;
CREATE INDEX issued_offer_app_customer ON issued_offer (scope_id, app_customer_id, customer_id, offer_id)
    WHERE app_customer_id IS NOT NULL AND app_account_token IS NULL;
CREATE TABLE offer_grant (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
    actor TEXT NOT NULL CHECK (length(actor) > 0),
    granted_at INTEGER NOT NULL,
    expires_at INTEGER CHECK (expires_at > granted_at),
    revoked_at INTEGER,
    revoked_by TEXT,
    issued_offer_id TEXT REFERENCES issued_offer (id),
    reason TEXT NOT NULL CHECK (length(reason) > 0),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
    CHECK (issued_offer_id IS NULL OR revoked_at IS NULL)
) STRICT;
CREATE INDEX offer_grant_customer ON offer_grant (customer_id);
CREATE INDEX offer_grant_granted ON offer_grant (scope_id, granted_at, actor);
CREATE TABLE signing (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    issued_offer INTEGER NOT NULL REFERENCES issued_offer (sequence),
    signing INTEGER NOT NULL CHECK (signing > 1),
    decided_at INTEGER NOT NULL,
    catalog_revision INTEGER NOT NULL,
    decision_id TEXT NOT NULL CHECK (length(decision_id) = 36),
    app_account_token TEXT,
    transaction_id TEXT,
    key_id TEXT,
    signed_product_id TEXT,
    v1_nonce TEXT CHECK (length(v1_nonce) = 36 AND v1_nonce = lower(v1_nonce)),
    v1_signature TEXT,
    jws_nonce TEXT CHECK (length(jws_nonce) = 36 AND jws_nonce = lower(jws_nonce)),
    jws TEXT,
    allow_introductory_offer INTEGER CHECK (allow_introductory_offer IS NULL OR (allow_introductory_offer = 1 AND jws IS NOT NULL)),
    record BLOB NOT NULL,
    UNIQUE (issued_offer, signing),
    CHECK ((v1_nonce IS NULL) = (v1_signature IS NULL) AND (jws_nonce IS NULL) = (jws IS NULL))
) STRICT;
CREATE INDEX signing_account ON signing (scope_id, app_account_token, signed_product_id, decided_at)
    WHERE v1_nonce IS NOT NULL AND app_account_token IS NOT NULL;
CREATE INDEX signing_decision ON signing (decision_id);
CREATE TABLE refusal (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    customer_id INTEGER REFERENCES customer (id),
    offer_id TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    catalog_revision INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome = 'ineligible' OR outcome = 'undetermined'),
    app_account_token TEXT,
    transaction_id TEXT,
    key_id TEXT,
    signed_product_id TEXT,
    jws_nonce TEXT CHECK (length(jws_nonce) = 36 AND jws_nonce = lower(jws_nonce)),
    jws TEXT,
    record BLOB NOT NULL,
    CHECK ((jws_nonce IS NULL) = (jws IS NULL))
) STRICT;
CREATE INDEX refusal_customer ON refusal (customer_id, decided_at, offer_id, scope_id);
CREATE INDEX refusal_offer ON refusal (scope_id, offer_id);
CREATE INDEX refusal_scope ON refusal (scope_id);
CREATE INDEX refusal_unknown ON refusal (scope_id, decided_at) WHERE customer_id IS NULL;
CREATE TABLE kept_answer (
    api_key_id TEXT NOT NULL REFERENCES api_key (id),
    route TEXT NOT NULL CHECK (length(route) > 0),
    key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
    status INTEGER NOT NULL CHECK (status IN (200, 201, 403, 422)),
    content_type TEXT NOT NULL CHECK (length(content_type) > 0),
    location TEXT,
    body TEXT NOT NULL,
    answered_at INTEGER NOT NULL,
    decision_id TEXT,
    PRIMARY KEY (api_key_id, route, key)
) STRICT;
CREATE INDEX kept_answer_answered ON kept_answer (answered_at);
CREATE INDEX kept_answer_decision ON kept_answer (decision_id) WHERE decision_id IS NOT NULL;
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
CREATE INDEX redemption_offer ON redemption
    (scope_id, offer_type, offer_identifier, subscription_group_identifier, first_evidence);
CREATE INDEX redemption_issued_offer ON redemption (issued_offer_id) WHERE issued_offer_id IS NOT NULL;
CREATE TABLE offer_counter (
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
    unit TEXT NOT NULL CHECK (unit = 'places' OR length(unit) = 3),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (scope_id, offer_id, unit)
) STRICT;
CREATE TABLE redemption_counter (
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    offer_type INTEGER NOT NULL,
    offer_identifier TEXT NOT NULL,
    subscription_group_identifier TEXT NOT NULL,
    product_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id)
) STRICT;
CREATE TABLE erasure (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    erased_at INTEGER NOT NULL,
    actor TEXT NOT NULL CHECK (length(actor) > 0),
    reason TEXT NOT NULL CHECK (length(reason) > 0)
) STRICT;
CREATE INDEX erasure_customer ON erasure (customer_id, sequence);
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
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    type TEXT NOT NULL CHECK (length(type) > 0),
    occurred_at INTEGER NOT NULL,
    original_transaction_id TEXT NOT NULL,
    cause TEXT NOT NULL CHECK (length(cause) > 0),
    data TEXT NOT NULL,
    UNIQUE (scope_id, original_transaction_id, type, cause)
) STRICT;
CREATE INDEX event_type ON event (scope_id, type);
CREATE TABLE due_event (
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    original_transaction_id TEXT NOT NULL CHECK (length(original_transaction_id) > 0),
    type TEXT NOT NULL CHECK (length(type) > 0),
    due_at INTEGER NOT NULL,
    announced INTEGER NOT NULL,
    PRIMARY KEY (scope_id, original_transaction_id, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX due_event_due ON due_event (due_at);
CREATE TABLE retention_progress (
    subject TEXT PRIMARY KEY CHECK (length(subject) > 0),
    done_to INTEGER NOT NULL
) STRICT;
CREATE TABLE audit_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    digest_salt BLOB NOT NULL CHECK (length(digest_salt) = 32)
) STRICT;
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
CREATE TABLE webhook_retry (
    event_sequence INTEGER NOT NULL,
    webhook_id TEXT NOT NULL REFERENCES webhook (id),
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
CREATE TABLE simulation (
    id TEXT PRIMARY KEY CHECK (length(id) = 36 AND id = lower(id)),
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    api_key_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    result TEXT,
    failure TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX simulation_created ON simulation (created_at);
CREATE VIEW decision AS
    SELECT sequence, decision_id AS id, scope_id, 'issue' AS kind, customer_id, offer_id,
        issued_at AS decided_at, catalog_revision, 'eligible' AS outcome, id AS issued_offer_id, record
    FROM issued_offer
    UNION ALL
    SELECT s.sequence, s.decision_id, s.scope_id, 'signing', o.customer_id, o.offer_id, s.decided_at,
        s.catalog_revision, 'eligible', o.id, s.record
    FROM signing s JOIN issued_offer o ON o.sequence = s.issued_offer
    UNION ALL
    SELECT sequence, id, scope_id, 'refusal', customer_id, offer_id, decided_at, catalog_revision, outcome,
        NULL, record
    FROM refusal;
CREATE VIEW signature AS
    SELECT sequence, scope_id, v1_nonce AS nonce, id AS issued_offer_id, 1 AS signing, decision_id,
        'v1' AS format, NULL AS allow_introductory_offer, key_id, issued_at AS signed_at,
        signed_product_id AS product_id, app_account_token, transaction_id, v1_signature AS artefact
    FROM issued_offer WHERE v1_nonce IS NOT NULL
    UNION ALL
    SELECT sequence, scope_id, jws_nonce, id, 1, decision_id,
        CASE WHEN allow_introductory_offer IS NULL THEN 'v2' ELSE 'introductoryEligibility' END,
        allow_introductory_offer, key_id, issued_at, signed_product_id, app_account_token, transaction_id, jws
    FROM issued_offer WHERE jws_nonce IS NOT NULL
    UNION ALL
    SELECT s.sequence, s.scope_id, s.v1_nonce, o.id, s.signing, s.decision_id, 'v1', NULL, s.key_id,
        s.decided_at, s.signed_product_id, s.app_account_token, s.transaction_id, s.v1_signature
    FROM signing s JOIN issued_offer o ON o.sequence = s.issued_offer WHERE s.v1_nonce IS NOT NULL
    UNION ALL
    SELECT s.sequence, s.scope_id, s.jws_nonce, o.id, s.signing, s.decision_id,
        CASE WHEN s.allow_introductory_offer IS NULL THEN 'v2' ELSE 'introductoryEligibility' END,
        s.allow_introductory_offer, s.key_id, s.decided_at, s.signed_product_id, s.app_account_token, s.transaction_id, s.jws
    FROM signing s JOIN issued_offer o ON o.sequence = s.issued_offer WHERE s.jws_nonce IS NOT NULL
    UNION ALL
    SELECT sequence, scope_id, jws_nonce, NULL, NULL, id, 'introductoryEligibility', 0, key_id, decided_at,
        signed_product_id, app_account_token, transaction_id, jws
    FROM refusal WHERE jws_nonce IS NOT NULL;
