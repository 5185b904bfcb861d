import OfferModel

// Apps, their customers, and what is known of them.
extension Table {
    /// The store-wide order, the instants that the clock is held against, a place to try writing, and when the database
    /// was last backed up and proven.
    static let storeState = Table(
        "store_state",
        [
            Column("id", Int64.self, .key("CHECK (id = 1)")), Column("sequence", Int64.self, "CHECK (sequence >= 0)"),
            Column("last_instant", Instant?.self), Column("newest_signed_date", Instant?.self),
            Column("tried_at", Instant?.self), Column("backed_up_at", Instant?.self),
            Column("proven_at", Instant?.self),
        ])

    /// An app in one environment. `generation` moves with its catalog and its pauses.
    static let scope = Table(
        "scope",
        [
            Column("id", ScopeNumber.self, .key), Column("bundle_id", String.self, "CHECK (length(bundle_id) > 0)"),
            Column(
                "environment", AppStoreEnvironment.self,
                "CHECK (environment IN ('Production', 'Sandbox', 'LocalTesting', 'Xcode'))"),
            Column("generation", Int64.self),
        ], ["UNIQUE (bundle_id, environment)"])

    /// `version` is the place of the newest change that a decision may depend on. What was stored by `issued_sequence`,
    /// when an offer was last issued on the history, stays for replay, also where newer copies say the same.
    static let customer = Table(
        "customer",
        [
            Column("id", CustomerNumber.self, .key), .scope, Column("rollout_key", String.self, .erased(.digested)),
            Column("first_stored_at", Instant.self),
            Column("merged_into", CustomerNumber?.self, "REFERENCES customer (id) CHECK (merged_into <> id)"),
            Column("version", Int64.self), Column("erasure_sequence", Int64?.self, "REFERENCES erasure (sequence)"),
            Column("issued_sequence", Int64.self, "DEFAULT 0"),
        ],
        indexes: ["CREATE INDEX customer_merged ON customer (merged_into) WHERE merged_into IS NOT NULL"],
        erasure: .kept, of: "t.id IN (?*)")

    /// Identifiers that Apple's data holds.
    static let customerIdentifier = Table(
        "customer_identifier",
        [
            .scope, Column("kind", String.self, "CHECK (kind IN ('originalTransactionId', 'appTransactionId'))"),
            Column("value", String.self), .customer, Column("is_proven", Bool.self, "CHECK (is_proven IN (0, 1))"),
            Column("first_stored_at", Instant.self), Column("provenance", Provenance.self),
            Column("transaction_id", TransactionId?.self),
        ], ["PRIMARY KEY (scope_id, kind, value)"],
        indexes: [
            "CREATE INDEX customer_identifier_customer ON customer_identifier (customer_id, kind, is_proven)"
        ], form: .byKey, erasure: .deleted, of: isOfCustomer)

    /// Names that the app gave; several customers may have one.
    static let customerAlias = Table(
        "customer_alias",
        [
            .scope, Column("kind", String.self, "CHECK (kind IN ('appAccountToken', 'customerId'))"),
            Column("value", String.self), .customer, Column("first_stored_at", Instant.self),
            Column("provenance", Provenance.self), Column("transaction_id", TransactionId?.self),
            Column("request_id", LowercaseUUID?.self),
        ], ["PRIMARY KEY (scope_id, kind, value, customer_id)"],
        indexes: [
            "CREATE INDEX customer_alias_customer ON customer_alias (customer_id, kind)",
            """
            CREATE INDEX customer_alias_proven ON customer_alias (scope_id, kind, value, customer_id)
                WHERE provenance IN ('notification', 'client', 'serverAPI')
            """,
        ], erasure: .deleted, of: isOfCustomer)

    static let customerMerge = Table(
        "customer_merge", CustomerMergeRow.columns,
        indexes: ["CREATE INDEX customer_merge_survivor ON customer_merge (survivor_id)"], ledgerKey: "sequence",
        erasure: .kept, of: "(t.survivor_id IN (?*) OR t.merged_id IN (?*))")

