@testable import OfferModel

extension Question {
    /// A question about an offer and other offers that belong to no compiled catalog.
    ///
    /// - Parameter offerGroups: the subscription group of each of these offers, as far as the catalog says: Apple's
    ///   name of an offer is unique in its group only.
    init(
        now: Instant, scope: Scope, offer: Offer, productId: ProductId,
        subscriptionGroupIdentifier: SubscriptionGroupId?, pause: Pause = .none, signals: [String: FactValue] = [:],
        needsNewSigning: Bool = true, takesHistoryAsProven: Bool = false, groupProducts: Set<ProductId> = [],
        products: [Product] = [], request: DeviceRequest = DeviceRequest(), offers: [Offer] = [],
        offerGroups: [OfferId: SubscriptionGroupId] = [:]
    ) {
        self.init(
            now: now, scope: scope, offer: CompiledOffer(offer), productId: productId,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier,
            catalog: CompiledCatalog(Catalog(bundleId: scope.bundleId, offers: offers), offerGroups: offerGroups),
            pause: pause, signals: signals, needsNewSigning: needsNewSigning,
            takesHistoryAsProven: takesHistoryAsProven, groupProducts: groupProducts, products: products,
            request: request)
    }

    /// `offer`, but settable.
    var offerAsked: Offer {
        get { offer }
        set { compiledOffer = CompiledOffer(newValue) }
    }

    /// `offers`, but settable.
    var offersOfCatalog: [Offer] {
        get { offers }
        set {
            catalog = CompiledCatalog(Catalog(bundleId: scope.bundleId, offers: newValue), offerGroups: offerGroups)
        }
    }

    /// `offerGroups`, but settable.
    var groupsOfOffers: [OfferId: SubscriptionGroupId] {
        get { offerGroups }
        set { catalog = CompiledCatalog(catalog.catalog, offerGroups: newValue) }
    }
}
