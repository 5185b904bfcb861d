import OfferAPI
import OfferApplication
import OfferModel

extension IssueRequestBody {
    /// What is ordered.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func order() throws(RequestFault) -> IssueRequest {
        let delivery = SignedDelivery(
            signedTransactions: signedTransactions ?? [], signedRenewalInfo: signedRenewalInfo ?? [],
            signedAppTransaction: signedAppTransaction, historyComplete: historyComplete ?? false)
        var checks = RequestChecks()
        checks.text(offerId.rawValue, at: .root.appending("offerId"))
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.customer(customer)
        checks.formats(formats)
        checks.signals(signals)
        checks.delivery(delivery)
        checks.device(request)
        try checks.finish()
        return IssueRequest(
            offerId: offerId, productId: productId, customer: CustomerIdentifiers(customer), formats: formats ?? [],
            fresh: fresh ?? false, signals: signals ?? [:], device: DeviceRequest(request),
            delivery: delivery)
    }
}

extension CustomerIdentifiers {
    init(_ reference: CustomerReference) {
        self.init(
            originalTransactionId: reference.originalTransactionId, appTransactionId: reference.appTransactionId,
            appAccountToken: reference.appAccountToken, customerId: reference.customerId)
    }
}
