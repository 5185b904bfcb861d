/// What a table holds of a customer, and what an erasure does to each of its columns (docs/privacy.md has the same
/// table).
public struct PersonalTable: Sendable {
    public enum ErasureAction: String, Sendable, Hashable, CaseIterable {
        /// It stays: an internal id, a date, a count, or a name of the catalog's.
        case kept
        case digested
        /// The value is removed without a replacement.
        case emptied
        case deleted
        /// No row of the table is about a customer.
        case none
    }

    public let name: String
    /// Every column with its action, those of one action together.
    public let columns: [(name: String, action: ErasureAction)]
    /// Which rows `t` are about a customer: `?1` is the scope, `:customers` stands for the numbers of the customers.
    let condition: String?

    init(
        _ name: String, of condition: String? = nil, kept: String = "", digested: String = "", emptied: String = "",
        deleted: String = "", none: String = ""
    ) {
        self.name = name
        self.condition = condition
        let parts: [(String, ErasureAction)] = [
            (kept, .kept), (digested, .digested), (emptied, .emptied), (deleted, .deleted), (none, .none),
        ]
        columns = parts.flatMap { names, action in names.split(separator: " ").map { (String($0), action) } }
    }

    /// ``condition`` with the placeholders of the customers, which come after the scope's.
    func condition(about customers: [CustomerNumber]) -> String? {
        condition?.replacing(":customers", with: Statement.placeholders(customers.count, after: 1))
    }
}

extension PersonalTable {
    /// Every table of the schema, also those that hold nothing of a customer.
    public static let all: [PersonalTable] =
        [
            .customer, .customerIdentifier, .customerAlias, .customerAttribute, .customerMerge, .coverage,
            .offerOpening,
        ] + history + imports + ledger + traces + impersonal

    private static let isOfCustomer = "t.customer_id IN (:customers)"

    private static let customer = PersonalTable(
        "customer", of: "t.id IN (:customers)",
        kept: "id scope_id first_stored_at merged_into version erasure_sequence issued_sequence",
        digested: "rollout_key")
    private static let customerIdentifier = PersonalTable(
        "customer_identifier", of: isOfCustomer,
        deleted: "scope_id kind value customer_id is_proven first_stored_at provenance transaction_id")
    private static let customerAlias = PersonalTable(
        "customer_alias", of: isOfCustomer,
        deleted: "scope_id kind value customer_id first_stored_at provenance transaction_id request_id")
    private static let customerAttribute = PersonalTable(
        "customer_attribute", of: isOfCustomer, deleted: "customer_id name type value actor set_at sequence")
    private static let customerMerge = PersonalTable(
        "customer_merge", of: "(t.survivor_id IN (:customers) OR t.merged_id IN (:customers))",
        kept: "sequence scope_id survivor_id merged_id merged_at", digested: "proof")
    private static let coverage = PersonalTable(
        "coverage", of: isOfCustomer,
        deleted: "sequence scope_id customer_id is_complete as_of provenance stated_at")
    private static let offerOpening = PersonalTable(
        "offer_opening", of: isOfCustomer, kept: "customer_id offer_id opened_at")

    private static func isNamed(_ column: String, _ kind: String) -> String {
        """
        t.scope_id = ?1 AND t.\(column) IN (
            SELECT value FROM customer_identifier WHERE kind = '\(kind)' AND customer_id IN (:customers)
        )
        """
    }

    private static let history: [PersonalTable] = [
        PersonalTable(
            "history_transaction", of: isNamed("original_transaction_id", "originalTransactionId"),
            deleted: """
                sequence scope_id provenance is_proven received_at transaction_id original_transaction_id signed_date \
                purchase_date expires_date facts payload
                """),
        PersonalTable(
            "history_renewal_info", of: isNamed("original_transaction_id", "originalTransactionId"),
            deleted: """
                sequence scope_id provenance is_proven received_at original_transaction_id signed_date \
                app_transaction_id app_account_token facts payload
                """),
        PersonalTable(
            "history_app_transaction", of: isNamed("app_transaction_id", "appTransactionId"),
            deleted: """
                sequence scope_id provenance is_proven received_at app_transaction_id receipt_creation_date facts payload
                """),
        PersonalTable(
            "history_facts",
            of: """
                ((t.kind = 'originalTransactionId' AND \(isNamed("value", "originalTransactionId")))
                    OR (t.kind = 'appTransactionId' AND \(isNamed("value", "appTransactionId"))))
                """,
            deleted: "scope_id kind value facts"),
        PersonalTable(
            "event", of: isNamed("original_transaction_id", "originalTransactionId"),
            deleted: "sequence scope_id type occurred_at original_transaction_id cause data"),
        PersonalTable(
            "due_event", of: isNamed("original_transaction_id", "originalTransactionId"),
            deleted: "scope_id original_transaction_id type due_at announced"),
    ]

    /// The answers `t` that tell of some decisions: an earlier decision is noted, any other has the instant of its
    /// answer.
    static func isAnswer(of decisions: String) -> String {
        """
        (t.decision_id IN (SELECT id FROM decision WHERE \(decisions))
            OR (t.answered_at IN (SELECT decided_at FROM decision WHERE \(decisions)) AND EXISTS (
                SELECT 1 FROM decision WHERE \(decisions) AND decided_at = t.answered_at
                AND instr(CAST(t.body AS TEXT), id) > 0)))
        """
    }

