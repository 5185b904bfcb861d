import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension DecisionsBody {
    init(_ answer: InquiryAnswer, role: Role) {
        self.init(
            decisions: answer.decisions.map { DecisionBody($0, role: role) }, best: answer.choice?.offerId,
            bestReason: role == .client ? nil : answer.choice?.sentence)
    }
}

extension DecisionBody {
    fileprivate init(_ decided: OfferDecision, role: Role) {
        self.init(
            offerId: decided.offer.id, outcome: decided.decision.outcome.rawValue, delivery: decided.offer.delivery,
            priority: decided.offer.priority,
            turningPoint: decided.outlook.turningPoint.map(TurningPointBody.init),
            explanation: role == .client
                ? nil : ExplanationBody(Explanation(decided.decision, outlook: decided.outlook)),
            findings: decided.decision.findings.bodies(for: role))
    }
}

extension ExplanationBody {
    fileprivate init(_ explanation: Explanation) {
        self.init(
            sentence: explanation.sentence, change: explanation.change, customerAnswer: explanation.customerAnswer)
    }
}
