public import OfferEligibility
public import OfferModel

/// Everything support can see of the customers that some identifiers name.
public struct CustomerDetails: Sendable, Hashable {
    /// The customers.
    public var customers: [KnownIdentifiers]
    /// Where their identifiers came from, a list for each of them.
    public var origins: [[IdentifierOrigin]]
    /// The instant of the request.
    public var now: Instant
    /// What the app set for them, by the name after `customer.attributes.`.
    public var attributes: [String: FactValue]
    /// Their united history.
    public var history: History
    /// Their slots, newest first.
    public var issuedOffers: [IssuedOfferView]
    /// Their uses of offers as they are recorded, from the earliest.
    public var redemptions: [Redemption]
    /// What happened to them, so much as was asked for.
    public var timeline: TimelinePage

    /// A story by its parts.
    public init(
        customers: [KnownIdentifiers], origins: [[IdentifierOrigin]], attributes: [String: FactValue], now: Instant,
        history: History, issuedOffers: [IssuedOfferView], redemptions: [Redemption], timeline: TimelinePage
    ) {
        self.customers = customers
        self.origins = origins
        self.attributes = attributes
        self.now = now
        self.history = history
        self.issuedOffers = issuedOffers
        self.redemptions = redemptions
        self.timeline = timeline
    }
}

/// A page of issued offers.
public struct IssuedOfferPage: Sendable, Hashable {
    /// The offers, newest first.
    public var items: [IssuedOfferView]
    /// The place of the last item in the store's order, where the next page starts; absent on the last page.
    public var next: Int64?

    /// A page by its parts.
    public init(items: [IssuedOfferView], next: Int64?) {
        self.items = items
        self.next = next
    }
}
