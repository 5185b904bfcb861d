/// One issued offer: one place under a limit given to one customer, holding one or more signatures
/// (docs/design.md#issued-offers-and-limits).
public struct IssuedOffer: Sendable, Hashable {
    public var id: LowercaseUUID
    /// The offer in the catalog, across revisions.
    public var offerId: OfferId
    /// Apple's name of the offer when it was issued; absent for introductory offers.
    public var offerIdentifier: OfferIdentifier?
    public var offerType: OfferType
    /// How it was delivered; decides which redemptions match.
    public var delivery: Delivery
    public var productId: ProductId
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    public var tags: [String]
    public var issuedAt: Instant
    /// When its newest signature ends.
    public var expiresAt: Instant
    /// Until when it counts unless it is redeemed.
    public var countsUntil: Instant
    public var signings: Int
    public var voidedAt: Instant?
    /// Whether the void freed its place at once.
    public var isReleased: Bool
    /// Its nominal cost by the catalog it was issued on; absent if unknown.
    public var cost: Money?
    /// When its redemption or its end was recorded; since then it is never open again, even if later evidence no longer
    /// matches that redemption to it.
    public var settledAt: Instant?
    /// The app's account that it was first issued for; absent where the request named none.
    public var signUp: SignUp?
    /// The grant that it used: such a use counts under no limit.
    public var grantId: LowercaseUUID?

    public init(
        id: LowercaseUUID, offerId: OfferId, offerIdentifier: OfferIdentifier?, offerType: OfferType,
        delivery: Delivery, productId: ProductId, subscriptionGroupIdentifier: SubscriptionGroupId,
        tags: [String] = [], issuedAt: Instant, expiresAt: Instant, countsUntil: Instant, signings: Int,
        cost: Money? = nil, voidedAt: Instant? = nil, isReleased: Bool = false, settledAt: Instant? = nil
    ) {
        self.id = id
        self.offerId = offerId
        self.offerIdentifier = offerIdentifier
        self.offerType = offerType
        self.delivery = delivery
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.tags = tags
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.countsUntil = countsUntil
        self.signings = signings
        self.cost = cost
        self.voidedAt = voidedAt
        self.isReleased = isReleased
        self.settledAt = settledAt
    }

    /// Whether it can still be asked for signatures: neither voided, settled nor past the moment it stops counting.
    public func isOpen(at now: Instant) -> Bool {
        voidedAt == nil && settledAt == nil && now < countsUntil
    }

    /// Whether it has stopped counting by time, and that is not recorded yet.
    public func waitsToBeSettled(at now: Instant) -> Bool {
        voidedAt == nil && settledAt == nil && countsUntil <= now
    }

    /// Its state; a use known from the history settles it whatever else happened.
    ///
    /// - Parameter redemptions: those of the same subject, matched to its issued offers.
    public func state(at now: Instant, redemptions: [Redemption]) -> IssuedOfferState {
        if redemptions.contains(where: { $0.issuedOfferId == id }) { return .redeemed }
        if voidedAt != nil { return .voided }
        if now >= countsUntil { return .expired }
        // Settled before its end: its redemption was recorded, though the history no longer matches it.
        return settledAt == nil ? .open : .redeemed
    }
}

/// Why an offer stated for a "what if" cannot have been issued.
public enum SuppliedOfferFault: Error, Sendable, Hashable {
    case unknownOffer, productRequired, unknownProduct

    public var member: String {
        switch self {
        case .unknownOffer: "offerId"
        case .productRequired, .unknownProduct: "productId"
        }
    }
}

extension IssuedOffer {
    /// The issued offer of an offer stated for a "what if"; kind, name and tags are those of the catalog.
    ///
    /// - Parameter place: the offer's place among those stated, from 0; the id follows from it.
    /// - Throws: ``SuppliedOfferFault`` if the catalog cannot have issued it.
    public init(
        _ supplied: SuppliedOffer, place: Int, in catalog: Catalog, policy: Policy
    ) throws(SuppliedOfferFault) {
        guard let offer = catalog.offer(everNamed: supplied.offerId) else { throw .unknownOffer }
        guard let product = supplied.productId ?? (offer.products.count == 1 ? offer.products.first : nil) else {
            throw .productRequired
        }
        guard offer.products.contains(product), let group = catalog.product(product)?.group.id else {
            throw .unknownProduct
        }
        self.init(supplied, of: offer, on: product, in: group, place: place, policy)
    }

    /// An issued offer that is stated rather than stored, of an offer as the catalog has it.
    init(
        _ supplied: SuppliedOffer, of offer: Offer, on product: ProductId, in group: SubscriptionGroupId, place: Int,
        _ policy: Policy
    ) {
        let expiresAt = supplied.expiresAt ?? supplied.issuedAt.adding(milliseconds: policy.signatureLife)
        self.init(
            id: supplied.id ?? Self.id(of: place), offerId: offer.id, offerIdentifier: offer.offerIdentifier,
            offerType: offer.type, delivery: offer.delivery, productId: product, subscriptionGroupIdentifier: group,
            tags: offer.tags, issuedAt: supplied.issuedAt, expiresAt: expiresAt,
            countsUntil: supplied.countsUntil ?? expiresAt.adding(milliseconds: policy.countingTail),
            signings: supplied.signings, voidedAt: supplied.voidedAt, isReleased: supplied.isReleased)
    }

    /// `00000000-0000-4000-8000-000000000000` for the first: no random number, and so never the id of a stored issued
    /// offer.
    private static func id(of place: Int) -> LowercaseUUID {
        LowercaseUUID(version4From: (0..<16).map { $0 < 12 ? 0 : UInt8(truncatingIfNeeded: place >> (8 * (15 - $0))) })
    }
}
