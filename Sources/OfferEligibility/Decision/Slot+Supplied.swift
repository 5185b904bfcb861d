public import OfferModel

/// Why an offer stated for a "what if" cannot have been issued.
public enum SuppliedOfferFault: Error, Sendable, Hashable {
    /// The catalog has no such offer.
    case unknownOffer
    /// The offer has several products and none is named.
    case productRequired
    /// The offer has no such product.
    case unknownProduct

    /// The member at fault.
    public var member: String {
        switch self {
        case .unknownOffer: "offerId"
        case .productRequired, .unknownProduct: "productId"
        }
    }
}

extension Slot {
    /// The slot of an offer that somebody states for a "what if"; kind, name and tags are those of the catalog.
    ///
    /// - Parameter place: the offer's place among those stated, from 0; the id follows from it.
    /// - Throws: ``SuppliedOfferFault`` if the catalog cannot have issued it.
    public init(
        _ supplied: SuppliedOffer, place: Int, in catalog: Catalog, policy: Policy
    ) throws(SuppliedOfferFault) {
        guard let offer = catalog.offer(supplied.offerId) else { throw .unknownOffer }
        guard let product = supplied.productId ?? (offer.products.count == 1 ? offer.products.first : nil) else {
            throw .productRequired
        }
        guard offer.products.contains(product), let group = catalog.product(product)?.group.id else {
            throw .unknownProduct
        }
        let expiresAt = supplied.expiresAt ?? supplied.issuedAt.adding(milliseconds: policy.signatureLife)
        self.init(
            id: Self.id(of: place), offerId: offer.id, offerIdentifier: offer.offerIdentifier, offerType: offer.type,
            delivery: offer.delivery, productId: product, subscriptionGroupIdentifier: group, tags: offer.tags,
            issuedAt: supplied.issuedAt, expiresAt: expiresAt,
            countsUntil: expiresAt.adding(milliseconds: policy.slotTail), signings: supplied.signings,
            voidedAt: supplied.voidedAt, isReleased: supplied.isReleased)
    }

    /// `00000000-0000-4000-8000-000000000000` for the first: no random number, and so never the id of a stored slot.
    private static func id(of place: Int) -> LowercaseUUID {
        LowercaseUUID(version4From: (0..<16).map { $0 < 12 ? 0 : UInt8(truncatingIfNeeded: place >> (8 * (15 - $0))) })
    }
}
