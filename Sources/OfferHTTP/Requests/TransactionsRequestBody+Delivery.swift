import OfferAPI
import OfferApplication
import OfferModel

extension TransactionsRequestBody {
    /// The signed data, and the names the customer goes by.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func delivery() throws(RequestFault) -> (delivery: SignedDelivery, aliases: CustomerIdentifiers) {
        let delivery = SignedDelivery(
            signedTransactions: signedTransactions, signedRenewalInfo: signedRenewalInfo ?? [],
            signedAppTransaction: signedAppTransaction, historyComplete: historyComplete ?? false)
        var checks = RequestChecks()
        checks.text(customer?.customerId?.rawValue, at: .root.appending("customer").appending("customerId"))
        checks.delivery(delivery)
        try checks.finish()
        let aliases = CustomerIdentifiers(appAccountToken: customer?.appAccountToken, customerId: customer?.customerId)
        return (delivery, aliases)
    }
}
