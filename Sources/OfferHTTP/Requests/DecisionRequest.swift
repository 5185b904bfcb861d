import OfferAPI
import OfferModel

extension Inquiry {
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func check() throws(RequestFault) {
        var checks = RequestChecks()
        if let customer {
            checks.customer(customer)
        } else if history == nil {
            checks.add(
                .root.appending("customer"), .missingMember, "the member `customer` is missing",
                hint: "name a customer, or supply a `history`")
        }
        checks.offers(offerIds)
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.signals(signals)
        checks.device(request)
        checks.instant(asOf, at: .root.appending("asOf"))
        checks.history(history)
        checks.catalog(catalog, catalogRevision)
        try checks.finish()
    }
}
