import OfferModel

/// Reads the `billingPlans` of a product, and the one that an offer belongs to.
enum BillingPlanReader {
    /// - Returns: empty if the product lists none, `nil` if there is an error in the list.
    static func plans(_ mapping: Mapping, of product: Product) -> [BillingPlan]? {
        guard mapping.has("billingPlans") else { return [] }
        guard let items = mapping.optional("billingPlans")?.list() else { return nil }
        var seen: Set<BillingPlanType> = []
        let plans = items.compactMap { item -> BillingPlan? in
            guard let plan = plan(item, of: product) else { return nil }
            guard seen.insert(plan.type).inserted else {
                return item.refuse(.duplicateValue, "this billing plan is given twice", hint: "delete one")
            }
            return plan
        }
        return plans.count == items.count ? plans : nil
    }

    private static func plan(_ field: Field, of product: Product) -> BillingPlan? {
        guard let mapping = field.mapping(["type", "price", "commitmentPrice"]) else { return nil }
        let typeField = mapping.required("type")
        let type = typeField?.billingPlanType()
        let priceField = type == .monthly ? mapping.required("price") : mapping.optional("price")
        let price = priceField?.money()
        let totalField = mapping.optional("commitmentPrice")
        let total = totalField?.money()
        guard let type, priceField == nil || price != nil, totalField == nil || total != nil else { return nil }
        let stated = [(priceField, price), (totalField, total)].compactMap { field, money in
            field.flatMap { field in money.map { (field: field, money: $0) } }
        }
        for (field, money) in stated where money.currency != product.price.currency {
            return field.refuse(
                .currencyMismatch,
                "the price is in \(money.currency), but `\(product.productId)` is sold in \(product.price.currency)",
                hint: "nothing is converted: write the price in \(product.price.currency)")
        }
        guard type == .monthly else {
            for (field, money) in stated where money != product.price {
                return field.refuse(
                    .contradiction,
                    "the price of `\(product.productId)` is \(product.price), and it is what is billed up front",
                    hint: "leave this out, or correct the `price` of the product")
            }
            return BillingPlan(type: type, price: product.price, commitmentPrice: product.price)
        }
        guard product.period == BillingPlan.commitment else {
            return typeField?.refuse(
                .notAllowed,
                "the plan `monthly` is for one-year products, and the period of `\(product.productId)` is "
                    + "`\(product.period)`", hint: "leave it out: customers pay for each period anyway")
        }
        guard let price else { return nil }
        let payments = BillingPlan.commitmentPrice(of: price)
        if let total, let totalField, total != payments {
            totalField.warn(
                .unusualTerms, "\(BillingPlan.commitment.months) payments of \(price) are \(payments), not \(total)",
                hint: "copy both prices from App Store Connect, or leave `commitmentPrice` out")
        }
        return BillingPlan(type: type, price: price, commitmentPrice: total ?? payments)
    }

    /// The plan that an offer belongs to (Apple: offers of every type are specific to a plan).
    ///
    /// Without `billingPlan` it is the one that is billed up front, else the only one that its products share.
    static func plan(_ mapping: Mapping, _ products: [ProductId]?, _ context: CatalogContext) -> BillingPlanType? {
        let products = (products ?? []).compactMap { context.subscriptions[$0]?.product }
        guard mapping.has("billingPlan") else {
            guard products.contains(where: { !$0.billingPlans.isEmpty }) else { return nil }
            let shared = BillingPlanType.names.first { plan in products.allSatisfy { $0.has(plan.value) } }
            if shared == nil {
                mapping.key("products")?.refuse(
                    .notAllowed, "the products have no billing plan in common",
                    hint: "make one offer per plan: an offer belongs to one")
            }
            return shared?.value
        }
        guard let field = mapping.optional("billingPlan"), let plan = field.billingPlanType() else { return nil }
        guard let lacking = products.first(where: { !$0.has(plan) }) else { return plan }
        return field.refuse(
            .notAllowed, "`\(lacking.productId)` does not have the billing plan `\(plan.name ?? plan.rawValue)`",
            hint: "add it to the `billingPlans` of the product, as in App Store Connect")
    }
}

extension Field {
    fileprivate func billingPlanType() -> BillingPlanType? {
        word(among: BillingPlanType.names.map(\.key)).flatMap { word in
            BillingPlanType.names.first { $0.key == word }?.value
        }
    }
}
