import OfferAPI
import OfferApplication

// As in `IssuedOffersController.swift`, which needs more than a fuzzing build links.
extension CustomerIdentifiers {
    init(_ reference: CustomerReference) {
        self.init(
            originalTransactionId: reference.originalTransactionId, appTransactionId: reference.appTransactionId,
            appAccountToken: reference.appAccountToken, customerId: reference.customerId)
    }
}
