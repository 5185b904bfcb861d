import OfferModel

/// The customer's draw is below the rollout's percentage (docs/design.md#decisions).
struct RolloutPercentRule: Rule {
    let id = RuleId.rolloutPercent

    func finding(_ context: RuleContext) -> Finding {
        guard let rollout = context.offer.rollout else { return notApplicable("the offer is for all customers") }
        let share = FactValue.number(rollout.percent)
        let threshold = RolloutDraw.threshold(percent: rollout.percent)
        if threshold >= RolloutDraw.count { return satisfied("the rollout is for all customers") }
        let salt = rollout.salt ?? context.offer.id.rawValue
        let draw = context.rolloutKey.map { RolloutDraw.draw(salt: salt, key: $0) }
        let evidence = [
            Evidence(field: "rollout.draw", observed: draw.map(EvidenceValue.number), required: .number(threshold)),
            Evidence(field: "rollout.salt", observed: .text(salt)),
        ]
        if threshold <= 0 {
            return violated(
                .notInRollout, "the rollout is for nobody yet", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        guard let draw else {
            return undetermined(
                .rolloutKeyUnknown,
                "whether the customer is among the \(share) % of the rollout is not known: "
                    + ReasonCode.rolloutKeyUnknown.explanation, evidence: evidence)
        }
        guard draw < threshold else {
            return violated(
                .notInRollout, "the customer is not among the \(share) % of the rollout", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        return satisfied("the customer is among the \(share) % of the rollout", evidence: evidence)
    }
}
