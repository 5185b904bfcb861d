import OfferModel

// Who may ask and configure, what was decided, issued, signed and used, and the audit of it.
extension Table {
    static let apiKey = Table(
        "api_key", APIKeyRow.columns, indexes: ["CREATE INDEX api_key_scope ON api_key (scope_id)"], ledgerKey: "id")

    static let apiKeyUse = Table(
        "api_key_use",
        [
            Column("api_key_id", String.self, .key("REFERENCES api_key (id)")), Column("last_used_at", Instant.self),
        ])

    /// Who is signed in to the console (docs/console.md).
    static let consoleSession = Table(
        "console_session", ConsoleSession.columns,
        indexes: ["CREATE INDEX console_session_expiry ON console_session (expires_at)"])

    static let catalogRevision = Table(
        "catalog_revision", CatalogRevisionRow.columns, ["PRIMARY KEY (scope_id, revision)"],
        ledgerKey: "scope_id || '/' || revision")

    /// One that was not lifted is in force until its end.
    static let pause = Table(
        "pause", PauseRow.columns,
        [
            "CHECK ((resumed_at IS NULL) = (resumed_by IS NULL))",
            "CHECK ((offer_id IS NULL) = (covers <> 'offer'))",
            "CHECK (covers <> 'limitedOffers' OR ends_at IS NOT NULL)",
        ],
        indexes: [
            """
            CREATE UNIQUE INDEX pause_active ON pause (scope_id, covers, COALESCE(offer_id, ''))
            WHERE resumed_at IS NULL
            """,
            "CREATE INDEX pause_end ON pause (scope_id, resumed_at)",
        ], ledgerKey: "sequence")

    /// An issued offer with its first signing. Where a text was erased, its keyed digest is left. The columns that every
    /// request reads come first.
    static let issuedOffer = Table(
        "issued_offer", IssuedOfferRow.columns,
        [
            "CHECK (voided_at IS NOT NULL OR is_released = 0)", "CHECK (voided_at IS NOT NULL OR void_reason IS NULL)",
            "CHECK ((v1_nonce IS NULL) = (v1_signature IS NULL) AND (jws_nonce IS NULL) = (jws IS NULL))",
            "CHECK ((delivery = 'appStore') = (v1_nonce IS NULL AND jws_nonce IS NULL))",
            "CHECK ((key_id IS NULL) = (delivery = 'appStore') AND (signed_product_id IS NULL) = (key_id IS NULL))",
        ],
        indexes: [
            // One open issued offer for a customer and offer; and all of a customer. One index, because it is the only
            // one of which each issue changes a page of its own.
            """
            CREATE UNIQUE INDEX issued_offer_customer ON issued_offer (
                customer_id, offer_id, (CASE WHEN voided_at IS NULL AND settled_at IS NULL THEN 0 ELSE sequence END))
            """,
            "CREATE INDEX issued_offer_offer ON issued_offer (scope_id, offer_id)",
            "CREATE INDEX issued_offer_scope ON issued_offer (scope_id)",
            """
            CREATE INDEX issued_offer_counting
                ON issued_offer (scope_id, offer_id, counts_until, cost_currency, cost)
                WHERE places = 1 AND redemptions = 0
            """,
            """
            CREATE INDEX issued_offer_account ON issued_offer (scope_id, app_account_token, signed_product_id, issued_at)
                WHERE v1_nonce IS NOT NULL AND app_account_token IS NOT NULL
            """,
            """
            CREATE INDEX issued_offer_app_customer ON issued_offer (scope_id, app_customer_id, customer_id, offer_id)
                WHERE app_customer_id IS NOT NULL AND app_account_token IS NULL
            """,
        ], ledgerKey: "sequence", erasure: .kept, of: isOfCustomer)

    /// What support grants. No two that can be used are of one customer and offer, but where a merge has brought them
    /// together.
    static let offerGrant = Table(
        "offer_grant", StoredGrant.columns,
        [
            "CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))",
            "CHECK (issued_offer_id IS NULL OR revoked_at IS NULL)",
        ],
        indexes: [
            "CREATE INDEX offer_grant_customer ON offer_grant (customer_id)",
            "CREATE INDEX offer_grant_granted ON offer_grant (scope_id, granted_at, actor)",
        ], ledgerKey: "sequence", erasure: .kept, of: isOfCustomer)