    /// What the app sets. A value is text whatever its type, so that a number comes back as the same number.
    static let customerAttribute = Table(
        "customer_attribute",
        [
            .customer, Column("name", String.self, "CHECK (length(name) > 0)"),
            Column("type", String.self, "CHECK (type IN ('text', 'number', 'boolean', 'money', 'instant'))"),
            Column("value", String.self), Column("actor", String.self), Column("set_at", Instant.self),
            Column("sequence", Int64.self),
        ], ["PRIMARY KEY (customer_id, name)"], erasure: .deleted, of: isOfCustomer)

    /// The moments from which an offer with `availableFor` is open to a customer.
    static let offerOpening = Table(
        "offer_opening",
        [
            .customer, Column("offer_id", OfferId.self, "CHECK (length(offer_id) > 0)"),
            Column("opened_at", Instant.self),
        ], ["PRIMARY KEY (customer_id, offer_id)"], erasure: .kept, of: isOfCustomer)

    /// How much of a history was known, and on whose word; the newest row holds.
    static let coverage = Table(
        "coverage",
        [
            Column("sequence", Int64.self), .scope, .customer,
            Column("is_complete", Bool.self, "CHECK (is_complete IN (0, 1))"), Column("as_of", Instant?.self),
            Column("provenance", Provenance?.self), Column("stated_at", Instant.self),
        ],
        [
            "PRIMARY KEY (customer_id, sequence)",
            "CHECK ((is_complete = 1) = (as_of IS NOT NULL AND provenance IS NOT NULL))",
        ], form: .byKey, erasure: .deleted, of: isOfCustomer)

    static let isOfCustomer = "t.customer_id IN (?*)"

    static func isNamed(_ column: String, _ kind: String) -> String {
        """
        t.scope_id = ?1 AND t.\(column) IN (
            SELECT value FROM customer_identifier WHERE kind = '\(kind)' AND customer_id IN (?*)
        )
        """
    }
}

// What Apple or an operator said, and what was imported.
extension Table {
    /// A row is never changed, and belongs to the customer that its identifiers name; a newer copy that says the same may
    /// take its place (docs/decisions/0046-signed-copies.md).
    static let historyTransaction = Table(
        "history_transaction", HistoryRow<Transaction>.columns,
        indexes: [
            """
            CREATE INDEX history_transaction_id
                ON history_transaction (scope_id, transaction_id, is_proven, signed_date)
            """,
            "CREATE INDEX history_transaction_subscription ON history_transaction (scope_id, original_transaction_id)",
        ], erasure: .deleted, of: isNamed("original_transaction_id", "originalTransactionId"))

    static let historyRenewalInfo = Table(
        "history_renewal_info", HistoryRow<RenewalInfo>.columns,
        indexes: [
            """
            CREATE INDEX history_renewal_info_subscription
                ON history_renewal_info (scope_id, original_transaction_id, is_proven, signed_date)
            """
        ], erasure: .deleted, of: isNamed("original_transaction_id", "originalTransactionId"))

    static let historyAppTransaction = Table(
        "history_app_transaction", HistoryRow<AppTransaction>.columns,
        indexes: [
            """
            CREATE INDEX history_app_transaction_id
                ON history_app_transaction (scope_id, app_transaction_id, is_proven, receipt_creation_date)
            """
        ], erasure: .deleted, of: isNamed("app_transaction_id", "appTransactionId"))

    /// What of a subscription's or an account's history can matter now: derived from its rows, and written with them
    /// (docs/decisions/0051-facts-of-a-subscription.md).
    static let historyFacts = Table(
        "history_facts",
        [
            .scope, Column("kind", String.self, "CHECK (kind IN ('originalTransactionId', 'appTransactionId'))"),
            Column("value", String.self), Column("facts", [UInt8].self, "CHECK (length(facts) > 0)"),
        ], ["PRIMARY KEY (scope_id, kind, value)"], form: .byKey, erasure: .deleted,
        of: """
            ((t.kind = 'originalTransactionId' AND \(isNamed("value", "originalTransactionId")))
                OR (t.kind = 'appTransactionId' AND \(isNamed("value", "appTransactionId"))))
            """)

