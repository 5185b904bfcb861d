import OfferModel

/// The offer is active.
struct CatalogStatusRule: Rule {
    let id = RuleId.catalogStatus

    func finding(_ context: RuleContext) -> Finding {
        let (id, status) = (context.offer.id, context.offer.status)
        let evidence = context.question.compiledOffer.status
        switch status {
        case .draft:
            return violated(
                .offerDraft, "the offer `\(id)` is a draft", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        case .archived:
            return violated(
                .offerArchived, "the offer `\(id)` is archived", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        case .active:
            return satisfied("the offer `\(id)` is active", evidence: evidence)
        }
    }
}
