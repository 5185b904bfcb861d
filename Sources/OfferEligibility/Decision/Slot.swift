public import OfferModel

/// One issued offer: one place under a limit given to one customer, holding one or more signatures (docs/design.md#issued-offers-and-limits).
public struct Slot: Sendable, Hashable {
    /// The issued offer's id.
    public var id: LowercaseUUID
    /// The offer in the catalog, across revisions.
    public var offerId: OfferId
    /// Apple's name of the offer when it was issued; absent for introductory offers.
    public var offerIdentifier: OfferIdentifier?
    /// What kind of offer it was.
    public var offerType: OfferType
    /// How it was delivered; decides which redemptions match.
    public var delivery: Delivery
    /// The product it was issued for.
    public var productId: ProductId
    /// The group of that product.
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    /// The offer's tags when it was issued.
    public var tags: [String]
    /// When it was issued.
    public var issuedAt: Instant
    /// When its newest signature ends.
    public var expiresAt: Instant
    /// Until when it counts unless it is redeemed.
    public var countsUntil: Instant
    /// How many signings it holds.
    public var signings: Int
    /// When it was voided.
    public var voidedAt: Instant?
    /// Whether the void freed its place at once.
    public var isReleased: Bool
    /// What it costs nominally, by the catalog it was issued on; absent if that cannot be told.
    public var cost: Money?
    /// When its redemption or its end was recorded; since then it is never open again, even if later evidence no longer
    /// matches that redemption to it.
    public var settledAt: Instant?
    /// The app's account that it was first issued for; absent where the request named none.
    public var signUp: SignUp?

    /// A slot by its parts.
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

    /// Whether it has stopped counting by itself, and nothing notes that yet.
    public func waitsToBeSettled(at now: Instant) -> Bool {
        voidedAt == nil && settledAt == nil && countsUntil <= now
    }
}
