import OfferModel

/// The offer is active, and says nothing that this version would have to ignore.
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
            let unsupported = offer.termsNotEvaluated
            guard unsupported.isEmpty else {
                return undetermined(
                    .notSupportedYet,
                    "the offer `\(offer.id)` uses what this version does not evaluate: "
                        + unsupported.joined(separator: ", "),
                    evidence: unsupported.map { Evidence(field: "offer." + $0) })
            }
            return satisfied("the offer `\(offer.id)` is active", evidence: evidence)
        }
    }
}

extension Offer {
    /// What the offer asks for and no rule looks at; the catalog's reader refuses it, and if it came here all the same,
    /// nothing is signed (invariant 3).
    fileprivate var termsNotEvaluated: [String] {
        var terms: [String] = []
        if limits.contains(where: { !$0.isEvaluated }) { terms.append("limits") }
        return terms
    }
}

extension Limit {
    fileprivate var isEvaluated: Bool {
        guard case .perCustomer = self else { return false }
        return true
    }
}
