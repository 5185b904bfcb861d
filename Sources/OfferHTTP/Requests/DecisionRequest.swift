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

extension SuppliedHistory {
    /// The history with each payload as JSON text of its own, written the same however it was sent.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold, which no request can bring.
    init(_ body: HistoryBody) throws {
        self.init(
            transactions: try body.transactions.map { try WireJSON.encode($0) },
            renewalInfos: try body.renewalInfos.map { try WireJSON.encode($0) },
            appTransaction: try body.appTransaction.map { try WireJSON.encode($0) },
            issuedOffers: body.issuedOffers?.map(SuppliedOffer.init), isComplete: body.complete)
    }
}

extension SuppliedOffer {
    fileprivate init(_ body: PastOfferBody) {
        self.init(
            offerId: body.offerId, productId: body.productId, issuedAt: body.issuedAt, expiresAt: body.expiresAt,
            signings: body.signings ?? 1, voidedAt: body.voidedAt, isReleased: body.released ?? false)
    }
}
