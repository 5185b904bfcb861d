import OfferModel

/// Warns of win-back offers for customers who need none, because they have bought the app's product for life.
enum LifetimeOwnerCheck {
    /// - Parameter field: where the condition is, or the offer without one.
    static func run(_ offer: Offer, at field: Field, _ context: inout CatalogContext) {
        guard offer.type == .winBack, offer.status == .active else { return }
        let condition = offer.eligibility.map { [Constraint($0)] } ?? []
        var reached: [ProductId] = []
        for product in context.catalog.otherProducts where product.type == .nonConsumable {
            let owner = Constraint.literal(fact(product.productId), is: .boolean(true))
            if context.lifetimeOwners.canHold(condition + [owner]), context.lifetimeOwners.hasBudget {
                reached.append(product.productId)
            }
        }
        guard let first = reached.first else { return }
        let names = reached.prefix(3).map { quoted($0.rawValue) }.joined(separator: " or ")
        field.warn(
            .lifetimeOwner,
            "a customer who owns \(names)\(reached.count > 3 ? " or another product" : "") could get the win-back offer "
                + quoted(offer.id.rawValue),
            hint: "add `{ fact: \(fact(first)), is: false }` to its `eligibility`")
    }

    private static func fact(_ product: ProductId) -> String { FactVocabulary.ownsPrefix + product.rawValue }
}
