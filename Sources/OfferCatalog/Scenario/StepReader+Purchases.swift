import OfferModel

// How a subscription begins.
extension StepReader {
    static func trial(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "length", "period", "price"]) else { return nil }
        let product = product(mapping.required("product"))
        let group = mapping.required("group")?.text(.groupId)
        let at = mapping.required("at")?.scenarioTime()
        let length = mapping.required("length")?.period()
        let period = mapping.optional("period")?.period()
        let price = mapping.optional("price")?.money()
        guard let product, let group, let at, let length else { return nil }
        return .trial(
            ScenarioStep.Trial(
                product: product, group: SubscriptionGroupId(group), at: at, length: length, period: period,
                price: price))
    }

    static func buy(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period", "price"]) else { return nil }
        let product = product(mapping.required("product"))
        let group = mapping.required("group")?.text(.groupId)
        let at = mapping.required("at")?.scenarioTime()
        let period = mapping.required("period")?.period()
        let price = mapping.required("price")?.money()
        guard let product, let group, let at, let period, let price else { return nil }
        return .buy(
            ScenarioStep.Buy(
                product: product, group: SubscriptionGroupId(group), at: at, period: period, price: price))
    }

    static func resubscribe(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period", "price"]) else { return nil }
        let group = group(mapping)
        let product = product(mapping.optional("product"))
        let period = mapping.optional("period")?.period()
        let price = mapping.optional("price")?.money()
        return mapping.required("at")?.scenarioTime().map {
            .resubscribe(
                ScenarioStep.Resubscribe(group: group, at: $0, product: product, period: period, price: price))
        }
    }

    static func share(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period"]) else { return nil }
        let product = product(mapping.required("product"))
        let group = mapping.required("group")?.text(.groupId)
        let at = mapping.required("at")?.scenarioTime()
        let period = mapping.required("period")?.period()
        guard let product, let group, let at, let period else { return nil }
        return .share(
            ScenarioStep.Share(product: product, group: SubscriptionGroupId(group), at: at, period: period))
    }
}
