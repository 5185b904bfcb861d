public import OfferModel

/// `POST /v1/offers/{id}/pause`, `/resume`, and the same for every offer: how the kill switch stands now.
public struct PauseBody: Sendable, Hashable, Codable {
    /// The offer; absent where every offer was meant.
    public var offerId: OfferId?
    /// Whether it, or every offer, is paused now.
    public var paused: Bool
    /// Whether this request changed that.
    public var changed: Bool
    /// Whether every offer is paused: a single one that was resumed is still not issued then.
    public var everyOfferPaused: Bool

    /// A state by its parts.
    public init(offerId: OfferId?, paused: Bool, changed: Bool, everyOfferPaused: Bool) {
        self.offerId = offerId
        self.paused = paused
        self.changed = changed
        self.everyOfferPaused = everyOfferPaused
    }
}
