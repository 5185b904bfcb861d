import OfferModel

/// The customer is not one of those who never get the offer, so that its effect can be measured (docs/design.md#decisions).
///
/// The draw has a salt of its own: being held out says nothing about being in the rollout.
struct RolloutHoldoutRule: Rule {
    let id = RuleId.rolloutHoldout

    func finding(_ context: RuleContext) -> Finding {
        guard let rollout = context.offer.rollout, rollout.holdout > 0 else {
            return notApplicable("the offer holds nobody out")
        }
        let share = FactValue.number(rollout.holdout)
        let threshold = RolloutDraw.threshold(percent: rollout.holdout)
        let salt = context.question.compiledOffer.holdoutSalt
        let draw = context.rolloutKey.map { RolloutDraw.draw(salt: salt, key: $0) }
        let evidence = [
            Evidence(field: "holdout.draw", observed: draw.map(EvidenceValue.number), required: .number(threshold)),
            Evidence(field: "holdout.salt", observed: .text(salt)),
        ]
        if threshold >= RolloutDraw.count {
            return violated(
                .heldOut, "the offer holds everybody out", evidence: evidence, turningPoint: .event(.catalogChanged))
        }
        guard let draw else {
            return undetermined(
                .rolloutKeyUnknown,
                "whether the customer is among the \(share) % held out is not known: "
                    + ReasonCode.rolloutKeyUnknown.explanation, evidence: evidence)
        }
        guard draw >= threshold else {
            return violated(
                .heldOut, "the customer is among the \(share) % held out for comparison", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        return satisfied("the customer is not among the \(share) % held out", evidence: evidence)
    }
}