    static let signing = Table(
        "signing", SigningRow.columns,
        [
            "UNIQUE (issued_offer, signing)",
            "CHECK ((v1_nonce IS NULL) = (v1_signature IS NULL) AND (jws_nonce IS NULL) = (jws IS NULL))",
        ],
        indexes: [
            """
            CREATE INDEX signing_account ON signing (scope_id, app_account_token, signed_product_id, decided_at)
                WHERE v1_nonce IS NOT NULL AND app_account_token IS NOT NULL
            """,
            "CREATE INDEX signing_decision ON signing (decision_id)",
        ], ledgerKey: "sequence", erasure: .kept,
        of: "t.issued_offer IN (SELECT sequence FROM issued_offer WHERE customer_id IN (?*))")

    /// An answer that was no, or could not be decided; perhaps with the statement that blocks an introductory offer.
    static let refusal = Table(
        "refusal", RefusalRow.columns, ["CHECK ((jws_nonce IS NULL) = (jws IS NULL))"],
        indexes: [
            "CREATE INDEX refusal_customer ON refusal (customer_id, decided_at, offer_id, scope_id)",
            "CREATE INDEX refusal_offer ON refusal (scope_id, offer_id)",
            "CREATE INDEX refusal_scope ON refusal (scope_id)",
            "CREATE INDEX refusal_unknown ON refusal (scope_id, decided_at) WHERE customer_id IS NULL",
        ], ledgerKey: "sequence", erasure: .kept, of: isOfCustomer)

    /// Answers kept under the `Idempotency-Key` of their requests. The decision is noted only where it is an earlier one,
    /// whose signatures were handed out again: any other is found by its instant.
    static let keptAnswer = Table(
        "kept_answer",
        KeptAnswerRow.columns, ["PRIMARY KEY (api_key_id, route, key)"],
        indexes: [
            "CREATE INDEX kept_answer_answered ON kept_answer (answered_at)",
            "CREATE INDEX kept_answer_decision ON kept_answer (decision_id) WHERE decision_id IS NOT NULL",
        ], erasure: .deleted, of: isAnswer(of: "customer_id IN (?*)"))

    /// The answers `t` that tell of some decisions: an earlier decision is noted, any other has the instant of its
    /// answer.
    static func isAnswer(of decisions: String) -> String {
        """
        (t.decision_id IN (SELECT id FROM decision WHERE \(decisions))
            OR (t.answered_at IN (SELECT decided_at FROM decision WHERE \(decisions)) AND EXISTS (
                SELECT 1 FROM decision WHERE \(decisions) AND decided_at = t.answered_at
                AND replace(t.body, id, '') <> t.body)))
        """
    }

    /// Uses of offers as the history shows them.
    static let redemption = Table(
        "redemption", RecordedRedemption.columns,
        ["CHECK (issued_offer_id IS NOT NULL OR (is_doubled = 0 AND is_late = 0))"],
        indexes: [
            "CREATE INDEX redemption_customer ON redemption (customer_id, sequence)",
            """
            CREATE INDEX redemption_offer ON redemption
                (scope_id, offer_type, offer_identifier, subscription_group_identifier, first_evidence)
            """,
            """
            CREATE INDEX redemption_issued_offer ON redemption (issued_offer_id) WHERE issued_offer_id IS NOT NULL
            """,
        ], erasure: .kept, of: isOfCustomer)

    /// What everyone together has used of an offer.
    static let offerCounter = Table(
        "offer_counter",
        [
            .scope, Column("offer_id", OfferId.self, "CHECK (length(offer_id) > 0)"),
            Column("unit", String.self, "CHECK (unit = 'places' OR length(unit) = 3)"),
            Column("amount", Int64.self, "CHECK (amount >= 0)"),
        ], ["PRIMARY KEY (scope_id, offer_id, unit)"])

