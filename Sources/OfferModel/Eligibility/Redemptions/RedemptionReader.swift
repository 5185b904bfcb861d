/// Finds the redemptions of a history and matches them to issued offers (docs/design.md#issued-offers-and-limits).
struct RedemptionReader {
    let past: SubscriptionHistory
    /// They help where Apple's data does not state a length.
    let lengths: OfferLengths
    let takesHistoryAsProven: Bool

    /// By first evidence; subscription, transaction, group and name settle equal dates.
    func redemptions() -> [Redemption] {
        var used: Set<LowercaseUUID> = []
        var found: [Redemption] = []
        forEach { found += redemptions(of: $0) }
        found.sort { $0.firstEvidence != $1.firstEvidence ? $0.firstEvidence < $1.firstEvidence : $0.order < $1.order }
        return found.map { redemption in
            guard
                let issuedOffer = redemption.isByAnother ? known(redemption.issuedOfferId) : issuedOffer(of: redemption)
            else {
                return redemption
            }
            var matched = redemption
            matched.issuedOfferId = issuedOffer.id
            matched.isDoubled = !used.insert(issuedOffer.id).inserted
            matched.isLate = redemption.firstEvidence >= issuedOffer.countsUntil
            return matched
        }
    }

    /// The rows to keep of each subscription that shows a use: all that the walk over it reads.
    func evidenceToKeep() -> [KeptEvidence] {
        var kept: [KeptEvidence] = []
        forEach { subscription in
            var evidence: [KeptEvidence] = []
            if !redemptions(of: subscription, noting: { evidence.append($0) }).isEmpty { kept += evidence }
        }
        return kept.sorted {
            ($0.at, $0.originalTransactionId, $0.kind.rawValue, $0.productId)
                < ($1.at, $1.originalTransactionId, $1.kind.rawValue, $1.productId)
        }
    }

    /// One subscription, as far as the history and what was kept of an erased one show it.
    fileprivate struct ShownSubscription {
        let group: SubscriptionGroupId
        var periods: [Recorded<Transaction>]
        var infos: [Recorded<RenewalInfo>]
        /// The issued offer of the subject that another customer's subscription used.
        var issuedOfferId: LowercaseUUID?
    }

    private func forEach(_ body: (ShownSubscription) -> Void) {
        var kept =
            past.facts.keptEvidence.isEmpty
            ? [:]
            : Dictionary(grouping: past.facts.keptEvidence) {
                KeptKey(subscription: $0.originalTransactionId, group: $0.subscriptionGroupIdentifier)
            }
        for (id, group) in past.groups {
            for subscription in group.subscriptions {
                // What the family's owner redeemed is not this customer's use.
                let isShared = subscription.transactions.contains { $0.isOwned == false }
                let periods =
                    isShared ? subscription.transactions.filter { $0.isOwned != false } : subscription.transactions
                var shown = ShownSubscription(
                    group: id, periods: periods, infos: periods.isEmpty ? [] : infosWithOffer(subscription))
                if !kept.isEmpty, let original = subscription.transactions.first?.payload.originalTransactionId,
                    let known = kept.removeValue(forKey: KeptKey(subscription: original, group: id))
                {
                    shown.add(known)
                }
                body(shown)
            }
        }
        for (key, known) in kept {
            var shown = ShownSubscription(group: key.group, periods: [], infos: [])
            shown.add(known)
            body(shown)
        }
    }

    private func redemptions(
        of subscription: ShownSubscription, noting note: ((KeptEvidence) -> Void)? = nil
    ) -> [Redemption] {
        guard !subscription.periods.isEmpty || !subscription.infos.isEmpty else { return [] }
        let group = subscription.group
        var infos = subscription.infos[...]
        var walk = RedemptionWalk(group: group, wholePeriod: wholePeriod)
        func show(_ info: Recorded<RenewalInfo>) {
            walk.show(info)
            note?(KeptEvidence(info, in: group))
        }
        for row in subscription.periods {
            while let info = infos.first, info.payload.signedDate < row.payload.purchaseDate {
                show(info)
                infos.removeFirst()
            }
            if let note, !walk.isIdle || row.payload.offerType != nil { note(KeptEvidence(row, in: group)) }
            walk.begin(row)
        }
        for info in infos { show(info) }
        var found = walk.finished()
        for index in found.indices where found[index].transactionId == KeptEvidence.noTransaction {
            found[index].transactionId = nil
        }
        guard let issuedOfferId = subscription.issuedOfferId else { return found }
        for index in found.indices {
            found[index].issuedOfferId = issuedOfferId
            found[index].isByAnother = true
        }
        return found
    }

