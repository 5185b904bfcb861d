public import OfferEligibility
public import OfferModel

/// Everything support can see of the customers that some identifiers name.
public struct CustomerStory: Sendable, Hashable {
    /// The customers.
    public var customers: [KnownIdentifiers]
    /// The instant of the request.
    public var now: Instant
    /// What the app set for them, by the name after `customer.attributes.`.
    public var attributes: [String: FactValue]
    /// Their united history.
    public var history: History
    /// Their slots, newest first.
    public var issuedOffers: [IssuedOffer]
    /// Their uses of offers as they are recorded, from the earliest.
    public var redemptions: [Redemption]

    /// A story by its parts.
    public init(
        customers: [KnownIdentifiers], attributes: [String: FactValue], now: Instant, history: History,
        issuedOffers: [IssuedOffer], redemptions: [Redemption]
    ) {
        self.customers = customers
        self.attributes = attributes
        self.now = now
        self.history = history
        self.issuedOffers = issuedOffers
        self.redemptions = redemptions
    }
}

/// A page of issued offers.
public struct IssuedOfferPage: Sendable, Hashable {
    /// The offers, newest first.
    public var items: [IssuedOffer]
    /// The place of the last item in the store's order, where the next page starts; absent on the last page.
    public var next: Int64?

    /// A page by its parts.
    public init(items: [IssuedOffer], next: Int64?) {
        self.items = items
        self.next = next
    }
}
