public import OfferModel

/// One use of an offer at Apple: a run of consecutive periods of one subscription with the same offer (docs/design.md#issued-offers-and-limits).
public struct Redemption: Sendable, Hashable {
    /// The kind of offer.
    public var offerType: TransactionOfferType
    /// Apple's name of the offer; absent for introductory offers.
    public var offerIdentifier: OfferIdentifier?
    /// The group it was used in.
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    /// The subscription it was used for.
    public var originalTransactionId: TransactionId
    /// The first transaction of the run; absent while the offer only waits for the next renewal.
    public var transactionId: TransactionId?
    /// The product it was used for first.
    public var productId: ProductId
    /// When the first evidence of it is dated: a purchase, or renewal info that shows it pending.
    public var firstEvidence: Instant
    /// When its last known period ends or was cut short; absent while the offer only waits for the next renewal.
    public var offerEnds: Instant?
    /// How that evidence reached us.
    public var provenance: Provenance
    /// The slot it used, if we issued one: the newest of that offer issued before the evidence.
    public var slotId: LowercaseUUID?
    /// Whether an earlier redemption used the same slot.
    public var isDoubled = false
    /// Whether the slot had stopped counting by the date of the evidence.
    public var isLate = false
    /// Whether another customer used it, with the account that the slot was signed for. Whose it is, their own history
    /// shows.
    public var isByAnother = false

    /// A redemption by its parts.
    public init(
        offerType: TransactionOfferType, offerIdentifier: OfferIdentifier?,
        subscriptionGroupIdentifier: SubscriptionGroupId, originalTransactionId: TransactionId, productId: ProductId,
        transactionId: TransactionId? = nil, firstEvidence: Instant, offerEnds: Instant? = nil,
        provenance: Provenance, slotId: LowercaseUUID? = nil, isDoubled: Bool = false, isLate: Bool = false
    ) {
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.transactionId = transactionId
        self.firstEvidence = firstEvidence
        self.offerEnds = offerEnds
        self.provenance = provenance
        self.slotId = slotId
        self.isDoubled = isDoubled
        self.isLate = isLate
    }
}

extension SubjectFacts {
    /// Every known redemption, from the earliest; each with the slot it used, if any.
    ///
    /// - Parameters:
    ///   - offer: an offer whose length is used where Apple's data does not state one.
    ///   - takesHistoryAsProven: whether the history was supplied for a "what if".
    public func redemptions(of offer: Offer? = nil, takesHistoryAsProven: Bool = false) -> [Redemption] {
        redemptions(of: offer.map { [$0] } ?? [], takesHistoryAsProven: takesHistoryAsProven)
    }

    /// The same with the lengths of several offers; of several that look alike, the first counts.
    public func redemptions(of offers: [Offer], takesHistoryAsProven: Bool = false) -> [Redemption] {
        SubjectPast(self).redemptions(of: offers, takesHistoryAsProven: takesHistoryAsProven)
    }

    /// The slot of that offer that a request would use again: neither voided, passed nor redeemed.
    ///
    /// - Parameter takesHistoryAsProven: whether the history was supplied for a "what if".
    public func openSlot(of offer: Offer, at now: Instant, takesHistoryAsProven: Bool = false) -> Slot? {
        guard slots.mayBeOpen(offer.id, at: now) else { return nil }
        return PreparedSubject(self).openSlot(of: offer, at: now, takesHistoryAsProven: takesHistoryAsProven)
    }
}

extension PreparedSubject {
    /// Every known redemption, with the offer's length where Apple's data does not state one.
    public func redemptions(of offer: Offer) -> [Redemption] {
        past.redemptions(of: [offer], takesHistoryAsProven: false)
    }

    /// The same of a subject prepared for many questions.
    public func openSlot(of offer: Offer, at now: Instant, takesHistoryAsProven: Bool = false) -> Slot? {
        guard facts.slots.mayBeOpen(offer.id, at: now) else { return nil }
        let redemptions = past.redemptions(of: [offer], takesHistoryAsProven: takesHistoryAsProven)
        return facts.slots.open(offer.id, redemptions: redemptions, at: now)
    }
}

extension SubjectPast {
    fileprivate func redemptions(of offers: [Offer], takesHistoryAsProven: Bool) -> [Redemption] {
        RedemptionReader(past: self, lengths: OfferLengths(offers), takesHistoryAsProven: takesHistoryAsProven)
            .redemptions()
    }
}

/// What makes two uses the same offer: type, name and group; an introductory offer is the group's alone.
struct RedemptionKey: Hashable, Sendable {
    let offerType: TransactionOfferType
    let offerIdentifier: OfferIdentifier?
    let group: SubscriptionGroupId

    init(_ offerType: TransactionOfferType, _ offerIdentifier: OfferIdentifier?, _ group: SubscriptionGroupId) {
        self.offerType = offerType
        self.offerIdentifier = offerType == .introductory ? nil : offerIdentifier
        self.group = group
    }
}

extension Redemption {
    /// The transaction that findings name: its first, else its subscription's; none where that was erased.
    var namedTransaction: TransactionId? {
        transactionId ?? (originalTransactionId.rawValue.hasPrefix(RemovedText.prefix) ? nil : originalTransactionId)
    }

    var key: RedemptionKey { RedemptionKey(offerType, offerIdentifier, subscriptionGroupIdentifier) }
}

extension Slot {
    /// The uses that match it.
    var redemptionKey: RedemptionKey {
        RedemptionKey(delivery.redeemedAs, offerIdentifier, subscriptionGroupIdentifier)
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