    /// App Store Server Notifications, each once. A row holds no customer: like a row of the history it belongs to the
    /// customer that `identifier` names. It stays for good, so that a repeat is known for one; `payload`, and with an
    /// erasure `identifier` and `transaction_id`, are taken out of it.
    static let notification = Table(
        "notification",
        NotificationRow.columns,
        [
            "UNIQUE (scope_id, uuid)", "CHECK ((identifier IS NULL) = (identifier_kind IS NULL))",
            "CHECK ((payload IS NULL) = (payload_removed_at IS NOT NULL))",
            "CHECK (erased_at IS NULL OR (payload IS NULL AND identifier IS NULL AND transaction_id IS NULL))",
        ],
        indexes: [
            """
            CREATE INDEX notification_identifier ON notification (scope_id, identifier_kind, identifier)
                WHERE identifier IS NOT NULL
            """,
            "CREATE INDEX notification_payload ON notification (received_at) WHERE payload IS NOT NULL",
            "CREATE INDEX notification_test ON notification (scope_id, sequence) WHERE type = 'TEST'",
            "CREATE INDEX notification_newest ON notification (scope_id, sequence)",
        ], erasure: .kept,
        of: """
            EXISTS (SELECT 1 FROM customer_identifier i WHERE i.scope_id = t.scope_id \
            AND i.kind = t.identifier_kind AND i.value = t.identifier AND i.customer_id IN (?*))
            """)

    /// What bulk import has read and not applied yet (docs/import.md). A run is open until everything it read is applied;
    /// of each kind of source at most one is open in a scope.
    static let importRun = Table(
        "import_run",
        ImportRun.columns + [.scope, Column("closed_at", Instant?.self)],
        ["CHECK ((stage = 'closed') = (closed_at IS NOT NULL))"],
        indexes: ["CREATE UNIQUE INDEX import_run_open ON import_run (scope_id, source) WHERE closed_at IS NULL"],
        erasure: .kept,
        of: "t.closed_at IS NOT NULL AND \(isNamed("applied_key", "originalTransactionId"))")

    private static let run = Column("run_id", Int64.self, "REFERENCES import_run (id)")

    static let importRow = Table(
        "import_row",
        [
            Column("id", Int64.self, .key), run, Column("subscription_key", String.self), Column("line", Int64.self),
            Column(
                "kind", StagedPayload.Kind.self,
                "CHECK (kind IN ('transaction', 'renewalInfo', 'appTransaction'))"),
            Column("payload", [UInt8].self), Column("app_account_token", AppAccountToken?.self),
            Column("app_customer_id", CustomerId?.self),
        ], indexes: ["CREATE INDEX import_row_subscription ON import_row (run_id, subscription_key, id)"],
        erasure: .deleted,
        of: """
            t.run_id IN (SELECT id FROM import_run WHERE scope_id = ?1) AND t.subscription_key IN (
                SELECT value FROM customer_identifier WHERE customer_id IN (?*)
            )
            """)

    static let importRefusal = Table(
        "import_refusal",
        [
            run, Column("line", Int64.self), Column("reason", String.self, "CHECK (length(reason) > 0)"),
            Column("detail", String.self, .erased(.emptied)),
        ], ["PRIMARY KEY (run_id, line)"], erasure: .kept,
        of: """
            t.run_id IN (SELECT id FROM import_run WHERE scope_id = ?1) AND EXISTS (
                SELECT 1 FROM customer_identifier i WHERE i.customer_id IN (?*)
                AND replace(t.detail, i.value, '') <> t.detail
                UNION ALL
                SELECT 1 FROM customer_alias a WHERE a.customer_id IN (?*)
                AND replace(t.detail, a.value, '') <> t.detail
            )
            """)

    static let importCustomer = Table(
        "import_customer",
        [run, Column("customer_id", CustomerNumber.self), Column("app_transaction_id", String.self)],
        ["PRIMARY KEY (run_id, customer_id, app_transaction_id)"],
        indexes: [
            """
            CREATE INDEX import_customer_account ON import_customer (run_id, app_transaction_id, customer_id)
                WHERE app_transaction_id <> ''
            """
        ], erasure: .deleted, of: isOfCustomer)
}
