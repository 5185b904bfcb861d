import OfferModel

/// Neither the offer nor every offer is paused.
struct CatalogPausedRule: Rule {
    let id = RuleId.catalogPaused

    func finding(_ context: RuleContext) -> Finding {
        let evidence = [
            Evidence(
                field: "offer.pause", observed: .text(context.question.pause.rawValue),
                required: .text(Pause.none.rawValue))
        ]
        switch context.question.pause {
        case .none:
            return satisfied("the offer is not paused", evidence: evidence)
        case .offer:
            return violated(
                .offerPaused, "the offer is paused", evidence: evidence, turningPoint: .event(.offerResumed))
        case .everyOffer:
            return violated(
                .everyOfferPaused, "every offer is paused", evidence: evidence, turningPoint: .event(.offerResumed))
        }
    }
}
