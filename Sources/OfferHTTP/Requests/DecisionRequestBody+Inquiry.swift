import OfferAPI
import OfferApplication
import OfferModel

extension DecisionRequestBody {
    /// What is asked.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func inquiry() throws(RequestFault) -> Inquiry {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.offers(offerIds)
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.signals(signals)
        checks.device(request)
        try checks.finish()
        return Inquiry(
            customer: CustomerIdentifiers(customer), offerIds: offerIds, productId: productId, signals: signals ?? [:])
    }
}
