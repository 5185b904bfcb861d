import OfferModel

/// Reads `subscriptionGroups`.
enum GroupsReader {
    /// The groups without an error, and every product named, so that one error in a group does not cause others.
    static func read(_ fields: [Field]) -> (groups: [SubscriptionGroup], named: Set<ProductId>) {
        var groupIds: Set<SubscriptionGroupId> = []
        var productIds: Set<ProductId> = []
        let groups: [SubscriptionGroup] = fields.compactMap { field in
            guard let mapping = field.mapping(["id", "products"]) else { return nil }
            let id = mapping.required("id").flatMap { field in
                unique(field, .groupId, "subscription group", &groupIds)
            }
            let products = mapping.required("products")?.list()?.compactMap { read($0, &productIds) }
            guard let id, let products else { return nil }
            return SubscriptionGroup(id: id, products: products)
        }
        return (groups, productIds)
    }

    private static func read(_ field: Field, _ seen: inout Set<ProductId>) -> Product? {
        guard let mapping = field.mapping(["productId", "level", "period", "price"]) else { return nil }
        let id = mapping.required("productId").flatMap { unique($0, .productId, "product", &seen) }
        let level = mapping.required("level")?.wholeNumber(1...1_000)
        let period = mapping.required("period")?.period(among: AppleTerms.productPeriods)
        let price = mapping.required("price")?.money()
        guard let id, let level, let period, let price else { return nil }
        return Product(productId: id, level: level, period: period, price: price)
    }

    private static func unique<Kind>(
        _ field: Field, _ form: TextForm, _ noun: String, _ seen: inout Set<Identifier<Kind>>
    ) -> Identifier<Kind>? {
        guard let id = field.text(form).map({ Identifier<Kind>($0) }) else { return nil }
        guard seen.insert(id).inserted else {
            field.refuse(.duplicateValue, "\(noun) \(quoted(id.rawValue)) is given twice")
            return nil
        }
        return id
    }
}
