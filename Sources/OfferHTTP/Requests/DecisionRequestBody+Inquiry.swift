import OfferAPI
import OfferApplication
import OfferModel

extension DecisionRequestBody {
    /// What is asked.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func inquiry() throws -> Inquiry {
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
        return Inquiry(
            customer: customer.map(CustomerIdentifiers.init) ?? CustomerIdentifiers(), offerIds: offerIds,
            productId: productId, signals: signals ?? [:], request: DeviceRequest(request),
            whatIf: try whatIf())
    }

    private func whatIf() throws -> WhatIf {
        var whatIf = WhatIf(asOf: asOf, history: try history.map { try SuppliedHistory($0) })
        if let catalog { whatIf.catalog = .document(catalog) }
        if let catalogRevision { whatIf.catalog = .revision(catalogRevision) }
        return whatIf
    }
}

extension DeviceRequest {
    init(_ body: RequestFactsBody?) {
        self.init(appVersion: body?.appVersion, osVersion: body?.osVersion, locale: body?.locale)
    }
}
