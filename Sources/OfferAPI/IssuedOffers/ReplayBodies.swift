package import OfferModel

/// `POST /v1/issued-offers/{id}/replay`.
package struct ReplayRequestBody: Sendable, Hashable, Codable {
    /// The catalog to decide by; the one of the decision if absent.
    package var catalogRevision: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case catalogRevision
    }

    package init(catalogRevision: Int? = nil) {
        self.catalogRevision = catalogRevision
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        catalogRevision = try container.decodeNumber(Int.self, forKey: .catalogRevision)
    }
}

/// The answer to a replay: a recorded decision beside what the same question gives now.
package struct DecisionReplay: Sendable, Hashable, Codable {
    package var issuedOfferId: LowercaseUUID
    package var decisionId: LowercaseUUID
    package var offerId: OfferId
    /// The instant of the decision, in ms.
    package var decidedAt: Instant
    package var recorded: ReplayedDecision
    package var recomputed: ReplayedDecision
    /// What is not the same; empty if nothing differs.
    package var differences: [ReplayDifference]

    package init(
        issuedOfferId: LowercaseUUID, decisionId: LowercaseUUID, offerId: OfferId, decidedAt: Instant,
        recorded: ReplayedDecision, recomputed: ReplayedDecision, differences: [ReplayDifference]
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
package struct ReplayedDecision: Sendable, Hashable, Codable {
    package var catalogRevision: Int
    /// `eligible`, `ineligible` or `undetermined`.
    package var outcome: String
    package var findings: [FindingBody]

    package init(catalogRevision: Int, outcome: String, findings: [FindingBody]) {
        self.catalogRevision = catalogRevision
        self.outcome = outcome
        self.findings = findings
    }
}

/// One thing that the recomputed decision says otherwise.
package struct ReplayDifference: Sendable, Hashable, Codable {
    /// The rule whose finding differs; absent for the outcome.
    package var rule: String?
    /// Where in the offer's own condition.
    package var path: String?
    /// `outcome`, `finding`, `verdict`, `reason`, `message`, `evidence` or `turningPoint`.
    package var member: String
    /// As it was recorded, in words; absent if there was none.
    package var recorded: String?
    /// As it comes out now, in words; absent if there is none.
    package var recomputed: String?

    package init(
        rule: String? = nil, path: String? = nil, member: String, recorded: String?, recomputed: String?
    ) {
        self.rule = rule
        self.path = path
        self.member = member
        self.recorded = recorded
        self.recomputed = recomputed
    }
}
