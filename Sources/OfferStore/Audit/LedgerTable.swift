/// A table whose rows the audit covers, and how.
///
/// A row's digest covers its key and its columns that never change, and a keyed digest of each that may be erased. What
/// changes later is told by events; `verify-ledger` derives it from them and compares.
public struct LedgerTable: Sendable {
    struct StateColumn: Sendable {
        let name: String
        /// Its member in the events' `before` and `after`.
        let member: String
        /// Whether the member is a keyed digest, because the column may be erased.
        var isErasable = false
    }

    let name: String
    /// The column, or the expression, that names a row.
    var key = "sequence"
    /// Columns that never change, besides the key.
    let fixed: [String]
    /// Columns that never change unless they are erased.
    var erasable: [String] = []
    /// Columns that change, each time with an event.
    var state: [StateColumn] = []
    /// Whether rows are added in the order of their keys and may be many; the others are few, made by people.
    var isOrdered = true

    /// The columns of a row in the order that ``LedgerRow`` reads them.
    let columns: String
    let width: Int
    /// Inserts a row, its ``columns`` bound in their order.
    let insertSQL: String
    /// The key and the columns that events tell of, in the order that ``LedgerDigests/state(_:key:_:)`` reads them.
    let stateColumns: String
    /// What every row's digest begins with, and every keyed digest of a column's.
    let rowHead: CanonicalBytes
    let valueHead: CanonicalBytes
    /// The names of the columns but the state's, as digests have them.
    let canonicalNames: [CanonicalBytes]
    /// Which of the columns that events tell of comes first, in the order of their members.
    let stateOrder: [Int]

    init(
        _ name: String, key: String = "sequence", fixed: [String], erasable: [String] = [],
        state: [StateColumn] = [], isOrdered: Bool = true
    ) {
        self.name = name
        self.key = key
        self.fixed = fixed
        self.erasable = erasable
        self.state = state
        self.isOrdered = isOrdered
        let names = [key] + fixed + erasable + state.map(\.name)
        columns = names.joined(separator: ", ")
        width = names.count
        insertSQL = "INSERT INTO \(name) (\(columns)) VALUES (\(Statement.placeholders(names.count)))"
        stateColumns = ([key] + state.map(\.name)).joined(separator: ", ")
        rowHead = CanonicalBytes(texts: ["offerd-row-1", name])
        valueHead = CanonicalBytes(texts: ["offerd-value-1", name])
        canonicalNames = (fixed + erasable).map { CanonicalBytes(texts: [$0]) }
        stateOrder = state.indices.sorted { state[$0].member < state[$1].member }
    }

    /// Every table the audit covers, besides `audit_event` itself.
    static let all: [LedgerTable] = [
        .issuedOffer, .signing, .refusal, .customerMerge, .erasure, .auditCheckpoint, .pause, .catalogRevision, .apiKey,
    ]

    static func named(_ name: String) -> LedgerTable? {
        all.first { $0.name == name }
    }
}

extension LedgerTable {
    static let issuedOffer = LedgerTable(
        "issued_offer",
        fixed: [
            "id", "scope_id", "catalog_revision", "offer_id", "offer_identifier", "offer_type", "delivery",
            "subscription_group_identifier", "tags", "issued_at", "cost_currency", "decision_id", "key_id",
            "signed_product_id", "v1_nonce", "jws_nonce", "allow_introductory_offer",
        ],
        erasable: ["app_account_token", "app_customer_id", "transaction_id", "v1_signature", "jws", "record"],
        state: [
            StateColumn(name: "customer_id", member: "customer"),
            StateColumn(name: "product_id", member: "productId"),
            StateColumn(name: "expires_at", member: "expiresAt"),
            StateColumn(name: "counts_until", member: "countsUntil"),
            StateColumn(name: "signings", member: "signings"),
            StateColumn(name: "voided_at", member: "voidedAt"),
            StateColumn(name: "void_reason", member: "voidReason", isErasable: true),
            StateColumn(name: "is_released", member: "isReleased"),
            StateColumn(name: "settled_at", member: "settledAt"),
            StateColumn(name: "cost", member: "cost"),
            StateColumn(name: "redemptions", member: "redemptions"),
            StateColumn(name: "places", member: "places"),
            StateColumn(
                name: "full_price_transaction_id", member: "fullPriceTransactionId", isErasable: true),
        ])

    /// Each signing of an issued offer after its first.
    static let signing = LedgerTable(
        "signing",
        fixed: [
            "scope_id", "issued_offer", "signing", "decided_at", "catalog_revision", "decision_id",
            "key_id", "signed_product_id", "v1_nonce", "jws_nonce", "allow_introductory_offer",
        ],
        erasable: ["app_account_token", "transaction_id", "v1_signature", "jws", "record"])

    static let refusal = LedgerTable(
        "refusal",
        fixed: [
            "id", "scope_id", "customer_id", "offer_id", "decided_at", "catalog_revision", "outcome", "key_id",
            "signed_product_id", "jws_nonce",
        ],
        erasable: ["app_account_token", "transaction_id", "jws", "record"])

    static let customerMerge = LedgerTable(
        "customer_merge", fixed: ["scope_id", "survivor_id", "merged_id", "merged_at"], erasable: ["proof"])

    static let erasure = LedgerTable(
        "erasure", fixed: ["scope_id", "customer_id", "erased_at", "actor"], erasable: ["reason"])

    static let auditCheckpoint = LedgerTable(
        "audit_checkpoint", key: "number",
        fixed: ["event_sequence", "head", "signed_at", "key_fingerprint", "signature"])

    static let pause = LedgerTable(
        "pause", fixed: ["scope_id", "offer_id", "actor", "paused_at"],
        state: [
            StateColumn(name: "resumed_at", member: "resumedAt"), StateColumn(name: "resumed_by", member: "resumedBy"),
        ],
        isOrdered: false)

    static let catalogRevision = LedgerTable(
        "catalog_revision", key: "scope_id || '/' || revision",
        fixed: ["scope_id", "revision", "document", "format", "digest", "actor", "created_at"], erasable: ["message"],
        isOrdered: false)

    static let apiKey = LedgerTable(
        "api_key", key: "id", fixed: ["scope_id", "role", "secret_digest", "created_at", "expires_at", "networks"],
        erasable: ["label"],
        state: [
            StateColumn(name: "ends_at", member: "endsAt"), StateColumn(name: "revoked_at", member: "revokedAt"),
        ],
        isOrdered: false)
}
