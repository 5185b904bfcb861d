public import OfferModel

/// What is asked: may this subject have this offer, for this product, now?
public struct Question: Sendable, Hashable {
    /// The one instant of the request.
    public var now: Instant
    /// The app and environment.
    public var scope: Scope
    /// The offer as the catalog in force has it.
    public var offer: Offer
    /// The product it is asked for; one of the offer's, or the refusal says so.
    public var productId: ProductId
    /// The group of that product; absent if the catalog does not know the product.
    public var subscriptionGroupIdentifier: SubscriptionGroupId?
    /// Whether this offer, or every offer, is paused.
    public var pause: Pause
    /// What the backend says about the customer, by the name after `signals.`.
    public var signals: [String: FactValue]
    /// Whether the answer would need a signing beyond those the open slot holds.
    public var needsNewSigning: Bool
    /// Whether the history was supplied for a "what if" and stands for what Apple would have signed.
    ///
    /// Never set where something is signed: a customer without a verified payload gets no signature (DESIGN §5.6).
    public var takesHistoryAsProven: Bool
    /// Every product that the catalog has in that group; a purchase of one of them that Apple's data puts elsewhere
    /// leaves open what the group lacks. Empty if the catalog does not know the group.
    public var groupProducts: Set<ProductId>

    /// A question by its parts.
    public init(
        now: Instant, scope: Scope, offer: Offer, productId: ProductId,
        subscriptionGroupIdentifier: SubscriptionGroupId?, pause: Pause = .none, signals: [String: FactValue] = [:],
        needsNewSigning: Bool = true, takesHistoryAsProven: Bool = false, groupProducts: Set<ProductId> = []
    ) {
        self.now = now
        self.scope = scope
        self.offer = offer
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.pause = pause
        self.signals = signals
        self.needsNewSigning = needsNewSigning
        self.takesHistoryAsProven = takesHistoryAsProven
        self.groupProducts = groupProducts
    }
}

/// The kill switch as it stands for one offer.
public enum Pause: String, Sendable, Hashable, CaseIterable, Codable {
    /// Not paused.
    case none
    /// This offer is paused.
    case offer
    /// Every offer is paused.
    case everyOffer
}

/// What is known of the subject of a question.
public struct SubjectFacts: Sendable, Hashable {
    /// Their purchases.
    public var history: History
    /// Every slot ever issued to them, of every offer.
    public var slots: [Slot]

    /// Facts by their parts; nothing is known of an empty one.
    public init(history: History = History(), slots: [Slot] = []) {
        self.history = history
        self.slots = slots
    }
}
