import OfferModel

/// Enough time has passed since this offer was last redeemed (docs/design.md#issued-offers-and-limits); a redemption is dated by its first evidence.
struct LimitCoolDownRule: Rule {
    let id = RuleId.limitCoolDown

    func finding(_ context: RuleContext) -> Finding {
        guard let length = context.offer.coolDown else { return notApplicable("the offer has no cool-down") }
        let latest = context.use.redemptions.max { $0.firstEvidence < $1.firstEvidence }
        let elsewhere = context.usesElsewhere(of: CountedOffers(.thisOffer, context))
        let isDoubtful = elsewhere.matter(in: length, at: context.now)
        if let latest {
            let ends = latest.firstEvidence.adding(length)
            let evidence = [
                Evidence(
                    field: "redemption", observed: .instant(latest.firstEvidence), provenance: latest.provenance,
                    transactionId: latest.namedTransaction),
                Evidence(field: "offer.coolDown", observed: .instant(context.now), required: .instant(ends)),
            ]
            guard context.now >= ends else {
                return violated(
                    .coolingDown,
                    "the offer was last redeemed on \(latest.firstEvidence.day) and rests for \(length.words), until "
                        + "\(ends)", evidence: evidence,
                    turningPoint: elsewhere.turningPoint(ends, in: length))
            }
            if !isDoubtful {
                return satisfied(
                    "the offer was last redeemed on \(latest.firstEvidence.day), \(length.words) ago or more",
                    evidence: evidence)
            }
        }
        if isDoubtful {
            var finding = undetermined(
                .groupMismatch,
                "whether the offer was redeemed in the last \(length.words) is not known: "
                    + ReasonCode.groupMismatch.explanation)
            finding.turningPoint = elsewhere.turningPoint(context.now, in: length)
            return finding
        }
        guard elsewhere.isEmpty else { return satisfied("the offer was not redeemed in the last \(length.words)") }
        return satisfied("the offer was never redeemed")
    }
}
