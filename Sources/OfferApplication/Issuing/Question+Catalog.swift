import OfferEligibility
import OfferModel

extension Question {
    /// The question about one offer of a catalog: whoever asks, issuing, dry-run or replay, the catalog says the same
    /// about the offer's group and about its other offers (invariant 4).
    init(
        _ offer: Offer, productId: ProductId, of catalog: Catalog, scope: Scope, at now: Instant, pause: Pause,
        signals: [String: FactValue], request: DeviceRequest, needsNewSigning: Bool, takesHistoryAsProven: Bool
    ) {
        let group = catalog.product(productId)?.group
        self.init(
            now: now, scope: scope, offer: offer, productId: productId, subscriptionGroupIdentifier: group?.id,
            pause: pause, signals: signals, needsNewSigning: needsNewSigning,
            takesHistoryAsProven: takesHistoryAsProven, groupProducts: Set(group?.products.map(\.productId) ?? []),
            products: group?.products ?? [], request: request, offers: catalog.offers, offerGroups: catalog.offerGroups)
    }
}
