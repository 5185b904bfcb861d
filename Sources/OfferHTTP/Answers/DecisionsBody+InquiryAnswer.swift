import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension DecisionsBody {
    init(_ answer: InquiryAnswer, role: Role) {
        self.init(
            decisions: answer.decisions.map {
                DecisionBody(
                    offerId: $0.offer.id, outcome: $0.decision.outcome.rawValue, delivery: $0.offer.delivery,
                    priority: $0.offer.priority, findings: $0.decision.findings.bodies(for: role))
            },
            best: answer.best)
    }
}