    /// Every proven renewal info that names an offer, also where a newer one does not: a use counts permanently.
    /// Unproven ones only where nothing outranks them. By date; equal dates are not settled by the order of arrival.
    private func infosWithOffer(_ subscription: SubscriptionRows) -> [Recorded<RenewalInfo>] {
        let original = subscription.transactions.first?.payload.originalTransactionId
        return past.facts.history.renewalInfos
            .filter { row in
                row.payload.originalTransactionId == original && row.payload.offerType != nil
                    && (takesHistoryAsProven || row.provenance.isProven
                        || row.payload == subscription.latestInfo?.payload)
            }
            .sorted(by: Self.isShownBefore)
    }

    fileprivate static func isShownBefore(_ first: Recorded<RenewalInfo>, _ second: Recorded<RenewalInfo>) -> Bool {
        (
            first.payload.signedDate, first.payload.offerType?.rawValue ?? 0,
            first.payload.offerIdentifier?.rawValue ?? "", first.provenance.rawValue
        ) < (
            second.payload.signedDate, second.payload.offerType?.rawValue ?? 0,
            second.payload.offerIdentifier?.rawValue ?? "", second.provenance.rawValue
        )
    }

    private func wholePeriod(_ stated: String?, _ key: RedemptionKey) -> Period? {
        if let stated, let period = Period(stated) { return period }
        return lengths[key]
    }

    private func known(_ id: LowercaseUUID?) -> IssuedOffer? { past.facts.issuedOffers.first { $0.id == id } }

    /// The newest issued offer of that offer issued before the evidence.
    private func issuedOffer(of redemption: Redemption) -> IssuedOffer? {
        let key = redemption.key
        let issuedOffers = past.facts.issuedOffers
        var newest: Int?
        for place in issuedOffers.indices
        where issuedOffers[place].issuedAt <= redemption.firstEvidence && issuedOffers[place].redemptionKey == key {
            if let known = newest,
                (issuedOffers[place].issuedAt, issuedOffers[place].id) <= (
                    issuedOffers[known].issuedAt, issuedOffers[known].id
                )
            {
                continue
            }
            newest = place
        }
        return newest.map { issuedOffers[$0] }
    }
}

private struct KeptKey: Hashable {
    let subscription: TransactionId
    let group: SubscriptionGroupId
}

extension RedemptionReader.ShownSubscription {
    /// Adds what was kept of an erased history, but for the periods that are shown again.
    fileprivate mutating func add(_ kept: [KeptEvidence]) {
        issuedOfferId = kept.first?.issuedOfferId
        let shown = Set(periods.map { PeriodKey($0.payload) })
        periods += kept.filter { $0.kind == .period }.map(\.period).filter { !shown.contains(PeriodKey($0.payload)) }
        periods.sort {
            ($0.payload.purchaseDate, $0.payload.productId) < ($1.payload.purchaseDate, $1.payload.productId)
        }
        infos += kept.filter { $0.kind == .pending }.map(\.info)
        infos.sort(by: RedemptionReader.isShownBefore)
    }
}

/// The identity of a period of one subscription.
private struct PeriodKey: Hashable {
    let begins: Instant
    let product: ProductId

    init(_ period: Transaction) {
        begins = period.purchaseDate
        product = period.productId
    }
}

extension Redemption {
    /// Among those of the same date.
    fileprivate var order: (TransactionId, TransactionId, SubscriptionGroupId, String) {
        (
            originalTransactionId, transactionId ?? "", subscriptionGroupIdentifier,
            "\(offerType.rawValue) \(offerIdentifier?.rawValue ?? "")"
        )
    }
}
