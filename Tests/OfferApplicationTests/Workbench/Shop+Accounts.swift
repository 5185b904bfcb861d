import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

extension Shop {
    /// The signed data of somebody who lapsed, and of whose Apple Account nothing is known yet.
    func anonymous(_ id: String) throws -> SignedDelivery {
        var delivery = try self.delivery(.lapsed, id)
        delivery.signedTransactions = try delivery.signedTransactions.map { try named($0, nil) }
        delivery.signedRenewalInfo = try delivery.signedRenewalInfo.map { try named($0, nil) }
        return delivery
    }

    /// The same transaction as Apple signs it later, with the Apple Account.
    func proof(_ delivery: SignedDelivery, of account: String) throws -> SignedDelivery {
        let signed = clock.now.milliseconds
        let jws = try edited(try #require(delivery.signedTransactions.first)) { payload in
            payload["appTransactionId"] = account
            payload["signedDate"] = signed
        }
        return SignedDelivery(signedTransactions: [jws])
    }

    private func named(_ jws: String, _ account: String?) throws -> String {
        try edited(jws) { $0["appTransactionId"] = account }
    }
}
