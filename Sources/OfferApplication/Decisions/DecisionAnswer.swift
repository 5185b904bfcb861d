package import OfferAPI
package import OfferModel

extension DecisionsBody {
    /// - Parameter locale: the customer's language.
    package init(_ answer: InquiryAnswer, role: Role, locale: String?) {
        self.init()
        decisions = answer.decisions.map {
            DecisionBody($0, role: role, appSignals: answer.appSignals, locale: locale)
        }
        best = answer.choice?.offerId
        bestReason = role.isStaff ? answer.choice?.sentence : nil
        dataAsOf = answer.dataAsOf
        ignored = answer.ignored
        known = answer.isKnown
    }
}

extension DecisionBody {
    init(_ decided: OfferDecision, role: Role, appSignals: [String], locale: String?) {
        self.init()
        offerId = decided.offer.id
        offerType = decided.offer.type
        offerIdentifier = decided.offer.offerIdentifier
        outcome = decided.decision.outcome.rawValue
        delivery = decided.offer.delivery
        priority = decided.offer.priority
        billingPlan = decided.offer.billingPlan?.name
        paymentMode = decided.offer.paymentMode
        period = decided.offer.period
        periodCount = decided.offer.periodCount
        turningPoint = decided.outlook.turningPoint.map(TurningPointBody.init)
        findings = decided.decision.findings.bodies(for: role, appSignals: appSignals)
        let words = Explanation(decided.decision, outlook: decided.outlook)
        explanation = ExplanationBody { body in
            (body.sentence, body.change) = role.isStaff ? (words.sentence, words.change) : (nil, nil)
            body.customerAnswer = words.customerAnswer(in: locale)
        }
    }
}

extension [Finding] {
    /// The findings as a role may see them: `client` and `app` keys only what blocks the offer, without the customer's data
    /// (docs/design.md#roles), and the names of what they have to send.
    package func bodies(for role: Role, appSignals: [String]) -> [FindingBody] {
        guard !role.isStaff else { return map(FindingBody.init) }
        // By index: a finding has many members, and most are left out.
        return indices.filter { self[$0].verdict.isInTheWay }.map { index in
            FindingBody { body in
                body.rule = self[index].rule.rawValue
                body.verdict = self[index].verdict.rawValue
                body.reason = self[index].reason.rawValue
                body.turningPoint = self[index].turningPoint.map(TurningPointBody.init)
                let missing = MissingFacts([self[index]], for: role, appSignals: appSignals).named
                body.missing = missing.isEmpty ? nil : missing
            }
        }
    }
}

extension FindingBody {
    package init(_ finding: Finding) {
        self.init()
        rule = finding.rule.rawValue
        verdict = finding.verdict.rawValue
        reason = finding.reason.rawValue
        path = finding.path
        message = finding.message
        evidence = finding.evidence.map(EvidenceBody.init)
        turningPoint = finding.turningPoint.map(TurningPointBody.init)
        children = finding.children?.map(FindingBody.init)
    }
}

extension EvidenceBody {
    fileprivate init(_ evidence: Evidence) {
        self.init()
        field = evidence.field
        observed = evidence.observed
        required = evidence.required
        provenance = evidence.provenance
        transactionId = evidence.transactionId
    }
}
