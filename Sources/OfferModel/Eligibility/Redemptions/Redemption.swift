/// One use of an offer at Apple: a run of consecutive periods of one subscription with the same offer
/// (docs/design.md#issued-offers-and-limits).
public struct Redemption: Sendable, Hashable {
    public var offerType: TransactionOfferType
    public var offerIdentifier: OfferIdentifier?
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    public var originalTransactionId: TransactionId
    public var productId: ProductId
    /// The first transaction of the run; absent while the offer only waits for the next renewal.
    public var transactionId: TransactionId?
    /// When the first evidence of it is dated: a purchase, or renewal info that shows it pending.
    public var firstEvidence: Instant
    /// When its last known period ends or was cut short; absent while the offer only waits for the next renewal.
    public var offerEnds: Instant?
    public var provenance: Provenance
    /// The issued offer it used, if we issued one: the newest of that offer issued before the evidence.
    public var issuedOfferId: LowercaseUUID?
    /// Whether an earlier redemption used the same issued offer.
    public var isDoubled = false
    /// Whether the issued offer had stopped counting by the date of the evidence.
    public var isLate = false
    /// Whether another customer used it, with the account that the issued offer was signed for. Whose it is, their own
    /// history shows.
    public var isByAnother = false

    /// A use that is yet to be read.
    public static var blank: Redemption {
        Redemption(
            offerType: .introductory, subscriptionGroupIdentifier: "", originalTransactionId: "", productId: "",
            firstEvidence: .distantPast, provenance: .operator)
    }
}

extension SubjectFacts {
    /// Every known redemption, from the earliest; each with the issued offer it used, if any.
    ///
    /// - Parameters:
    ///   - offers: whose lengths are used where Apple's data does not state one; of several that look alike, the first.
    ///   - takesHistoryAsProven: whether the history was supplied for a "what if".
    public func redemptions(of offers: [Offer] = [], takesHistoryAsProven: Bool = false) -> [Redemption] {
        SubscriptionHistory(self).redemptions(of: offers, takesHistoryAsProven: takesHistoryAsProven)
    }

    /// The issued offer of that offer that a request would use again: neither voided, passed nor redeemed.
    public func openIssuedOffer(of offer: Offer, at now: Instant, takesHistoryAsProven: Bool = false) -> IssuedOffer? {
        guard issuedOffers.mayBeOpen(offer, at: now) else { return nil }
        return PreparedSubject(self).openIssuedOffer(of: offer, at: now, takesHistoryAsProven: takesHistoryAsProven)
    }
}

extension PreparedSubject {
    /// Every known redemption, with the offer's length where Apple's data does not state one.
    public func redemptions(of offer: Offer) -> [Redemption] {
        past.redemptions(of: [offer], takesHistoryAsProven: false)
    }

    /// The same of a subject prepared for many questions.
    public func openIssuedOffer(of offer: Offer, at now: Instant, takesHistoryAsProven: Bool = false) -> IssuedOffer? {
        guard facts.issuedOffers.mayBeOpen(offer, at: now) else { return nil }
        let redemptions = past.redemptions(of: [offer], takesHistoryAsProven: takesHistoryAsProven)
        return facts.issuedOffers.open(offer, redemptions: redemptions, at: now)
    }
}

extension SubscriptionHistory {
    fileprivate func redemptions(of offers: [Offer], takesHistoryAsProven: Bool) -> [Redemption] {
        RedemptionReader(past: self, lengths: OfferLengths(offers), takesHistoryAsProven: takesHistoryAsProven)
            .redemptions()
    }
}

/// An offer as Apple's data shows it; an introductory offer has no name.
struct OfferLook: Hashable, Sendable {
    let offerType: TransactionOfferType
    let offerIdentifier: OfferIdentifier?

    init(_ offerType: TransactionOfferType, _ offerIdentifier: OfferIdentifier?) {
        self.offerType = offerType
        self.offerIdentifier = offerType == .introductory ? nil : offerIdentifier
    }
}

/// The identity of an offer that was used.
struct RedemptionKey: Hashable, Sendable {
    let look: OfferLook
    let group: SubscriptionGroupId
}

extension Redemption {
    /// The transaction that findings name: its first, else its subscription's; none where that was erased.
    var namedTransaction: TransactionId? {
        transactionId ?? (originalTransactionId.rawValue.hasPrefix(Redacted.prefix) ? nil : originalTransactionId)
    }

    /// The use as the source of something seen.
    func evidence(_ field: String, _ observed: EvidenceValue) -> Evidence {
        Evidence(field: field, observed: observed, provenance: provenance, transactionId: namedTransaction)
    }

    var key: RedemptionKey {
        RedemptionKey(look: OfferLook(offerType, offerIdentifier), group: subscriptionGroupIdentifier)
    }
}

extension Offer {
    /// As Apple's data shows a use of it.
    var look: OfferLook { OfferLook(delivery.redeemedAs, offerIdentifier) }
}

