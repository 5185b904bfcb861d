public import OfferModel

/// One signature as it was recorded before it was released (invariant 1).
public struct RecordedSignature: Sendable, Hashable {
    /// Never used again (invariant 8).
    public var nonce: LowercaseUUID
    public var format: ArtefactFormat
    /// The statement of an introductory one; absent for the others.
    public var allowIntroductoryOffer: Bool?
    public var keyId: KeyId
    /// The signing's one timestamp.
    public var timestamp: Instant
    public var productId: ProductId
    /// The account the signing was made for; only V1 signs it, the empty string if absent.
    public var appAccountToken: AppAccountToken?
    /// The transaction or app transaction the signing was made for; V1 does not sign it.
    public var transactionId: String?
    /// The text that the client receives: Base64 for V1, a compact JWS for the others.
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
    /// One of them: all have the same key, product, account and transaction.
    var any: RecordedSignature? { v1 ?? jws }
}

extension IssuedOfferStore {
    public func signings(of issued: StoredIssuedOffer) throws -> [Signing] {
        let first: [IssuedOfferRow] = try transaction.all(
            "SELECT \(Table.issuedOffer.list) FROM issued_offer WHERE sequence = ?1", issued.sequence)
        let later: [SigningRow] =
            issued.issuedOffer.signings > 1
            ? try transaction.all(
                "SELECT \(Table.signing.list) FROM signing WHERE issued_offer = ?1 ORDER BY signing", issued.sequence)
            : []
        return first.map(\.signing)
            + later.map { row in
                var signing = row.signing
                signing.customer = issued.customer
                return signing
            }
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
}

/// A column that an erasure may have left a digest in.
struct ErasableColumn<Value: Storable>: Storable {
    static var storedType: StoredType { Value.storedType }
    static var isOptional: Bool { true }

    let value: Value?

    init(_ value: Value?) { self.value = value }

    var storedValue: StoredValue { value.storedValue }

    init?(_ columns: any StoredColumns, at index: Int) throws {
        if try columns.isNull(index) || Self.isErased(columns, at: index) {
            value = nil
        } else {
            guard let value = try Value(columns, at: index) else { return nil }
            self.value = value
        }
    }

    /// A record is looked at where the engine has it: nearly all are not erased, and a copy is made when it is read.
    private static func isErased(_ columns: any StoredColumns, at index: Int) throws -> Bool {
        var isErased = false
        if try columns.withBytes(index, { isErased = LedgerDigests.remains(of: $0) != nil }) { return isErased }
        return try columns.text(index).flatMap { LedgerDigests.remains(of: $0.utf8) } != nil
    }
}
