public import OfferModel

extension SubjectFacts {
    /// Purchases at full price right after a signature, by the slot that was not used: the app got a signed offer and the
    /// customer bought without it, which the App Store cannot undo (docs/design.md#issued-offers-and-limits).
    ///
    /// That is the first purchase in the slot's group, not a renewal, without any offer, by the customer, dated from the
    /// slot's issue to the end of its newest signature; and nothing is known to have used the slot.
    ///
    /// - Parameter redemptions: those of the same facts.
    public func fullPricePurchases(redemptions: [Redemption]) -> [LowercaseUUID: TransactionId] {
        let redeemed = Set(redemptions.compactMap(\.slotId))
        let unused = slots.filter { !redeemed.contains($0.id) }
        guard !unused.isEmpty else { return [:] }
        let groups = SubjectPast(self).groups
        var purchases: [LowercaseUUID: TransactionId] = [:]
        for slot in unused {
            purchases[slot.id] =
                groups[slot.subscriptionGroupIdentifier]?.rows.first { row in
                    row.payload.offerType == nil && row.payload.transactionReason == .purchase
                        && row.payload.isOwned != false && slot.issuedAt <= row.payload.purchaseDate
                        && row.payload.purchaseDate < slot.expiresAt
                }?.payload.transactionId
        }
        return purchases
    }
}
