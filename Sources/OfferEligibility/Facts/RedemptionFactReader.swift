import OfferModel

/// Reads the facts about redemptions of offers, whether or not we issued them (docs/design.md#issued-offers-and-limits).
struct RedemptionFactReader {
    let subject: Subject

    /// Those that are the customer's own beyond doubt.
    private var own: [Redemption] {
        let uncertain = subject.purchases.uncertain
        guard !uncertain.isEmpty else { return subject.redemptions }
        return subject.redemptions.filter { !uncertain.contains($0.originalTransactionId) }
    }

    /// The one that began last.
    var newest: Redemption? { own.last }

    var offersRedeemed: Fact {
        count(own, doubt: doubt(subject.redemptions))
    }

    /// More of the history could show a newer one, or that this one began earlier: without it only that there is one is
    /// known.
    func daysSinceLast(at now: Instant) -> Fact {
        let change = Fact.Change.to(.number(0), .offerRedeemed)
        let doubt = doubt(subject.redemptions)
        guard let newest else { return Fact(.undetermined(doubt ?? .noRedemption), change: change) }
        let days = Fact.Knowledge.days(since: newest.firstEvidence, at: now)
        return Fact(
            doubt.map { .atLeast(0, because: $0) } ?? .known(.number(days)), provenance: newest.provenance,
            transactionId: newest.namedTransaction, change: change)
    }

    /// Uses of one offer of the catalog, or of one that left it and was issued.
    func redeemed(_ id: OfferId, _ question: Question) -> Fact {
        let slots = subject.slots.filter { $0.offerId == id }
        let offers = ([question.offer] + question.offers).filter { $0.id == id }
        guard !slots.isEmpty || !offers.isEmpty else { return Fact(.undetermined(.offerUnknown)) }
        var keys = Set(slots.map(\.redemptionKey))
        for offer in offers {
            for group in groups(of: offer, question) {
                keys.insert(RedemptionKey(offer.delivery.redeemedAs, offer.offerIdentifier, group))
            }
        }
        let slotIds = Set(slots.map(\.id))
        func isUse(_ redemption: Redemption) -> Bool {
            redemption.slotId.map(slotIds.contains) ?? keys.contains(redemption.key)
        }
        let doubt =
            doubt(subject.redemptions.filter(isUse))
            ?? Set(keys.map(\.group)).sorted().lazy.compactMap(subject.doubt(about:)).first
        return count(own.filter(isUse), doubt: doubt)
    }

    /// The catalog says in which group an offer is; of one that it does not place, the question's own products and the
    /// history tell, as far as anything was bought there.
    private func groups(of offer: Offer, _ question: Question) -> Set<SubscriptionGroupId> {
        var groups = Set(
            subject.subscriptions.lazy.filter { $1.contains { $0.concerns(offer.products) } }.map(\.key))
        let isOfGroup = offer.id == question.offer.id || offer.products.contains(where: question.groupProducts.contains)
        if isOfGroup, let group = question.subscriptionGroupIdentifier { groups.insert(group) }
        if let group = question.offerGroups[offer.id] { groups.insert(group) }
        return groups
    }

    /// Without a complete history only what cannot turn out to be one and the same run counts.
    private func count(_ uses: [Redemption], doubt: ReasonCode?) -> Fact {
        let count = doubt == nil ? uses.count : Set(uses.map(RunKey.init)).count
        let newest = uses.last
        return Fact(
            .count(count, doubt: doubt), provenance: newest?.provenance,
            transactionId: newest?.namedTransaction,
            change: .growth(.offerRedeemed))
    }

    /// Why there may be more than these.
    private func doubt(_ uses: [Redemption]) -> ReasonCode? {
        let uncertain = subject.purchases.uncertain
        if !uncertain.isEmpty, uses.contains(where: { uncertain.contains($0.originalTransactionId) }) {
            return .valueUnknown
        }
        if subject.purchases.hasUngrouped { return .groupMismatch }
        return subject.isComplete ? nil : .historyIncomplete
    }

    private struct RunKey: Hashable {
        let subscription: TransactionId
        let offer: RedemptionKey

        init(_ redemption: Redemption) {
            subscription = redemption.originalTransactionId
            offer = redemption.key
        }
    }
}

extension Subscription {
    /// Whether one of the products was bought, or is the next renewal's.
    fileprivate func concerns(_ products: [ProductId]) -> Bool {
        if let next = latestInfo?.payload.autoRenewProductId, products.contains(next) { return true }
        return transactions.contains { products.contains($0.payload.productId) }
    }
}