    /// Uses without an issued offer, counted.
    static let redemptionCounter = Table(
        "redemption_counter",
        [
            .scope, Column("offer_type", TransactionOfferType.self),
            Column("offer_identifier", OfferIdentifier.self),
            Column("subscription_group_identifier", SubscriptionGroupId.self), Column("product_id", ProductId.self),
            Column("amount", Int64.self, "CHECK (amount >= 0)"),
        ],
        ["PRIMARY KEY (scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id)"])

    /// What stays of customers whose data was erased (docs/privacy.md).
    static let erasure = Table(
        "erasure", ErasureRow.columns, indexes: ["CREATE INDEX erasure_customer ON erasure (customer_id, sequence)"],
        ledgerKey: "sequence", erasure: .kept, of: isOfCustomer)

    /// Keyed digests by which an account is known again.
    static let erasedIdentifier = Table(
        "erased_identifier",
        [
            .scope, Column("kind", String.self, "CHECK (kind IN ('originalTransactionId', 'appTransactionId'))"),
            Column("digest", [UInt8].self, "CHECK (length(digest) = 32)"),
            Column("digest_key", String.self, "CHECK (length(digest_key) > 0)"), .customer,
            Column("erased_at", Instant.self),
        ], ["PRIMARY KEY (scope_id, kind, digest)"],
        indexes: ["CREATE INDEX erased_identifier_customer ON erased_identifier (customer_id)"], erasure: .kept,
        of: isOfCustomer)

    /// Uses of offers whose history was erased, so that limits hold.
    static let keptEvidence = Table(
        "kept_evidence", KeptEvidenceRow.columns,
        indexes: [
            "CREATE INDEX kept_evidence_customer ON kept_evidence (customer_id, sequence)",
            "CREATE INDEX kept_evidence_subscription ON kept_evidence (scope_id, original_transaction_id)",
        ], erasure: .kept, of: isOfCustomer)

    /// What happened besides the ledger's own rows, each once for its cause, for 30 days (docs/events.md). Like a row of
    /// the history, it belongs to the customer of its subscription; that is empty if it is about no customer.
    static let event = Table(
        "event",
        [
            .sequence, .scope, Column("type", EventType.self, "CHECK (length(type) > 0)"),
            Column("occurred_at", Instant.self), Column("original_transaction_id", TransactionId.self),
            Column("cause", String.self, "CHECK (length(cause) > 0)"), Column("data", String.self),
        ], ["UNIQUE (scope_id, original_transaction_id, type, cause)"],
        indexes: ["CREATE INDEX event_type ON event (scope_id, type)"], erasure: .deleted,
        of: isNamed("original_transaction_id", "originalTransactionId"))

    /// When a subscription's next events are due, derived with its facts; an event that is sent leaves it.
    static let dueEvent = Table(
        "due_event",
        [
            .scope,
            Column(
                "original_transaction_id", TransactionId.self, "CHECK (length(original_transaction_id) > 0)"),
            Column("type", EventType.self, "CHECK (length(type) > 0)"), Column("due_at", Instant.self),
            Column("announced", Instant.self),
        ], ["PRIMARY KEY (scope_id, original_transaction_id, type)"],
        indexes: ["CREATE INDEX due_event_due ON due_event (due_at)"], form: .byKey, erasure: .deleted,
        of: isNamed("original_transaction_id", "originalTransactionId"))

    /// Up to which place retention has gone.
    static let retentionProgress = Table(
        "retention_progress",
        [
            Column("subject", String.self, .key("CHECK (length(subject) > 0)")), Column("done_to", Int64.self),
        ])

    /// The key of digests where the configuration has none.
    static let auditState = Table(
        "audit_state",
        [
            Column("id", Int64.self, .key("CHECK (id = 1)")),
            Column("digest_salt", [UInt8].self, "CHECK (length(digest_salt) = 32)"),
        ])