extension IssuedOffer {
    var redemptionKey: RedemptionKey {
        RedemptionKey(look: OfferLook(delivery.redeemedAs, offerIdentifier), group: subscriptionGroupIdentifier)
    }
}

extension Delivery {
    /// The offer type Apple shows when an offer delivered like this is used.
    public var redeemedAs: TransactionOfferType {
        switch self {
        case .signature: .promotional
        case .introductoryEligibility: .introductory
        case .appStore: .winBack
        }
    }
}

extension SubjectFacts {
    /// Purchases at full price right after a signature, by the issued offer that was not used: the app got a signed
    /// offer and the customer bought without it, which the App Store cannot undo
    /// (docs/design.md#issued-offers-and-limits).
    ///
    /// That is the first purchase in the issued offer's group, not a renewal, without any offer, by the customer, dated
    /// from the issued offer's issue to the end of its newest signature; and nothing is known to have used the issued
    /// offer.
    ///
    /// - Parameter redemptions: those of the same facts.
    public func fullPricePurchases(redemptions: [Redemption]) -> [LowercaseUUID: TransactionId] {
        let redeemed = Set(redemptions.compactMap(\.issuedOfferId))
        let unused = issuedOffers.filter { !redeemed.contains($0.id) }
        guard !unused.isEmpty else { return [:] }
        let groups = SubscriptionHistory(self).groups
        var purchases: [LowercaseUUID: TransactionId] = [:]
        for issuedOffer in unused {
            let rows = groups[issuedOffer.subscriptionGroupIdentifier]?.rows ?? []
            purchases[issuedOffer.id] =
                rows.first { row in
                    row.payload.offerType == nil && row.payload.transactionReason == .purchase
                        && row.payload.isOwned != false && issuedOffer.issuedAt <= row.payload.purchaseDate
                        && row.payload.purchaseDate < issuedOffer.expiresAt
                        && !rows.contains {
                            $0.payload.purchaseDate < issuedOffer.issuedAt && $0.isOfSamePeriod(as: row)
                        }
                }?.payload.transactionId
        }
        return purchases
    }
}

/// The issued offer that the evidence of a use points to, where that may be another customer's.
///
/// A V1 signature is bound to an `appAccountToken`, not to an Apple Account: any account that buys with that token can
/// use it.
public struct RedemptionClaim: Sendable, Hashable {
    /// The accounts that Apple signed with the use.
    public let tokens: Set<AppAccountToken>
    /// The earliest moment at which the customer can have used the signature. An offer that waited for a renewal was
    /// taken in the period before; when exactly, Apple does not say.
    public let since: Instant
    /// The place of its first evidence in the store-wide order: a signature made later cannot be behind it.
    public let knownFrom: Int64
}

extension History {
    /// The claim in the evidence of a use of a signed offer; `nil` if Apple signed no account with it.
    ///
    /// To be asked of every row ever stored, because a newer one may name another account.
    ///
    /// - Parameter purchases: those of this history.
    public func claim(of redemption: Redemption, among purchases: Purchases) -> RedemptionClaim? {
        guard redemption.offerType == .promotional else { return nil }
        let periods = transactions.filter {
            $0.provenance.isProven && $0.payload.originalTransactionId == redemption.originalTransactionId
        }
        let ids = redemption.transactionId.map { id in purchases.purchase(id).map(purchases.ids) ?? [id] } ?? []
        let used = periods.filter { ids.contains($0.payload.transactionId) }
        let end = used.map(\.payload.purchaseDate).max() ?? .distantFuture
        let shown = renewalInfos.filter { row in
            row.provenance.isProven && row.payload.originalTransactionId == redemption.originalTransactionId
                && row.payload.offerType == .promotional && row.payload.offerIdentifier == redemption.offerIdentifier
                && redemption.firstEvidence <= row.payload.signedDate && row.payload.signedDate < end
        }
        let tokens = used.compactMap(\.payload.appAccountToken) + shown.compactMap(\.payload.appAccountToken)
        guard !tokens.isEmpty, let knownFrom = (used.map(\.sequence) + shown.map(\.sequence)).min() else { return nil }
        return RedemptionClaim(
            tokens: Set(tokens), since: earliest(redemption, used: used, periods: periods), knownFrom: knownFrom)
    }

    private func earliest(
        _ redemption: Redemption, used: [Recorded<Transaction>], periods: [Recorded<Transaction>]
    ) -> Instant {
        let evidence = redemption.firstEvidence
        let isBought = used.contains {
            $0.payload.purchaseDate == evidence && $0.payload.transactionReason == .purchase
        }
        if isBought { return evidence }
        let before = periods.lazy.map(\.payload.purchaseDate).filter { $0 < evidence }.max()
        return before ?? periods.compactMap(\.payload.originalPurchaseDate).min().map { min($0, evidence) } ?? evidence
    }
}
