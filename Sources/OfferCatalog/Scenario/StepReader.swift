import OfferModel

/// Reads one entry of `steps`: a mapping with one key, the verb.
enum StepReader {
    static func read(_ field: Field) -> ScenarioStep? {
        let verbs = ScenarioStep.Verb.allCases
        guard let mapping = field.mapping(verbs.map(\.rawValue)) else { return nil }
        let written = verbs.filter { mapping.has($0.rawValue) }
        guard written.count == 1, let verb = written.first else {
            let isMissing = written.isEmpty
            field.refuse(
                isMissing ? .missingKey : .contradiction,
                isMissing ? "the step has no verb" : "the step has several verbs",
                hint: "write one of " + verbs.map { "`\($0.rawValue)`" }.joined(separator: ", ") + " per step")
            return nil
        }
        guard let body = mapping.optional(verb.rawValue) else { return nil }
        switch verb {
        case .appTransaction: return appTransaction(body)
        case .trial: return trial(body)
        case .buy: return buy(body)
        case .renew: return renew(body)
        case .cancel: return cancel(body)
        case .expire: return expire(body)
        }
    }

    private static func appTransaction(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["at", "appVersion"]) else { return nil }
        let at = mapping.required("at")?.scenarioTime()
        let version = mapping.optional("appVersion")?.text(.label("a version"))
        return at.map { .appTransaction(ScenarioStep.AppTransaction(at: $0, appVersion: version ?? "1.0")) }
    }

    private static func trial(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "length", "period", "price"]) else { return nil }
        let product = mapping.required("product")?.text(.productId)
        let group = mapping.required("group")?.text(.groupId)
        let at = mapping.required("at")?.scenarioTime()
        let length = mapping.required("length")?.period()
        let period = mapping.optional("period")?.period()
        let price = mapping.optional("price")?.money()
        guard let product, let group, let at, let length else { return nil }
        return .trial(
            ScenarioStep.Trial(
                product: ProductId(product), group: SubscriptionGroupId(group), at: at, length: length, period: period,
                price: price))
    }

    private static func buy(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period", "price"]) else { return nil }
        let product = mapping.required("product")?.text(.productId)
        let group = mapping.required("group")?.text(.groupId)
        let at = mapping.required("at")?.scenarioTime()
        let period = mapping.required("period")?.period()
        let price = mapping.required("price")?.money()
        guard let product, let group, let at, let period, let price else { return nil }
        return .buy(
            ScenarioStep.Buy(
                product: ProductId(product), group: SubscriptionGroupId(group), at: at, period: period, price: price))
    }

    private static func renew(_ field: Field) -> ScenarioStep? {
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

    private static func cancel(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at"]) else { return nil }
        let group = group(mapping)
        return mapping.required("at")?.scenarioTime().map { .cancel(ScenarioStep.Cancel(group: group, at: $0)) }
    }

    private static func expire(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "reason"]) else { return nil }
        let reason = mapping.optional("reason")?.choice(ScenarioStep.Expire.Reason.self)
        return .expire(ScenarioStep.Expire(group: group(mapping), reason: reason ?? .customerCancelled))
    }

    private static func group(_ mapping: Mapping) -> SubscriptionGroupId? {
        mapping.optional("group")?.text(.groupId).map { SubscriptionGroupId($0) }
    }
}
