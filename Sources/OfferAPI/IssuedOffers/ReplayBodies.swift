package import OfferModel

/// `POST /v1/issued-offers/{id}/replay`.
package struct ReplayRequestBody: WireRequest {
    /// The catalog to decide by; the one of the decision if absent.
    package var catalogRevision: Int?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("catalogRevision", &catalogRevision)
    }
}

/// The answer to a replay: a recorded decision beside what the same question gives now.
package struct DecisionReplay: WireObject {
    package var issuedOfferId: LowercaseUUID = .blank
    package var decisionId: LowercaseUUID = .blank
    package var offerId: OfferId = ""
    /// The instant of the decision, in ms.
    package var decidedAt: Instant = .blank
    package var recorded = ReplayedDecision()
    package var recomputed = ReplayedDecision()
    /// What is not the same; empty if nothing differs.
    package var differences: [ReplayDifference] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("decidedAt", &decidedAt)
        members.required("decisionId", &decisionId)
        members.required("differences", &differences)
        members.required("issuedOfferId", &issuedOfferId)
        members.required("offerId", &offerId)
        members.required("recomputed", &recomputed)
        members.required("recorded", &recorded)
    }
}

/// A decision with the catalog it rests on.
package struct ReplayedDecision: WireObject {
    package var catalogRevision = 0
    /// `eligible`, `ineligible` or `undetermined`.
    package var outcome = ""
    package var findings: [FindingBody] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("catalogRevision", &catalogRevision)
        members.required("findings", &findings)
        members.required("outcome", &outcome)
    }
}

/// One thing that the recomputed decision says otherwise.
package struct ReplayDifference: WireObject {
    /// The rule whose finding differs; absent for the outcome.
    package var rule: String?
    /// Where in the offer's own condition.
    package var path: String?
    /// `outcome`, `finding`, `verdict`, `reason`, `message`, `evidence` or `turningPoint`.
    package var member = ""
    /// As it was recorded, in words; absent if there was none.
    package var recorded: String?
    /// As it comes out now, in words; absent if there is none.
    package var recomputed: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("member", &member)
        members.optional("path", &path)
        members.optional("recomputed", &recomputed)
        members.optional("recorded", &recorded)
        members.optional("rule", &rule)
    }

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
