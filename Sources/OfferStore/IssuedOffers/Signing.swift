import OfferEligibility
public import OfferModel

/// One signature as it was recorded before it was released (invariant 1).
public struct RecordedSignature: Sendable, Hashable {
    /// Unique for ever (invariant 8).
    public var nonce: LowercaseUUID
    public var format: ArtefactFormat
    /// What an introductory one says; absent for the others.
    public var allowIntroductoryOffer: Bool?
    public var keyId: KeyId
    /// The signing's one timestamp.
    public var timestamp: Instant
    public var productId: ProductId
    /// The account the signing was made for; only V1 signs it, the empty string if absent.
    public var appAccountToken: AppAccountToken?
    /// The transaction or app transaction the signing was made for; V1 does not sign it.
    public var transactionId: String?
    /// What the client receives: Base64 for V1, a compact JWS for the others.
    public var artefact: String
    /// Whether retention or an erasure has removed the artefact; then its place holds the audit's keyed digest of it.
    public var isRemoved = false

    public init(
        nonce: LowercaseUUID, format: ArtefactFormat, allowIntroductoryOffer: Bool? = nil, keyId: KeyId,
        timestamp: Instant,
        productId: ProductId, appAccountToken: AppAccountToken? = nil, transactionId: String? = nil, artefact: String
    ) {
        self.nonce = nonce
        self.format = format
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.keyId = keyId
        self.timestamp = timestamp
        self.productId = productId
        self.appAccountToken = appAccountToken
        self.transactionId = transactionId
        self.artefact = artefact
    }
}

/// One signing of an issued offer: the decision that allowed it, and what was signed on it. The first is part of the
/// issued offer's row; each further one is a row of `signing`.
public struct Signing: Sendable, Hashable {
    public var decisionId: LowercaseUUID
    /// When it was decided, which is the timestamp that is signed.
    public var decidedAt: Instant
    public var customer: CustomerNumber
    public var catalogRevision: Int64
    /// The packed ``DecisionRecord``; `nil` once an erasure has removed it.
    public var record: [UInt8]?
    /// None where the App Store delivers the offer; at most one in each format.
    public var signatures: [RecordedSignature]

    public init(
        decisionId: LowercaseUUID, decidedAt: Instant, customer: CustomerNumber, catalogRevision: Int64,
        record: [UInt8]?, signatures: [RecordedSignature]
    ) {
        self.decisionId = decisionId
        self.decidedAt = decidedAt
        self.customer = customer
        self.catalogRevision = catalogRevision
        self.record = record
        self.signatures = signatures
    }

    var v1: RecordedSignature? { signatures.first { $0.format == .v1 } }
    var jws: RecordedSignature? { signatures.first { $0.format != .v1 } }

    /// Its columns that never change, from `decision_id` on, in the order of ``LedgerTable``.
    var fixedColumns: [StoredValue] {
        let any = v1 ?? jws
        return .of(decisionId, any?.keyId, any?.productId, v1?.nonce, jws?.nonce, jws?.allowIntroductoryOffer)
    }

    /// Its columns that may be erased, from `transaction_id` on, in the order of ``LedgerTable``.
    var erasableColumns: [StoredValue] {
        .of((v1 ?? jws)?.transactionId, v1?.artefact, jws?.artefact, record)
    }
}

extension IssuedOfferStore {
    public func signings(of issued: StoredIssuedOffer) throws -> [Signing] {
        let first: [Signing] = try transaction.all(
            """
            SELECT customer_id, decision_id, issued_at, catalog_revision, record, \(Self.signatureColumns)
            FROM issued_offer WHERE sequence = ?1
            """, issued.sequence)
        guard issued.issuedOffer.signings > 1 else { return first }
        return first
            + (try transaction.all(
                """
                SELECT ?2, decision_id, decided_at, catalog_revision, record, \(Self.signatureColumns)
                FROM signing WHERE issued_offer = ?1 ORDER BY signing
                """, issued.sequence, issued.customer))
    }

    /// The newest signing of an issued offer that was made by an instant.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it has none.
    public func newestSigning(of issued: StoredIssuedOffer, by latest: Instant = .distantFuture) throws -> Signing {
        let signings = try signings(of: issued)
        guard let newest = signings.last(where: { $0.decidedAt <= latest }) ?? signings.first else {
            throw StoreError.corrupt("the issued offer `\(issued.issuedOffer.id)` is missing")
        }
        return newest
    }

    private static let signatureColumns = """
        key_id, signed_product_id, app_account_token, transaction_id, v1_nonce, v1_signature, jws_nonce, jws, \
        allow_introductory_offer
        """
}

extension Signing: StoredRecord {
    init(reading row: inout RowReader) throws {
        customer = try row.next()
        decisionId = try row.next()
        decidedAt = try row.next()
        catalogRevision = try row.next()
        record = try row.next(ErasableColumn.self).value
        signatures = try .init(reading: &row, decidedAt: decidedAt)
    }
}

extension [RecordedSignature] {
    /// Reads the columns of what was signed on one decision: the key and the product, the account and the transaction,
    /// the nonce and the artefact of V1 and of the JWS, and what an introductory JWS says.
    init(reading reader: inout RowReader, decidedAt: Instant) throws {
        self.init()
        let keyId: KeyId? = try reader.next()
        let productId: ProductId? = try reader.next()
        let token: AppAccountToken? = try reader.next(ErasableColumn.self).value
        let transactionId: String? = try reader.next(ErasableColumn.self).value
        let (v1Nonce, v1): (LowercaseUUID?, String?) = (try reader.next(), try reader.next())
        let (jwsNonce, jws): (LowercaseUUID?, String?) = (try reader.next(), try reader.next())
        let allow: Bool? = try reader.next()
        guard let keyId, let productId else { return }
        func add(_ nonce: LowercaseUUID?, _ artefact: String?, _ format: ArtefactFormat) {
            guard let nonce, let artefact else { return }
            var signature = RecordedSignature(
                nonce: nonce, format: format, allowIntroductoryOffer: format == .v1 ? nil : allow, keyId: keyId,
                timestamp: decidedAt, productId: productId, appAccountToken: token, transactionId: transactionId,
                artefact: artefact)
            signature.isRemoved = artefact.hasPrefix(Redacted.prefix)
            append(signature)
        }
        add(v1Nonce, v1, .v1)
        add(jwsNonce, jws, allow == nil ? .v2 : .introductoryEligibility)
    }
}

/// A column that an erasure may have left a digest in.
struct ErasableColumn<Value: Storable>: Storable {
    let value: Value?

    var storedValue: StoredValue { value.storedValue }

    init?(storedValue: StoredValue) {
        if storedValue == .null || LedgerDigests.remains(of: storedValue) != nil {
            value = nil
        } else {
            guard let value = Value(storedValue: storedValue) else { return nil }
            self.value = value
        }
    }
}
