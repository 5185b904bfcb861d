/// Reads `customer.*`: facts of the customer's purchases in the whole app.
///
/// Presence decides at once; what is absent, and counts that could be greater, need a complete history (invariant 3).
struct CustomerFactReader {
    let subject: Subject
    let now: Instant

    func fact(_ fact: CustomerFact) -> Fact {
        switch fact {
        case .daysSinceFirstPurchase: daysSinceFirstPurchase
        case .daysSinceFirstSeen: daysSinceFirstSeen
        case .everSubscribed: Fact(subject.purchases.anySubscription, of: subject, doubt: subject.incompleteness)
        case .refunds: refunds
        case .storefront: storefront
        case .offersRedeemed: RedemptionFactReader(subject: subject).offersRedeemed
        case .daysSinceLastOffer: RedemptionFactReader(subject: subject).daysSinceLast(at: now)
        }
    }

    private var daysSinceFirstPurchase: Fact {
        let doubt = subject.purchases.isFirstUncertain ? .valueUnknown : subject.incompleteness
        guard let first = subject.purchases.first else { return Fact(.undetermined(doubt ?? .noPurchase)) }
        return Fact(.days(since: first.date, at: now, doubt: doubt), from: subject.history.transactions[first.row])
    }

    private var daysSinceFirstSeen: Fact {
        guard let seen = subject.firstSeen else { return Fact(.undetermined(.appTransactionUnknown)) }
        let doubt: ReasonCode? =
            !seen.isObtainedKnown
            ? .appTransactionUnknown : subject.purchases.isFirstUncertain ? .valueUnknown : subject.incompleteness
        return Fact(
            .days(since: seen.date, at: now, doubt: doubt), provenance: seen.provenance,
            transactionId: seen.transactionId, change: .none)
    }

    /// A refund that Apple reverses is one no longer, so the count may also shrink.
    private var refunds: Fact {
        let known = subject.purchases.refunds.filter { $0.date <= now }
        let doubt = subject.purchases.areRefundsUncertain ? .valueUnknown : subject.incompleteness
        let newest = known.max { ($0.date, $0.row) < ($1.date, $1.row) }.map { subject.history.transactions[$0.row] }
        return Fact(.number(Double(known.count), doubt: doubt), from: newest, change: .any(.transactionReceived))
    }

    private var storefront: Fact {
        guard let row = subject.purchases.storefront.map({ subject.history.transactions[$0] }),
            let code = row.payload.storefront
        else {
            let reason: ReasonCode =
                !subject.isComplete
                ? .historyIncomplete : subject.purchases.first == nil ? .noPurchase : .storefrontUnknown
            return Fact(.undetermined(reason), change: .any(.transactionReceived))
        }
        return Fact(.known(.text(code)), from: row, change: .any(.transactionReceived))
    }
}

/// Reads the facts about redemptions of offers, whether or not we issued them
/// (docs/design.md#issued-offers-and-limits).
struct RedemptionFactReader {
    let subject: Subject

    /// Those that are the customer's own beyond doubt.
    private var own: [Redemption] {
        let uncertain = subject.purchases.uncertain
        guard !uncertain.isEmpty else { return subject.redemptions }
        return subject.redemptions.filter { !uncertain.contains($0.originalTransactionId) }
    }

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
        return Fact(
            doubt.map { .atLeast(0, because: $0) } ?? .days(since: newest.firstEvidence, at: now, doubt: nil),
            provenance: newest.provenance, transactionId: newest.namedTransaction, change: change)
    }

    /// Uses of one offer of the catalog, or of one that left it and was issued.
    func redeemed(_ id: OfferId, _ question: Question) -> Fact {
        let offers = ([question.offer] + question.offers).filter { $0.has(id) }
        let issuedOffers = subject.issuedOffers.filter { issuedOffer in
            issuedOffer.offerId == id || offers.contains { $0.has(issuedOffer.offerId) }
        }
        guard !issuedOffers.isEmpty || !offers.isEmpty else { return Fact(.undetermined(.offerUnknown)) }
        var keys = Set(issuedOffers.map(\.redemptionKey))
        for offer in offers {
            for group in groups(of: offer, question) { keys.insert(RedemptionKey(look: offer.look, group: group)) }
        }
        let issuedOfferIds = Set(issuedOffers.map(\.id))
        func isUse(_ redemption: Redemption) -> Bool {
            redemption.issuedOfferId.map(issuedOfferIds.contains) ?? keys.contains(redemption.key)
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
        let count =
            doubt == nil
            ? uses.count : Set(uses.map { RunKey(subscription: $0.originalTransactionId, offer: $0.key) }).count
        let newest = uses.last
        return Fact(
            .number(Double(count), doubt: doubt), provenance: newest?.provenance,
            transactionId: newest?.namedTransaction, change: .growth(.offerRedeemed))
    }

    /// Why there may be more than these.
    private func doubt(_ uses: [Redemption]) -> ReasonCode? {
        let uncertain = subject.purchases.uncertain
        if !uncertain.isEmpty, uses.contains(where: { uncertain.contains($0.originalTransactionId) }) {
            return .valueUnknown
        }
        if subject.purchases.hasUngrouped { return .groupMismatch }
        return subject.incompleteness
    }

    private struct RunKey: Hashable {
        let subscription: TransactionId
        let offer: RedemptionKey
    }
}

extension Subscription {
    /// Whether one of the products was bought, or is the next renewal's.
    fileprivate func concerns(_ products: [ProductId]) -> Bool {
        if let next = latestInfo?.payload.autoRenewProductId, products.contains(next) { return true }
        return transactions.contains { products.contains($0.payload.productId) }
    }
}

/// When a customer was first seen: the earliest of the date the app was obtained, the first purchase, and the date we
/// first stored them (docs/design.md#decisions).
struct FirstSeen: Sendable {
    let date: Instant
    /// How the row that shows it reached us; absent for our own record.
    let provenance: Provenance?
    let transactionId: TransactionId?
    /// Whether an app transaction says when the app was obtained, or that nothing will; without one, that may have been
    /// earlier.
    let isObtainedKnown: Bool

    /// `nil` for an unknown customer.
    init?(_ history: CurrentHistory, purchases: OwnPurchases, firstStoredAt: Instant?) {
        let obtained = history.appTransactions.filter { !$0.payload.hasSandboxDate }.compactMap { row in
            row.payload.originalPurchaseDate.map { (date: $0, provenance: row.provenance) }
        }
        .min { ($0.date, $0.provenance.rawValue) < ($1.date, $1.provenance.rawValue) }
        let bought = purchases.first
        let dates = [obtained?.date, bought?.date, firstStoredAt].compactMap(\.self)
        guard let earliest = dates.min() else { return nil }
        date = earliest
        // Of a tester no app transaction will ever say more.
        isObtainedKnown = obtained != nil || history.appTransactions.contains { $0.payload.hasSandboxDate }
        let isObtained = obtained?.date == earliest
        let purchase = bought.flatMap { $0.date == earliest ? history.transactions[$0.row] : nil }
        provenance = isObtained ? obtained?.provenance : purchase?.provenance
        transactionId = isObtained ? nil : purchase?.payload.transactionId
    }
}
