import OfferAPI
import OfferModel

extension RequestChecks {
    /// A moment that may be absent.
    mutating func instant(_ instant: Instant?, at pointer: @autoclosure () -> JSONPointer) {
        guard let instant, !InputBounds.instants.contains(instant) else { return }
        add(
            pointer(), .invalidValue, "`\(instant.milliseconds)` is not a moment between 1970 and the year 9999",
            hint: "give milliseconds since 1970-01-01T00:00:00Z")
    }

    /// A document or a revision: not both.
    mutating func catalog(_ document: String?, _ revision: Int?) {
        guard document != nil, revision != nil else { return }
        add(
            .root.appending("catalogRevision"), .invalidValue, "`catalog` and `catalogRevision` exclude each other",
            hint: "send one of them")
    }

    /// A supplied history; whoever reads its payloads judges them. Of too many only the number is named.
    mutating func history(_ history: HistoryBody?) {
        guard let history else { return }
        let pointer = JSONPointer.root.appending("history")
        let payloads = history.transactions.count + history.renewalInfos.count
        let most = RequestRules.suppliedCount
        if payloads > most {
            add(pointer, .tooMany, "at most \(most) transactions and renewal infos, these are \(payloads)")
        }
        let offers = history.issuedOffers ?? []
        guard offers.count <= most else {
            return add(
                pointer.appending("issuedOffers"), .tooMany, "at most \(most) issued offers, these are \(offers.count)")
        }
        for (place, offer) in offers.enumerated() {
            issuedOffer(offer, at: pointer.appending("issuedOffers").appending(place))
        }
    }

    private mutating func issuedOffer(_ offer: PastOfferBody, at pointer: JSONPointer) {
        text(offer.offerId.rawValue, at: pointer.appending("offerId"))
        text(offer.productId?.rawValue, at: pointer.appending("productId"))
        for (name, moment) in [
            ("issuedAt", offer.issuedAt), ("expiresAt", offer.expiresAt), ("voidedAt", offer.voidedAt),
        ] {
            instant(moment, at: pointer.appending(name))
        }
        if let expiresAt = offer.expiresAt, expiresAt < offer.issuedAt {
            add(pointer.appending("expiresAt"), .invalidValue, "it ends before it was issued")
        }
        if let voidedAt = offer.voidedAt, voidedAt < offer.issuedAt {
            add(pointer.appending("voidedAt"), .invalidValue, "it was voided before it was issued")
        }
        if let signings = offer.signings, !RequestRules.signings.contains(signings) {
            add(
                pointer.appending("signings"), .invalidValue,
                "an issued offer has \(RequestRules.signings.lowerBound) to \(RequestRules.signings.upperBound) signings"
            )
        }
        if offer.released == true, offer.voidedAt == nil {
            add(
                pointer.appending("released"), .invalidValue, "only what is voided is released",
                hint: "give `voidedAt` too")
        }
    }
}
