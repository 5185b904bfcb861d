public import OfferEligibility
public import OfferModel

/// A recorded decision beside what the same question gives now (invariant 5).
public struct DecisionReplay: Sendable, Hashable {
    /// The issued offer.
    public var issuedOfferId: LowercaseUUID
    /// The decision that allowed it.
    public var decisionId: LowercaseUUID
    /// The offer.
    public var offerId: OfferId
    /// The instant of the decision.
    public var decidedAt: Instant
    /// As it was recorded.
    public var recorded: ReplayedDecision
    /// As it comes out now.
    public var recomputed: ReplayedDecision
    /// What is not the same; empty if nothing differs.
    public var differences: [ReplayDifference]

    init(
        issuedOfferId: LowercaseUUID, decisionId: LowercaseUUID, offerId: OfferId, decidedAt: Instant,
        recorded: ReplayedDecision, recomputed: ReplayedDecision
    ) {
        self.issuedOfferId = issuedOfferId
        self.decisionId = decisionId
        self.offerId = offerId
        self.decidedAt = decidedAt
        self.recorded = recorded
        self.recomputed = recomputed
        differences = ReplayDifference.between(recorded.decision, recomputed.decision)
    }
}

/// A decision with the catalog it rests on.
public struct ReplayedDecision: Sendable, Hashable {
    /// The catalog.
    public var catalogRevision: Int
    /// The decision.
    public var decision: Decision
}
