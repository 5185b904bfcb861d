import OfferModel

// How a subscription goes on, changes and ends.
extension StepReader {
    static func renew(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "period", "price", "times"]) else { return nil }
        let times = mapping.optional("times")?.wholeNumber(1...500) ?? 1
        if times > 1 {
            mapping.refuse(
                key: "at", .contradiction, "several renewals cannot all be at one time",
                hint: "leave out `at`, or write one `renew` each")
        }
        return .renew(
            ScenarioStep.Renew(
                group: group(mapping), at: mapping.optional("at")?.scenarioTime(),
                period: mapping.optional("period")?.period(), price: mapping.optional("price")?.money(), times: times))
    }

    static func failToRenew(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "grace"]) else { return nil }
        return .failToRenew(
            ScenarioStep.FailToRenew(
                group: group(mapping), at: mapping.optional("at")?.scenarioTime(),
                grace: mapping.optional("grace")?.period()))
    }

    static func expire(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "reason"]) else { return nil }
        return .expire(
            ScenarioStep.Expire(
                group: group(mapping), at: mapping.optional("at")?.scenarioTime(),
                reason: mapping.optional("reason")?.choice(ScenarioStep.Expire.Reason.self)))
    }

    static func planChange(_ field: Field) -> ScenarioStep.PlanChange? {
        guard let mapping = field.mapping(["group", "at", "product", "period", "price"]) else { return nil }
        let group = group(mapping)
        let at = mapping.required("at")?.scenarioTime()
        let product = product(mapping.required("product"))
        let period = mapping.required("period")?.period()
        let price = mapping.required("price")?.money()
        guard let at, let product, let period, let price else { return nil }
        return ScenarioStep.PlanChange(group: group, at: at, product: product, period: period, price: price)
    }

    static func raisePrice(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "price", "needsConsent"]) else { return nil }
        let group = group(mapping)
        let at = mapping.required("at")?.scenarioTime()
        let price = mapping.required("price")?.money()
        let needsConsent = mapping.optional("needsConsent")?.boolean() ?? true
        guard let at, let price else { return nil }
        return .raisePrice(
            ScenarioStep.RaisePrice(group: group, at: at, price: price, needsConsent: needsConsent))
    }

    static func refund(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "transaction", "percent", "reason"]) else { return nil }
        let group = group(mapping)
        let transaction = mapping.optional("transaction")?.wholeNumber(1...999)
        let percent = mapping.optional("percent")?.wholeNumber(1...100)
        let reason = mapping.optional("reason")?.choice(ScenarioStep.Refund.Reason.self)
        return mapping.required("at")?.scenarioTime().map {
            .refund(
                ScenarioStep.Refund(
                    group: group, at: $0, transaction: transaction, percent: percent ?? 100, reason: reason ?? .other))
        }
    }

    static func reverseRefund(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "transaction"]) else { return nil }
        let group = group(mapping)
        let transaction = mapping.optional("transaction")?.wholeNumber(1...999)
        return mapping.required("at")?.scenarioTime().map {
            .reverseRefund(ScenarioStep.ReverseRefund(group: group, at: $0, transaction: transaction))
        }
    }
}
