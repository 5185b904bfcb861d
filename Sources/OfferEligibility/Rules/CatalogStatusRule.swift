import OfferModel

/// The offer is active.
struct CatalogStatusRule: Rule {
    let id = RuleId.catalogStatus

    func finding(_ context: RuleContext) -> Finding {
        let offer = context.offer
        let evidence = [
            Evidence(
                field: "offer.status", observed: .text(offer.status.rawValue),
                required: .text(OfferStatus.active.rawValue))
        ]
        switch offer.status {
        case .draft:
            return violated(
                .offerDraft, "the offer `\(offer.id)` is a draft", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        case .archived:
            return violated(
                .offerArchived, "the offer `\(offer.id)` is archived", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        case .active:
            return satisfied("the offer `\(offer.id)` is active", evidence: evidence)
        }
    }
}
