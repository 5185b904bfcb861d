public import OfferModel

/// `GET /v1/offers`: one offer of the catalog in force, in short.
public struct OfferSummaryBody: Sendable, Hashable, Codable {
    /// The offer in the catalog.
    public var offerId: OfferId
    /// What kind of offer it is.
    public var type: OfferType
    /// Whether it may be issued.
    public var status: OfferStatus
    /// The first moment it may be issued.
    public var starts: Instant?
    /// The moment from which it may no longer be issued.
    public var ends: Instant?
    /// Its rank; larger wins.
    public var priority: Int
    /// Whether it is paused, by itself or with every offer.
    public var paused: Bool

    /// A summary by its parts.
    public init(
        offerId: OfferId, type: OfferType, status: OfferStatus, starts: Instant?, ends: Instant?, priority: Int,
        paused: Bool
    ) {
        self.offerId = offerId
        self.type = type
        self.status = status
        self.starts = starts
        self.ends = ends
        self.priority = priority
        self.paused = paused
    }
}
