import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension ReplayBody {
    init(_ replay: DecisionReplay) {
        self.init(
            issuedOfferId: replay.issuedOfferId, decisionId: replay.decisionId, offerId: replay.offerId,
            decidedAt: replay.decidedAt, recorded: ReplayedDecisionBody(replay.recorded),
            recomputed: ReplayedDecisionBody(replay.recomputed),
            differences: replay.differences.map {
                ReplayDifferenceBody(
                    rule: $0.rule, path: $0.path, member: $0.member, recorded: $0.recorded, recomputed: $0.recomputed)
            })
    }
}

extension ReplayedDecisionBody {
    init(_ replayed: ReplayedDecision) {
        self.init(
            catalogRevision: replayed.catalogRevision, outcome: replayed.decision.outcome.rawValue,
            findings: replayed.decision.findings.map(FindingBody.init))
    }
}
