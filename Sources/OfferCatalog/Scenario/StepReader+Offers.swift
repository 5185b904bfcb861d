import OfferModel

// The redemption of an offer, spelled as the catalog spells offers.
extension StepReader {
    static func redeem(_ field: Field) -> ScenarioStep? {
        let keys = [
            "type", "offerIdentifier", "group", "product", "at", "paymentMode", "period", "periodCount", "price",
            "change", "regular",
        ]
        guard let mapping = field.mapping(keys) else { return nil }
        let type = mapping.required("type")?.choice(ScenarioStep.Redeem.OfferKind.self)
        let identifier = offerIdentifier(mapping, type)
        let group = group(mapping)
        let product = product(mapping.optional("product"))
        let at = mapping.required("at")?.scenarioTime()
        let mode = mapping.required("paymentMode")?.choice(PaymentMode.self)
        let period = mapping.required("period")?.period()
        let count = mapping.optional("periodCount")?.wholeNumber(1...12) ?? 1
        let price = price(mapping, mode)
        let change = mapping.optional("change")?.choice(ScenarioStep.Redeem.Change.self)
        if change != nil, product == nil {
            mapping.refuse(
                key: "change", .contradiction, "a change needs the product that is changed to", hint: "add `product`")
        }
        let regular = mapping.optional("regular").flatMap(regular)
        guard let type, let at, let mode, let period else { return nil }
        return .redeem(
            ScenarioStep.Redeem(
                type: type, offerIdentifier: identifier, group: group, product: product, at: at, paymentMode: mode,
                period: period, periodCount: count, price: price, change: change, regular: regular))
    }

    private static func offerIdentifier(
        _ mapping: Mapping, _ type: ScenarioStep.Redeem.OfferKind?
    ) -> OfferIdentifier? {
        guard let type else { return nil }
        guard type != .introductory else {
            mapping.refuse(
                key: "offerIdentifier", .notAllowed, "an introductory offer has no identifier",
                hint: "leave `offerIdentifier` out")
            return nil
        }
        return mapping.required("offerIdentifier")?.text(.promotionalOfferIdentifier).map { OfferIdentifier($0) }
    }

    private static func price(_ mapping: Mapping, _ mode: PaymentMode?) -> Money? {
        guard let mode else { return nil }
        guard mode != .freeTrial else {
            mapping.refuse(key: "price", .notAllowed, "a free trial has no price", hint: "leave `price` out")
            return nil
        }
        return mapping.required("price")?.money()
    }

    private static func regular(_ field: Field) -> ScenarioStep.Redeem.RegularTerms? {
        guard let mapping = field.mapping(["period", "price"]) else { return nil }
        let period = mapping.required("period")?.period()
        let price = mapping.required("price")?.money()
        guard let period, let price else { return nil }
        return ScenarioStep.Redeem.RegularTerms(period: period, price: price)
    }
}
