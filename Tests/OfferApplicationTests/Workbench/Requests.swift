import OfferAPI
import OfferModel

extension Inquiry {
    init(
        customer: CustomerIdentifiers? = nil, offerIds: [OfferId]? = nil, productId: ProductId? = nil,
        signals: [String: FactValue] = [:], asOf: Instant? = nil,
        history: SuppliedHistory? = nil
    ) {
        self.init()
        (self.customer, self.offerIds, self.productId) = (customer, offerIds, productId)
        (self.signals, self.asOf, self.history) = (signals, asOf, history)
    }
}

extension IssueRequest {
    init(
        offerId: OfferId, productId: ProductId? = nil, customer: CustomerIdentifiers,
        formats: [SignatureFormat]? = nil, fresh: Bool = false, signals: [String: FactValue] = [:],
        delivery: SignedDelivery = SignedDelivery()
    ) {
        self.init()
        (self.offerId, self.productId, self.customer, self.formats) = (offerId, productId, customer, formats)
        (self.fresh, self.signals, self.delivery) = (fresh, signals, delivery)
    }
}
