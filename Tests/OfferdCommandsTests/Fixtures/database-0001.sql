BEGIN TRANSACTION;
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
INSERT INTO "api_key" VALUES('6922cfe8a4230741',1,'client',X'22BAD796F24A4B3B1A35BF2E5CEF5D765BFFE0D05C8C556BDEB2996B42F44789',NULL,1752043536746,NULL,NULL);
INSERT INTO "api_key" VALUES('8bbcf75599adae5f',1,'marketing',X'5DF96B22CA363FDC39BE051B500B950205AE1D3178C349D439973041470B54F8',NULL,1752043536778,NULL,NULL);
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
INSERT INTO "catalog_revision" VALUES(1,1,'bundleId: com.example.pro
subscriptionGroups:
  - id: "21500001"
    products:
      - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
offers:
  - id: comeback
    type: promotional
    offerIdentifier: comeback50
    products: [com.example.pro.monthly]
    paymentMode: payAsYouGo
    period: P1M
    periodCount: 3
    price: { amount: "4.99", currency: USD }
    status: active
    eligibility: { fact: subscription.state, in: [expired] }
    limits: [ { count: 1, per: customer } ]
    formats: [v1, v2]

','yaml','95d8d9dfc69f8d143337ac2cda491d94338f762774ed099e524a272293f732c7','8bbcf75599adae5f',NULL,1752043536866);
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
CREATE TABLE customer (
    id INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    rollout_key TEXT NOT NULL,
    first_stored_at INTEGER NOT NULL,
    merged_into INTEGER REFERENCES customer (id) CHECK (merged_into <> id),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO "customer" VALUES(1,1,'7000001',1752043536881,NULL,4);
CREATE TABLE customer_alias (
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    kind TEXT NOT NULL CHECK (kind IN ('appAccountToken', 'customerId')),
    value TEXT NOT NULL,
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    first_stored_at INTEGER NOT NULL,
    PRIMARY KEY (scope_id, kind, value, customer_id)
) STRICT;
INSERT INTO "customer_alias" VALUES(1,'appAccountToken','33333333-3333-4333-8333-333333333333',1,1752043536881);
CREATE TABLE customer_identifier (
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
    value TEXT NOT NULL,
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
    first_stored_at INTEGER NOT NULL,
    PRIMARY KEY (scope_id, kind, value)
) STRICT;
INSERT INTO "customer_identifier" VALUES(1,'originalTransactionId','7000001',1,1,1752043536881);
CREATE TABLE customer_merge (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    survivor_id INTEGER NOT NULL REFERENCES customer (id),
    merged_id INTEGER NOT NULL UNIQUE REFERENCES customer (id),
    proof TEXT NOT NULL,
    merged_at INTEGER NOT NULL
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
    body TEXT NOT NULL
) STRICT;
INSERT INTO "decision" VALUES(5,'8732df72-c5e6-4e3e-ac87-1fd1bd5b0fee',1,'issue',1,'comeback',1752043536884,1,'eligible','36042074-c41d-4898-abe1-3e234c98c1c5','{"catalogRevision":1,"coverage":"partial","customers":[1],"decision":{"findings":[{"evidence":[{"field":"offer.status","observed":"active","required":"active"}],"message":"the offer `comeback` is active","reason":"holds","rule":"catalog.status","verdict":"satisfied"},{"evidence":[],"message":"the offer has begun and has no end","reason":"holds","rule":"catalog.schedule","verdict":"satisfied"},{"evidence":[{"field":"offer.environments","observed":"LocalTesting","required":["Production","Sandbox","LocalTesting"]}],"message":"the offer is meant for LocalTesting","reason":"holds","rule":"catalog.environment","verdict":"satisfied"},{"evidence":[{"field":"offer.products","observed":"com.example.pro.monthly","required":["com.example.pro.monthly"]}],"message":"the offer discounts the product `com.example.pro.monthly`","reason":"holds","rule":"catalog.product","verdict":"satisfied"},{"evidence":[{"field":"offer.pause","observed":"none","required":"none"}],"message":"the offer is not paused","reason":"holds","rule":"catalog.paused","verdict":"satisfied"},{"evidence":[{"field":"transactionId","observed":"7000001","provenance":"client","transactionId":"7000001"}],"message":"a subscription in the app was bought on 2025-03-11 (transaction `7000001`)","reason":"holds","rule":"platform.promotional.everSubscribed","verdict":"satisfied"},{"evidence":[],"message":"the offer `comeback50` is neither pending nor running","reason":"holds","rule":"platform.promotional.notApplied","verdict":"satisfied"},{"evidence":[{"field":"subscription.state","observed":"expired","provenance":"client","required":["expired"],"transactionId":"7000001"}],"message":"`subscription.state` is `expired`, as required: one of `expired`","reason":"holds","rule":"rule.eligibility","turningPoint":{"event":"subscriptionChanged"},"verdict":"satisfied"},{"evidence":[{"field":"limit.customer","observed":0,"required":1}],"message":"0 of 1 uses per customer are taken","reason":"holds","rule":"limit.customer","verdict":"satisfied"},{"evidence":[],"message":"no further signing of an open issued offer is asked for","reason":"notApplicable","rule":"limit.signatures","verdict":"notApplicable"}],"outcome":"eligible"},"historySequence":3,"needsNewSigning":true,"now":1752043536884,"order":{"appAccountToken":"33333333-3333-4333-8333-333333333333","formats":[],"fresh":false},"pause":"none","productId":"com.example.pro.monthly","signals":{},"signatures":[{"appAccountToken":"33333333-3333-4333-8333-333333333333","format":"v1","keyId":"LOCALTEST1","nonce":"8c102c69-2711-4e48-8d5b-240ba3f1114e","timestamp":1752043536884,"transactionId":"7000001"}],"slots":[]}');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('0001-main-job');
CREATE TABLE history_app_transaction (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    provenance TEXT NOT NULL,
    is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
    received_at INTEGER NOT NULL,
    payload BLOB NOT NULL,
    bundle_id TEXT NOT NULL,
    app_apple_id INTEGER,
    app_transaction_id TEXT NOT NULL,
    original_purchase_date INTEGER,
    original_application_version TEXT,
    application_version TEXT,
    receipt_creation_date INTEGER NOT NULL,
    receipt_type TEXT
) STRICT;
CREATE TABLE history_renewal_info (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    provenance TEXT NOT NULL,
    is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
    received_at INTEGER NOT NULL,
    payload BLOB NOT NULL,
    original_transaction_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    auto_renew_product_id TEXT,
    auto_renew_status INTEGER,
    expiration_intent INTEGER,
    is_in_billing_retry_period INTEGER CHECK (is_in_billing_retry_period IN (0, 1)),
    grace_period_expires_date INTEGER,
    price_increase_status INTEGER,
    offer_type INTEGER,
    offer_identifier TEXT,
    offer_discount_type TEXT,
    offer_period TEXT,
    renewal_date INTEGER,
    renewal_price INTEGER,
    currency TEXT,
    recent_subscription_start_date INTEGER,
    eligible_win_back_offer_ids TEXT,
    app_account_token TEXT,
    app_transaction_id TEXT,
    renewal_billing_plan_type TEXT,
    has_commitment_info INTEGER NOT NULL CHECK (has_commitment_info IN (0, 1)),
    commitment_auto_renew_product_id TEXT,
    commitment_auto_renew_status INTEGER,
    commitment_renewal_billing_plan_type TEXT,
    commitment_renewal_date INTEGER,
    commitment_renewal_price INTEGER,
    signed_date INTEGER NOT NULL,
    environment TEXT
) STRICT;
INSERT INTO "history_renewal_info" VALUES(3,1,'client',1,1752043536881,X'7B226170704163636F756E74546F6B656E223A2233333333333333332D333333332D343333332D383333332D333333333333333333333333222C226175746F52656E657750726F647563744964223A22636F6D2E6578616D706C652E70726F2E6D6F6E74686C79222C226175746F52656E6577537461747573223A302C22656E7669726F6E6D656E74223A224C6F63616C54657374696E67222C2265787069726174696F6E496E74656E74223A312C226973496E42696C6C696E675265747279506572696F64223A66616C73652C226F726967696E616C5472616E73616374696F6E4964223A2237303030303031222C2270726F647563744964223A22636F6D2E6578616D706C652E70726F2E6D6F6E74686C79222C22726563656E74537562736372697074696F6E537461727444617465223A313734313637353533363831342C2272656E6577616C44617465223A313734343335333933363831342C227369676E656444617465223A313735323034333533363831347D','7000001','com.example.pro.monthly','com.example.pro.monthly',0,1,0,NULL,NULL,NULL,NULL,NULL,NULL,1744353936814,NULL,NULL,1741675536814,NULL,'33333333-3333-4333-8333-333333333333',NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,1752043536814,'LocalTesting');
CREATE TABLE history_transaction (
    sequence INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    provenance TEXT NOT NULL,
    is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
    received_at INTEGER NOT NULL,
    payload BLOB NOT NULL,
    transaction_id TEXT NOT NULL,
    original_transaction_id TEXT NOT NULL,
    web_order_line_item_id TEXT,
    bundle_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    subscription_group_identifier TEXT,
    purchase_date INTEGER NOT NULL,
    original_purchase_date INTEGER,
    expires_date INTEGER,
    signed_date INTEGER NOT NULL,
    revocation_date INTEGER,
    revocation_reason INTEGER,
    revocation_type TEXT,
    revocation_percentage INTEGER,
    type TEXT,
    quantity INTEGER,
    in_app_ownership_type TEXT,
    app_account_token TEXT,
    app_transaction_id TEXT,
    is_upgraded INTEGER NOT NULL CHECK (is_upgraded IN (0, 1)),
    offer_type INTEGER,
    offer_identifier TEXT,
    offer_discount_type TEXT,
    offer_period TEXT,
    price INTEGER,
    currency TEXT,
    transaction_reason TEXT,
    storefront TEXT,
    storefront_id TEXT,
    billing_plan_type TEXT,
    has_commitment_info INTEGER NOT NULL CHECK (has_commitment_info IN (0, 1)),
    billing_period_number INTEGER,
    total_billing_periods INTEGER,
    commitment_expires_date INTEGER,
    commitment_price INTEGER,
    environment TEXT
) STRICT;
INSERT INTO "history_transaction" VALUES(1,1,'client',1,1752043536881,X'7B226170704163636F756E74546F6B656E223A2233333333333333332D333333332D343333332D383333332D333333333333333333333333222C2262756E646C654964223A22636F6D2E6578616D706C652E70726F222C2263757272656E6379223A22555344222C22656E7669726F6E6D656E74223A224C6F63616C54657374696E67222C226578706972657344617465223A313734343335333933363831342C22696E4170704F776E65727368697054797065223A22505552434841534544222C226F726967696E616C507572636861736544617465223A313734313637353533363831342C226F726967696E616C5472616E73616374696F6E4964223A2237303030303031222C227072696365223A393939302C2270726F647563744964223A22636F6D2E6578616D706C652E70726F2E6D6F6E74686C79222C22707572636861736544617465223A313734313637353533363831342C227175616E74697479223A312C227369676E656444617465223A313735323034333533363831342C2273746F726566726F6E74223A22555341222C22737562736372697074696F6E47726F75704964656E746966696572223A223231353030303031222C227472616E73616374696F6E4964223A2237303030303031222C227472616E73616374696F6E526561736F6E223A225055524348415345222C2274797065223A224175746F2D52656E657761626C6520537562736372697074696F6E227D','7000001','7000001',NULL,'com.example.pro','com.example.pro.monthly','21500001',1741675536814,1741675536814,1744353936814,1752043536814,NULL,NULL,NULL,NULL,'Auto-Renewable Subscription',1,'PURCHASED','33333333-3333-4333-8333-333333333333',NULL,0,NULL,NULL,NULL,NULL,9990,'USD','PURCHASE','USA',NULL,NULL,0,NULL,NULL,NULL,NULL,'LocalTesting');
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
INSERT INTO "issued_offer" VALUES(4,'36042074-c41d-4898-abe1-3e234c98c1c5',1,1,1,'comeback','comeback50','promotional','signature','com.example.pro.monthly','21500001','[]',1752043536884,1752129936884,1752133536884,1,NULL,NULL,0,NULL);
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
CREATE TABLE scope (
    id INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL CHECK (length(bundle_id) > 0),
    environment TEXT NOT NULL
        CHECK (environment IN ('Production', 'Sandbox', 'LocalTesting', 'Xcode')),
    generation INTEGER NOT NULL,
    UNIQUE (bundle_id, environment)
) STRICT;
INSERT INTO "scope" VALUES(1,'com.example.pro','LocalTesting',1);
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
INSERT INTO "signature" VALUES(6,1,'8c102c69-2711-4e48-8d5b-240ba3f1114e','36042074-c41d-4898-abe1-3e234c98c1c5',1,'8732df72-c5e6-4e3e-ac87-1fd1bd5b0fee','v1',NULL,'LOCALTEST1',1752043536884,'com.example.pro.monthly','33333333-3333-4333-8333-333333333333','7000001','MEUCIBNmnqVW9Wd5+HUyU04rZUR1v7Dmq9y2hATh/lrgD8BLAiEAnvEeyODXl/KbJ75AubvoxC3P8zOKe8OjPDZD6p9GKvA=');
CREATE TABLE store_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    last_instant INTEGER
) STRICT;
INSERT INTO "store_state" VALUES(1,6,1752043536884);
CREATE INDEX api_key_scope ON api_key (scope_id);
CREATE UNIQUE INDEX pause_active ON pause (scope_id, COALESCE(offer_id, '')) WHERE resumed_at IS NULL;
CREATE INDEX customer_merged ON customer (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX customer_identifier_customer ON customer_identifier (customer_id, kind);
CREATE INDEX customer_alias_customer ON customer_alias (customer_id, kind);
CREATE INDEX customer_merge_survivor ON customer_merge (survivor_id);
CREATE INDEX coverage_customer ON coverage (customer_id, sequence);
CREATE INDEX history_transaction_id
    ON history_transaction (scope_id, transaction_id, is_proven, signed_date);
CREATE INDEX history_transaction_subscription ON history_transaction (scope_id, original_transaction_id);
CREATE INDEX history_renewal_info_subscription
    ON history_renewal_info (scope_id, original_transaction_id, is_proven, signed_date);
CREATE INDEX history_app_transaction_id
    ON history_app_transaction (scope_id, app_transaction_id, is_proven, receipt_creation_date);
CREATE UNIQUE INDEX issued_offer_open ON issued_offer (customer_id, offer_id)
    WHERE voided_at IS NULL AND settled_at IS NULL;
CREATE INDEX issued_offer_customer ON issued_offer (customer_id, sequence);
CREATE INDEX issued_offer_offer ON issued_offer (scope_id, offer_id, sequence);
CREATE INDEX issued_offer_scope ON issued_offer (scope_id, sequence);
CREATE INDEX decision_customer ON decision (customer_id, sequence);
CREATE INDEX decision_issued_offer ON decision (issued_offer_id) WHERE issued_offer_id IS NOT NULL;
CREATE INDEX signature_issued_offer ON signature (issued_offer_id, sequence);
CREATE INDEX signature_decision ON signature (decision_id);
COMMIT;
