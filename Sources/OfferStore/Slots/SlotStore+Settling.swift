public import OfferModel

extension SlotStore {
    /// Marks slots as redeemed: they are no longer open, so that the offer may be issued to the same customer again
    /// where its limits allow it. They go on counting, because a redemption counts for ever (docs/design.md#issued-offers-and-limits).
    ///
    /// - Throws: ``StoreError``.
    public func settle(_ redeemed: [LowercaseUUID], at now: Instant, in scope: ScopeNumber) throws {
        for id in redeemed {
            try change(
                .settlement, where: "id = ?1 AND scope_id = ?2 AND voided_at IS NULL AND settled_at IS NULL",
                [id.storedValue, scope.storedValue], set: "settled_at = ?3", [now.storedValue], at: now)
        }
    }
}
