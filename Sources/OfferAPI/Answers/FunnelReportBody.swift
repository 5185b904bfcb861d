public import OfferModel

/// `GET /v1/reports/funnel`: what became of the customers who were first evaluated for offers in a range of time. What
/// each number counts is in docs/reports.md.
public struct FunnelReportBody: Sendable, Hashable, Codable {
    /// The instant of the report.
    public var asOf: Instant
    /// Customers first evaluated from then on.
    public var from: Instant
    /// Customers first evaluated before.
    public var to: Instant
    /// One funnel an offer, by id.
    public var offers: [FunnelBody]

    /// A report by its parts.
    public init(asOf: Instant, from: Instant, to: Instant, offers: [FunnelBody]) {
        self.asOf = asOf
        self.from = from
        self.to = to
        self.offers = offers
    }
}

/// The funnel of one offer.
public struct FunnelBody: Sendable, Hashable, Codable {
    /// The offer.
    public var offerId: OfferId
    /// Customers by stage; each counts members of the one before.
    public var stages: FunnelStagesBody
    /// The evaluated who were never issued the offer.
    public var notIssued: FunnelNotIssuedBody
    /// What stood in the way, the most frequent first.
    public var reasons: [FunnelReasonBody]
    /// More about the redeemed.
    public var redemptions: FunnelRedemptionsBody
    /// Requests refused to somebody unknown, who is no customer.
    public var requestsOfUnknown: Int
    /// What the discount costs, one entry a currency.
    public var discountCost: [FunnelCostBody]
    /// Slots of which the catalog does not tell a discount.
    public var slotsWithoutCost: Int
    /// The offered against the held out.
    public var holdoutLift: HoldoutLiftBody
    /// Of those who redeemed after cancelling, how many stayed.
    public var saveRate: SaveRateBody

    /// A funnel by its parts.
    public init(
        offerId: OfferId, stages: FunnelStagesBody, notIssued: FunnelNotIssuedBody, reasons: [FunnelReasonBody],
        redemptions: FunnelRedemptionsBody, requestsOfUnknown: Int, discountCost: [FunnelCostBody],
        slotsWithoutCost: Int, holdoutLift: HoldoutLiftBody, saveRate: SaveRateBody
    ) {
        self.offerId = offerId
        self.stages = stages
        self.notIssued = notIssued
        self.reasons = reasons
        self.redemptions = redemptions
        self.requestsOfUnknown = requestsOfUnknown
        self.discountCost = discountCost
        self.slotsWithoutCost = slotsWithoutCost
        self.holdoutLift = holdoutLift
        self.saveRate = saveRate
    }
}
