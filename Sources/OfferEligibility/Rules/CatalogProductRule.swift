import OfferModel

/// The product is one of the offer's, and the catalog knows its group.
struct CatalogProductRule: Rule {
    let id = RuleId.catalogProduct

    func finding(_ context: RuleContext) -> Finding {
        let product = context.question.productId
        let evidence = [
            Evidence(
                field: "offer.products", observed: .text(product.rawValue),
                required: context.question.compiledOffer.products)
        ]
        guard context.offer.products.contains(product) else {
            return violated(
                .productExcluded, "the offer does not discount the product `\(product)`", evidence: evidence,
                turningPoint: .event(.catalogChanged))
        }
        guard context.question.subscriptionGroupIdentifier != nil else {
            return undetermined(
                .groupUnknown, "the catalog does not say which group the product `\(product)` is in",
                evidence: evidence)
        }
        return satisfied("the offer discounts the product `\(product)`", evidence: evidence)
    }
}
