public import OfferModel

/// The answer to a replay: a recorded decision beside what the same question gives now.
public struct ReplayBody: Sendable, Hashable, Codable {
    /// The issued offer.
    public var issuedOfferId: LowercaseUUID
    /// The decision that allowed it.
    public var decisionId: LowercaseUUID
    /// The offer.
    public var offerId: OfferId
    /// The instant of the decision, in ms.
    public var decidedAt: Instant
    /// As it was recorded.
    public var recorded: ReplayedDecisionBody
    /// As it comes out now.
    public var recomputed: ReplayedDecisionBody
    /// What is not the same; empty if nothing differs.
    public var differences: [ReplayDifferenceBody]

    /// An answer by its parts.
    public init(
        issuedOfferId: LowercaseUUID, decisionId: LowercaseUUID, offerId: OfferId, decidedAt: Instant,
        recorded: ReplayedDecisionBody, recomputed: ReplayedDecisionBody, differences: [ReplayDifferenceBody]
    ) {
        self.issuedOfferId = issuedOfferId
        self.decisionId = decisionId
        self.offerId = offerId
        self.decidedAt = decidedAt
        self.recorded = recorded
        self.recomputed = recomputed
        self.differences = differences
    }
}

/// A decision with the catalog it rests on.
public struct ReplayedDecisionBody: Sendable, Hashable, Codable {
    /// The catalog.
    public var catalogRevision: Int
    /// `eligible`, `ineligible` or `undetermined`.
    public var outcome: String
    /// What every rule found.
    public var findings: [FindingBody]

    /// A decision by its parts.
    public init(catalogRevision: Int, outcome: String, findings: [FindingBody]) {
        self.catalogRevision = catalogRevision
        self.outcome = outcome
        self.findings = findings
    }
}

/// One thing that the recomputed decision says otherwise.
public struct ReplayDifferenceBody: Sendable, Hashable, Codable {
    /// The rule whose finding differs; absent for the outcome.
    public var rule: String?
    /// Where in the offer's own condition.
    public var path: String?
    /// `outcome`, `finding`, `verdict`, `reason`, `message`, `evidence` or `turningPoint`.
    public var member: String
    /// As it was recorded, in words; absent if there was none.
    public var recorded: String?
    /// As it comes out now, in words; absent if there is none.
    public var recomputed: String?

    /// A difference by its parts.
    public init(rule: String?, path: String?, member: String, recorded: String?, recomputed: String?) {
        self.rule = rule
        self.path = path
        self.member = member
        self.recorded = recorded
        self.recomputed = recomputed
    }
}
