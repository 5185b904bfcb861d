import OfferAPI
import OfferModel

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
