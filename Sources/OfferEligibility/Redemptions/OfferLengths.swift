import OfferModel

/// How long offers last, by what Apple's data shows of them; of several that look alike, the first counts.
struct OfferLengths: Hashable {
    private var lengths: [Look: Period] = [:]

    private struct Look: Hashable {
        let offerType: TransactionOfferType
        let offerIdentifier: OfferIdentifier?
    }

    init(_ offers: [Offer]) {
        for index in offers.indices {
            let look = Self.look(offers[index])
            if lengths[look] == nil { lengths[look] = Self.length(offers[index]) }
        }
    }

    /// These, where an offer that looks like the given one lasts as long as that one.
    func preferring(_ offer: Offer) -> OfferLengths {
        let (look, length) = (Self.look(offer), Self.length(offer))
        guard lengths[look] != length else { return self }
        var preferring = self
        preferring.lengths[look] = length
        return preferring
    }

    /// The length of the offer that a use shows; `nil` if none of the offers looks like it.
    subscript(key: RedemptionKey) -> Period? {
        lengths[Look(offerType: key.offerType, offerIdentifier: key.offerIdentifier)]
    }

    private static func look(_ offer: Offer) -> Look {
        Look(offerType: offer.delivery.redeemedAs, offerIdentifier: offer.offerIdentifier)
    }

    private static func length(_ offer: Offer) -> Period { offer.period.multiplied(by: offer.periodCount) }
}
