import OfferModel

/// The time is not over for which the offer stays open to the customer once its condition held (docs/design.md#decisions).
struct AvailableForRule: Rule {
    let id = RuleId.ruleAvailableFor

    func finding(_ context: RuleContext) -> Finding {
        guard let length = context.offer.availableFor else { return notApplicable("the offer stays open for ever") }
        guard let opening = context.opening else {
            return satisfied("the first request that finds the condition held opens the offer for \(length.words)")
        }
        let evidence = [
            Evidence(field: "openedAt", observed: .instant(opening.opened)),
            Evidence(field: "offer.availableFor", observed: .instant(context.now), required: .instant(opening.closes)),
        ]
        guard context.now < opening.closes else {
            return violated(
                .availabilityEnded,
                "the offer was open to the customer from \(opening.opened) for \(length.words), until "
                    + "\(opening.closes)", evidence: evidence)
        }
        return satisfied(
            "the offer is open to the customer from \(opening.opened) for \(length.words), until \(opening.closes)",
            evidence: evidence, until: opening.closes)
    }
}
