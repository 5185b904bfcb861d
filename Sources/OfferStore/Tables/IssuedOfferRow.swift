public import OfferModel

/// An issued offer with what the ledger knows beyond what rules ask.
public struct StoredIssuedOffer: Sendable, Hashable {
    public var issuedOffer: IssuedOffer
    public var customer: CustomerNumber
    public var catalogRevision: Int64
    public var voidReason: String?
    /// The purchase without the offer that the customer made right after a signature, if nothing has used the issued
    /// offer.
    public var fullPriceTransactionId: TransactionId?
    /// Its place in the store-wide order; pages are cut by it.
    public var sequence: Int64
    var scope: ScopeNumber
    var redemptions = 0
    /// How many places it takes under limits for everyone; of one that a grant of support gave, the redemptions beyond
    /// the first.
    var places = 1
}

extension StoredIssuedOffer: TableRow {
    static let blank = StoredIssuedOffer(
        issuedOffer: IssuedOffer(
            id: .blank, offerId: "", offerIdentifier: nil, offerType: .promotional, delivery: .signature,
            productId: "", subscriptionGroupIdentifier: "", issuedAt: .distantPast, expiresAt: .distantPast,
            countsUntil: .distantPast, signings: 1),
        customer: .blank, catalogRevision: 0, sequence: 0, scope: .blank)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("id", &issuedOffer.id, .fixed("UNIQUE CHECK (length(id) = 36 AND id = lower(id))"))
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("customer_id", &customer, .state("customer", "REFERENCES customer (id)"))
        try columns("catalog_revision", &catalogRevision, .fixed)
        try columns("offer_id", &issuedOffer.offerId, .fixed)
        try columns("offer_identifier", &issuedOffer.offerIdentifier, .fixed)
        try columns(
            "offer_type", &issuedOffer.offerType,
            .fixed("CHECK (offer_type = 'promotional' OR offer_type = 'winBack' OR offer_type = 'introductory')"))
        try columns(
            "delivery", &issuedOffer.delivery,
            .fixed("CHECK (delivery = 'signature' OR delivery = 'introductoryEligibility' OR delivery = 'appStore')"))
        try columns("product_id", &issuedOffer.productId, .state("productId"))
        try columns("subscription_group_identifier", &issuedOffer.subscriptionGroupIdentifier, .fixed)
        var tags = StoredTextList(issuedOffer.tags)
        try columns("tags", &tags, .fixed)
        issuedOffer.tags = tags.texts
        try columns("issued_at", &issuedOffer.issuedAt, .fixed)
        try columns("expires_at", &issuedOffer.expiresAt, .state("expiresAt", "CHECK (expires_at >= issued_at)"))
        try columns(
            "counts_until", &issuedOffer.countsUntil, .state("countsUntil", "CHECK (counts_until >= expires_at)"))
        try columns("signings", &issuedOffer.signings, .state("signings", "CHECK (signings > 0)"))
        try columns("voided_at", &issuedOffer.voidedAt, .state("voidedAt"))
        try columns.erasable("void_reason", &voidReason, .erasableState("voidReason"))
        try columns(
            "is_released", &issuedOffer.isReleased,
            .state("isReleased", "CHECK (is_released = 0 OR is_released = 1)"))
        try columns("settled_at", &issuedOffer.settledAt, .state("settledAt"))
        // What it costs nominally is frozen at the issue, and so is its currency.
        var (cost, currency) = (issuedOffer.cost?.milliunits, issuedOffer.cost?.currency)
        try columns("cost", &cost, .state("cost", "CHECK (cost >= 0)"))
        try columns(
            "cost_currency", &currency,
            .fixed("CHECK ((cost_currency IS NULL) = (cost IS NULL) AND length(cost_currency) = 3)"))
        if let cost, let currency { issuedOffer.cost = Money(milliunits: cost, currency: currency) }
        try columns("redemptions", &redemptions, .state("redemptions", "CHECK (redemptions >= 0)"))
        try columns(
            "places", &places,
            .state(
                "places",
                """
                CHECK (CASE WHEN grant_id IS NULL THEN places = redemptions OR (places = 1 AND redemptions = 0) \
                ELSE places = CASE WHEN redemptions = 0 THEN 0 ELSE redemptions - 1 END END)
                """))
        try columns.erasable(
            "full_price_transaction_id", &fullPriceTransactionId, .erasableState("fullPriceTransactionId"))
        var signUp = issuedOffer.signUp ?? SignUp()
        try columns.erasable("app_account_token", &signUp.appAccountToken, .erasable)
        try columns.erasable("app_customer_id", &signUp.customerId, .erasable)
        issuedOffer.signUp = signUp.isUnknown ? nil : signUp
        try columns("grant_id", &issuedOffer.grantId, .fixed)
    }
}

/// A row of `issued_offer`: an issued offer with its first signing. Requests read its first part alone.
struct IssuedOfferRow: LedgerRecord {
    static var ledger: LedgerTable { .issuedOffer }

    var issued: StoredIssuedOffer
    var signing: Signing

    static let blank = IssuedOfferRow(issued: .blank, signing: .blank)

    private init(issued: StoredIssuedOffer, signing: Signing) {
        (self.issued, self.signing) = (issued, signing)
    }

