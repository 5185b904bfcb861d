/// The evidence of a use of an offer that stays when the history that showed it is erased: a period of its
/// subscription, or that the offer waited for the next renewal. Dates and catalog names only, so that limits still hold
/// if the customer returns with the same Apple Account.
public struct KeptEvidence: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A transaction: a period of the subscription, with an offer or after one.
        case period
        /// Renewal info that showed an offer pending.
        case pending
    }

    public var kind: Kind
    /// The subscription; a placeholder for an erased one until Apple signs it again.
    public var originalTransactionId: TransactionId
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    /// The product of the period, or of the next one.
    public var productId: ProductId
    public var offerType: TransactionOfferType?
    public var offerIdentifier: OfferIdentifier?
    /// The length of the offer where Apple's data stated it.
    public var offerPeriod: String?
    /// When the period began, or the renewal info was signed.
    public var at: Instant
    public var expires: Instant?
    public var revoked: Instant?
    public var isRenewal: Bool
    public var isUpgraded: Bool
    public var provenance: Provenance
    /// The issued offer, where another customer's history shows the use.
    public var issuedOfferId: LowercaseUUID?
}

extension KeptEvidence {
    /// Evidence that is yet to be read.
    public static var blank: KeptEvidence {
        KeptEvidence(
            kind: .period, originalTransactionId: "", subscriptionGroupIdentifier: "", productId: "", at: .distantPast,
            isRenewal: false, isUpgraded: false, provenance: .caller)
    }

    init(_ row: Recorded<Transaction>, in group: SubscriptionGroupId) {
        let period = row.payload
        self.init(
            kind: .period, originalTransactionId: period.originalTransactionId, subscriptionGroupIdentifier: group,
            productId: period.productId, offerType: period.offerType, offerIdentifier: period.offerIdentifier,
            offerPeriod: period.offerPeriod, at: period.purchaseDate, expires: period.expiresDate,
            revoked: period.revocationDate, isRenewal: period.transactionReason == .renewal,
            isUpgraded: period.isUpgraded, provenance: row.provenance)
    }

    init(_ row: Recorded<RenewalInfo>, in group: SubscriptionGroupId) {
        let info = row.payload
        self.init(
            kind: .pending, originalTransactionId: info.originalTransactionId, subscriptionGroupIdentifier: group,
            productId: info.autoRenewProductId ?? info.productId, offerType: info.offerType,
            offerIdentifier: info.offerIdentifier, at: info.signedDate, isRenewal: false, isUpgraded: false,
            provenance: row.provenance)
    }

    /// The period as the walk over a subscription reads it.
    var period: Recorded<Transaction> {
        var period = Transaction(
            transactionId: Self.noTransaction, originalTransactionId: originalTransactionId, bundleId: "",
            productId: productId, purchaseDate: at, signedDate: at)
        period.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        period.expiresDate = expires
        period.revocationDate = revoked
        period.transactionReason = isRenewal ? .renewal : .purchase
        period.isUpgraded = isUpgraded
        period.offerType = offerType
        period.offerIdentifier = offerIdentifier
        period.offerPeriod = offerPeriod
        return Recorded(payload: period, payloadBytes: [], provenance: provenance, sequence: 0)
    }

    /// The renewal info as the walk over a subscription reads it.
    var info: Recorded<RenewalInfo> {
        var info = RenewalInfo(originalTransactionId: originalTransactionId, productId: productId, signedDate: at)
        info.offerType = offerType
        info.offerIdentifier = offerIdentifier
        return Recorded(payload: info, payloadBytes: [], provenance: provenance, sequence: 0)
    }

    /// Evidence in a customer's history of another customer's use of their issued offer: that it was used, and when.
    ///
    /// - Parameter sequence: tells several apart.
    public init?(ofAnother redemption: Redemption, sequence: Int64) {
        guard let issuedOfferId = redemption.issuedOfferId else { return nil }
        self.init(
            kind: .period, originalTransactionId: TransactionId("\(Redacted.prefix)another-\(sequence)"),
            subscriptionGroupIdentifier: redemption.subscriptionGroupIdentifier, productId: redemption.productId,
            offerType: redemption.offerType, offerIdentifier: redemption.offerIdentifier,
            at: redemption.firstEvidence, expires: redemption.offerEnds, isRenewal: false, isUpgraded: false,
            provenance: redemption.provenance, issuedOfferId: issuedOfferId)
    }

    /// Replaces the id of an erased period.
    static let noTransaction: TransactionId = ""
}

extension SubjectFacts {
    /// The evidence of uses of offers to keep if this history is erased.
    public func evidenceToKeep() -> [KeptEvidence] {
        RedemptionReader(past: SubscriptionHistory(self), lengths: OfferLengths([]), takesHistoryAsProven: false)
            .evidenceToKeep()
    }
}
