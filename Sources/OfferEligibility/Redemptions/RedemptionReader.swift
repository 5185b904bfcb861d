import OfferModel

/// Finds the redemptions of a history and matches them to slots (DESIGN §5.3).
struct RedemptionReader {
    let past: SubjectPast
    /// They help where Apple's data does not state a length.
    let lengths: OfferLengths
    /// Whether the history was supplied for a "what if" and stands for what Apple would have signed.
    let takesHistoryAsProven: Bool

    /// By first evidence; subscription, transaction, group and name settle equal dates.
    func redemptions() -> [Redemption] {
        var used: Set<LowercaseUUID> = []
        var found: [Redemption] = []
        for (id, group) in past.groups {
            for subscription in group.subscriptions { found += redemptions(of: subscription, in: id) }
        }
        found.sort { $0.firstEvidence != $1.firstEvidence ? $0.firstEvidence < $1.firstEvidence : $0.order < $1.order }
        return found.map { redemption in
            guard let slot = slot(of: redemption) else { return redemption }
            var matched = redemption
            matched.slotId = slot.id
            matched.isDoubled = !used.insert(slot.id).inserted
            matched.isLate = redemption.firstEvidence >= slot.countsUntil
            return matched
        }
    }

    private func redemptions(of subscription: SubscriptionPast, in group: SubscriptionGroupId) -> [Redemption] {
        // What the family's owner redeemed is not this customer's use.
        guard subscription.transactions.contains(where: { $0.isOwned != false }) else { return [] }
        var infos = infosWithOffer(subscription)[...]
        var walk = RedemptionWalk(group: group, wholePeriod: wholePeriod)
        for row in subscription.transactions where row.isOwned != false {
            while let info = infos.first, info.payload.signedDate < row.payload.purchaseDate {
                walk.show(info)
                infos.removeFirst()
            }
            walk.begin(row)
        }
        for info in infos { walk.show(info) }
        return walk.finished()
    }

    /// Every proven renewal info that names an offer, also where a newer one does not: a use counts for ever. Unproven
    /// ones only where nothing outranks them. By date; what settles equal dates is not the order of arrival.
    private func infosWithOffer(_ subscription: SubscriptionPast) -> [Recorded<RenewalInfo>] {
        let original = subscription.transactions.first?.payload.originalTransactionId
        return past.facts.history.renewalInfos
            .filter { row in
                row.payload.originalTransactionId == original && row.payload.offerType != nil
                    && (takesHistoryAsProven || row.provenance.isProven
                        || row.payload == subscription.latestInfo?.payload)
            }
            .sorted {
                (
                    $0.payload.signedDate, $0.payload.offerType?.rawValue ?? 0,
                    $0.payload.offerIdentifier?.rawValue ?? "", $0.provenance.rawValue
                ) < (
                    $1.payload.signedDate, $1.payload.offerType?.rawValue ?? 0,
                    $1.payload.offerIdentifier?.rawValue ?? "", $1.provenance.rawValue
                )
            }
    }

    private func wholePeriod(_ stated: String?, _ key: RedemptionKey) -> Period? {
        if let stated, let period = Period(stated) { return period }
        return lengths[key]
    }

    /// The newest slot of that offer issued before the evidence.
    private func slot(of redemption: Redemption) -> Slot? {
        let key = redemption.key
        let slots = past.facts.slots
        var newest: Int?
        for place in slots.indices
        where slots[place].issuedAt <= redemption.firstEvidence && slots[place].redemptionKey == key {
            if let known = newest,
                (slots[place].issuedAt, slots[place].id) <= (slots[known].issuedAt, slots[known].id)
            {
                continue
            }
            newest = place
        }
        return newest.map { slots[$0] }
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