    /// The audit: a chain of events over the ledger, and signed checkpoints of it (docs/ledger.md).
    static let auditEvent = Table(
        "audit_event", AuditEvent.columns,
        indexes: [
            """
            CREATE INDEX audit_event_issued_offer ON audit_event (issued_offer, sequence)
                WHERE issued_offer IS NOT NULL
            """,
            "CREATE INDEX audit_event_keys ON audit_event (sequence) WHERE kind = 'keys'",
        ], form: .appendOnly, erasure: .kept)

    static let auditCheckpoint = Table(
        "audit_checkpoint", AuditCheckpoint.columns, form: .appendOnly, ledgerKey: "number")
}

// How far events were delivered.
extension Table {
    /// Every event up to `done_to` was delivered, dropped, or is in `webhook_retry`. One process at a time delivers, until
    /// `lease_until`. `id` is a digest of the URL, the app and the environment.
    static let webhook = Table(
        "webhook",
        [Column("id", String.self, .key("CHECK (length(id) = 64)"))] + WebhookState.columns)

    /// Events that are sent later. Of one customer only the earliest has `next_at`; the others wait for it.
    static let webhookRetry = Table(
        "webhook_retry",
        [
            Column("event_sequence", Int64.self), Column("webhook_id", String.self, "REFERENCES webhook (id)"),
            Column("customer_id", CustomerNumber?.self), Column("attempts", Int.self, "CHECK (attempts >= 0)"),
            Column("next_at", Instant?.self), Column("expires_at", Instant.self), Column("failed_at", Instant?.self),
        ], ["PRIMARY KEY (webhook_id, event_sequence)"],
        indexes: [
            "CREATE INDEX webhook_retry_due ON webhook_retry (webhook_id, next_at) WHERE next_at IS NOT NULL",
            """
            CREATE INDEX webhook_retry_customer ON webhook_retry (webhook_id, customer_id, event_sequence)
                WHERE customer_id IS NOT NULL
            """,
        ], erasure: .kept, of: isOfCustomer)
}

extension Table {
    /// Counts of an offer's audience, each for a day.
    static let simulation = Table(
        "simulation", StoredSimulation.columns, indexes: ["CREATE INDEX simulation_created ON simulation (created_at)"])

    public static let all: [Table] = [
        .storeState, .scope, .customer, .customerIdentifier, .customerAlias, .customerMerge, .customerAttribute,
        .offerOpening, .coverage, .historyTransaction, .historyRenewalInfo, .historyAppTransaction, .historyFacts,
        .notification, .importRun, .importRow, .importRefusal, .importCustomer, .apiKey, .apiKeyUse, .consoleSession,
        .catalogRevision, .pause, .issuedOffer, .offerGrant, .signing, .refusal, .keptAnswer, .redemption,
        .offerCounter, .redemptionCounter, .erasure, .erasedIdentifier, .keptEvidence, .event, .dueEvent,
        .retentionProgress, .auditState, .auditEvent, .auditCheckpoint, .webhook, .webhookRetry, .simulation,
    ]

    /// Tables in which a body changes only rows of what it concerns (``WriteExpectation``), or says so, or rows that the
    /// transaction's cache holds from then on. Settling issued offers of others changes nothing that anyone reads, and
    /// of the answers under others' keys a body clears only those that are too old to be given.
    public static let changedApart: Set<String> = [
        "customer", "customer_identifier", "customer_alias", "coverage", "offer_opening",
        "history_transaction", "history_renewal_info", "history_app_transaction", "history_facts",
        "issued_offer", "signing", "refusal", "kept_answer", "redemption", "offer_counter",
        "notification", "event", "due_event", "audit_event", "store_state", "commit_mark",
        "elected",
    ]

    /// A table and the views that show its rows.
    public static func names(showing table: String) -> [String] {
        switch table {
        case "issued_offer", "signing", "refusal": [table, "decision", "signature"]
        default: [table]
        }
    }

    /// Queries over several tables, as complete statements; made after the tables.
    public static let views = [
        // Every decision that was recorded, wherever its row is.
        """
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
            FROM refusal
        """,
        // Every signature that was recorded, wherever its row is.
        """
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
            FROM refusal WHERE jws_nonce IS NOT NULL
        """,
    ]
}