    private static let imports: [PersonalTable] = [
        PersonalTable(
            "import_run", of: "t.closed_at IS NOT NULL AND \(isNamed("applied_key", "originalTransactionId"))",
            kept: """
                id scope_id source provenance digest complete_as_of began_at stage position lines refused gaps staged \
                applied applied_row added updated unchanged repeated subscriptions stated closed_at
                """,
            emptied: "applied_key"),
        PersonalTable(
            "import_row",
            of: """
                t.run_id IN (SELECT id FROM import_run WHERE scope_id = ?1) AND t.subscription_key IN (
                    SELECT value FROM customer_identifier WHERE customer_id IN (:customers)
                )
                """,
            deleted: "id run_id subscription_key line kind payload app_account_token app_customer_id"),
        PersonalTable(
            "import_refusal",
            of: """
                t.run_id IN (SELECT id FROM import_run WHERE scope_id = ?1) AND EXISTS (
                    SELECT 1 FROM customer_identifier i WHERE i.customer_id IN (:customers)
                    AND instr(t.detail, i.value) > 0
                    UNION ALL
                    SELECT 1 FROM customer_alias a WHERE a.customer_id IN (:customers)
                    AND instr(t.detail, a.value) > 0
                )
                """,
            kept: "run_id line reason", emptied: "detail"),
        PersonalTable(
            "import_customer", of: isOfCustomer, deleted: "run_id customer_id app_transaction_id"),
    ]

    private static let ledger: [PersonalTable] = [
        PersonalTable(
            "issued_offer", of: isOfCustomer,
            kept: """
                sequence id scope_id customer_id catalog_revision offer_id offer_identifier offer_type delivery \
                product_id subscription_group_identifier tags issued_at expires_at counts_until signings voided_at \
                is_released settled_at cost cost_currency redemptions places decision_id key_id signed_product_id \
                v1_nonce jws_nonce allow_introductory_offer
                """,
            digested: """
                void_reason full_price_transaction_id app_account_token app_customer_id transaction_id v1_signature \
                jws record
                """),
        PersonalTable(
            "signing", of: "t.issued_offer IN (SELECT sequence FROM issued_offer WHERE customer_id IN (:customers))",
            kept: """
                sequence scope_id issued_offer signing decided_at catalog_revision decision_id key_id \
                signed_product_id v1_nonce jws_nonce allow_introductory_offer
                """,
            digested: "app_account_token transaction_id v1_signature jws record"),
        PersonalTable(
            "refusal", of: isOfCustomer,
            kept: """
                sequence id scope_id customer_id offer_id decided_at catalog_revision outcome key_id \
                signed_product_id jws_nonce
                """,
            digested: "app_account_token transaction_id jws record"),
        PersonalTable(
            "redemption", of: isOfCustomer,
            kept: """
                sequence scope_id customer_id offer_type offer_identifier subscription_group_identifier product_id \
                first_evidence offer_ends provenance issued_offer_id is_doubled is_late recorded_at
                """,
            digested: "original_transaction_id", emptied: "transaction_id"),
    ]

    private static let traces: [PersonalTable] = [
        PersonalTable(
            "notification",
            of: """
                EXISTS (SELECT 1 FROM customer_identifier i WHERE i.scope_id = t.scope_id \
                AND i.kind = t.identifier_kind AND i.value = t.identifier AND i.customer_id IN (:customers))
                """,
            kept: """
                sequence scope_id uuid type subtype signed_date received_at source outcome product_id \
                payload_removed_at erased_at
                """,
            emptied: "identifier_kind identifier transaction_id payload"),
        PersonalTable(
            "kept_answer", of: isAnswer(of: "customer_id IN (:customers)"),
            deleted: """
                api_key_id route key request_digest status content_type location body answered_at decision_id
                """),
        PersonalTable(
            "erasure", of: isOfCustomer, kept: "sequence scope_id customer_id erased_at actor reason"),
        PersonalTable(
            "erased_identifier", of: isOfCustomer,
            kept: "scope_id kind digest digest_key customer_id erased_at"),
        PersonalTable(
            "kept_evidence", of: isOfCustomer,
            kept: """
                sequence scope_id customer_id kind subscription_group_identifier product_id offer_type \
                offer_identifier offer_period dated expires revoked is_renewal is_upgraded provenance
                """,
            digested: "original_transaction_id"),
        PersonalTable(
            "webhook_retry", of: isOfCustomer,
            kept: "event_sequence webhook_id customer_id attempts next_at expires_at failed_at"),
        PersonalTable(
            "audit_event",
            kept: """
                sequence kind actor at request_id scope_id issued_offer digest_key before_change after_change \
                ledger_rows previous_hash hash
                """),
    ]

    private static let impersonal: [PersonalTable] = [
        PersonalTable(
            "store_state", none: "id sequence last_instant newest_signed_date tried_at"),
        PersonalTable("scope", none: "id bundle_id environment generation"),
        PersonalTable(
            "api_key", none: "id scope_id role secret_digest label created_at expires_at networks ends_at revoked_at"),
        PersonalTable("api_key_use", none: "api_key_id last_used_at"),
        PersonalTable(
            "catalog_revision", none: "scope_id revision document format digest actor message created_at"),
        PersonalTable("pause", none: "sequence scope_id offer_id actor paused_at resumed_at resumed_by"),
        PersonalTable("offer_counter", none: "scope_id offer_id unit amount"),
        PersonalTable(
            "redemption_counter",
            none: """
                scope_id offer_type offer_identifier subscription_group_identifier product_id amount
                """),
        PersonalTable("audit_state", none: "id digest_salt"),
        PersonalTable(
            "audit_checkpoint", none: "number event_sequence head signed_at key_fingerprint signature"),
        PersonalTable("retention_progress", none: "subject done_to"),
        PersonalTable(
            "webhook",
            none: "id done_to lease_holder lease_until failures failing_since retry_at succeeded_at"),
    ]
}