    /// A new issued offer, which was never redeemed, and takes one place unless a grant gave it.
    init(_ issuedOffer: IssuedOffer, by signing: Signing, sequence: Int64, scope: ScopeNumber) {
        self.signing = signing
        issued = StoredIssuedOffer(
            issuedOffer: issuedOffer, customer: signing.customer, catalogRevision: signing.catalogRevision,
            sequence: sequence, scope: scope, places: issuedOffer.grantId == nil ? 1 : 0)
        if let token = signing.any?.appAccountToken, issuedOffer.signUp?.appAccountToken == nil {
            issued.issuedOffer.signUp = SignUp(appAccountToken: token, customerId: issuedOffer.signUp?.customerId)
        }
    }

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try issued.visit(&columns)
        var signed = SignedColumns(signing)
        try columns.erasable("transaction_id", &signed.transactionId, .erasable)
        try columns("decision_id", &signing.decisionId, .fixed("CHECK (length(decision_id) = 36)"))
        try signed.visit(&columns)
        try columns.erasable("record", &signing.record, .erasable.required)
        signed.appAccountToken = issued.issuedOffer.signUp?.appAccountToken
        (signing.decidedAt, signing.customer) = (issued.issuedOffer.issuedAt, issued.customer)
        signing.catalogRevision = issued.catalogRevision
        signing.signatures = signed.signatures(at: signing.decidedAt)
    }
}

/// A row of `signing`: a further signing of an issued offer, with the decision that allowed it.
struct SigningRow: LedgerRecord {
    static var ledger: LedgerTable { .signing }

    var sequence: Int64
    var scope: ScopeNumber
    /// The issued offer's place in the store-wide order.
    var issuedOffer: Int64
    /// Counted from 2: the first signing is the issued offer's own.
    var number: Int
    /// Its customer is the issued offer's.
    var signing: Signing

    static let blank = SigningRow(sequence: 0, scope: .blank, issuedOffer: 0, number: 2, signing: .blank)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("issued_offer", &issuedOffer, .fixed("REFERENCES issued_offer (sequence)"))
        try columns("signing", &number, .fixed("CHECK (signing > 1)"))
        try columns("decided_at", &signing.decidedAt, .fixed)
        try columns("catalog_revision", &signing.catalogRevision, .fixed)
        try columns("decision_id", &signing.decisionId, .fixed("CHECK (length(decision_id) = 36)"))
        var signed = SignedColumns(signing)
        try columns.erasable("app_account_token", &signed.appAccountToken, .erasable)
        try columns.erasable("transaction_id", &signed.transactionId, .erasable)
        try signed.visit(&columns)
        signing.signatures = signed.signatures(at: signing.decidedAt)
        try columns.erasable("record", &signing.record, .erasable.required)
    }
}

extension Signing {
    static let blank = Signing(
        decisionId: .blank, decidedAt: .distantPast, customer: .blank, catalogRevision: 0, record: nil, signatures: [])
}

/// The columns of what was signed at one signing: at most one artefact of V1 and one JWS.
struct SignedColumns {
    var keyId: KeyId?
    var productId: ProductId?
    var v1Nonce: LowercaseUUID?
    var v1: String?
    var jwsNonce: LowercaseUUID?
    var jws: String?
    /// What an introductory JWS says; absent for a promotional one.
    var allowIntroductoryOffer: Bool?
    /// The account and the transaction that it was made for, which have columns before these.
    var appAccountToken: AppAccountToken?
    var transactionId: String?

    init(_ signing: Signing) {
        let (v1, jws) = (signing.v1, signing.jws)
        keyId = signing.any?.keyId
        productId = signing.any?.productId
        (appAccountToken, transactionId) = (signing.any?.appAccountToken, signing.any?.transactionId)
        (v1Nonce, self.v1) = (v1?.nonce, v1?.artefact)
        (jwsNonce, self.jws, allowIntroductoryOffer) = (jws?.nonce, jws?.artefact, jws?.allowIntroductoryOffer)
    }

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("key_id", &keyId, .fixed)
        try columns("signed_product_id", &productId, .fixed)
        try columns("v1_nonce", &v1Nonce, .fixed("CHECK (length(v1_nonce) = 36 AND v1_nonce = lower(v1_nonce))"))
        try columns("v1_signature", &v1, .erasable(retention: .signatures))
        try columns("jws_nonce", &jwsNonce, .fixed("CHECK (length(jws_nonce) = 36 AND jws_nonce = lower(jws_nonce))"))
        try columns("jws", &jws, .erasable(retention: .signatures))
        try columns(
            "allow_introductory_offer", &allowIntroductoryOffer,
            .fixed(
                "CHECK (allow_introductory_offer IS NULL OR (allow_introductory_offer = 1 AND jws IS NOT NULL))"))
    }

    func signatures(at instant: Instant) -> [RecordedSignature] {
        guard let keyId, let productId else { return [] }
        func signature(_ nonce: LowercaseUUID?, _ artefact: String?, _ format: ArtefactFormat) -> RecordedSignature? {
            guard let nonce, let artefact else { return nil }
            var signature = RecordedSignature(
                nonce: nonce, format: format, allowIntroductoryOffer: format == .v1 ? nil : allowIntroductoryOffer,
                keyId: keyId, timestamp: instant, productId: productId, appAccountToken: appAccountToken,
                transactionId: transactionId, artefact: artefact)
            signature.isRemoved = artefact.hasPrefix(Redacted.prefix)
            return signature
        }
        return [
            signature(v1Nonce, v1, .v1),
            signature(jwsNonce, jws, allowIntroductoryOffer == nil ? .v2 : .introductoryEligibility),
        ].compactMap(\.self)
    }
}

extension LowercaseUUID {
    static let blank = LowercaseUUID(version4From: [UInt8](repeating: 0, count: 16))
}

extension CustomerNumber {
    static let blank = CustomerNumber(rawValue: 0)
}

extension ScopeNumber {
    static let blank = ScopeNumber(rawValue: 0)
}
