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
        return read(verb, body)
    }

    private static func read(_ verb: ScenarioStep.Verb, _ body: Field) -> ScenarioStep? {
        switch verb {
        case .appTransaction: appTransaction(body)
        case .trial: trial(body)
        case .buy: buy(body)
        case .resubscribe: resubscribe(body)
        case .redeem: redeem(body)
        case .renew: renew(body)
        case .failToRenew: failToRenew(body)
        case .recover: atSubscription(body).map { .recover($0) }
        case .cancel: atSubscription(body).map { .cancel($0) }
        case .enableRenewal: atSubscription(body).map { .enableRenewal($0) }
        case .expire: expire(body)
        case .upgrade: planChange(body).map { .upgrade($0) }
        case .downgrade: planChange(body).map { .downgrade($0) }
        case .crossgrade: planChange(body).map { .crossgrade($0) }
        case .keepProduct: atSubscription(body).map { .keepProduct($0) }
        case .raisePrice: raisePrice(body)
        case .acceptPrice: atSubscription(body).map { .acceptPrice($0) }
        case .refund: refund(body)
        case .reverseRefund: reverseRefund(body)
        case .share: share(body)
        case .revoke: atSubscription(body).map { .revoke($0) }
        case .test: test(body)
        }
    }

    private static func appTransaction(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["at", "appVersion"]) else { return nil }
        let at = mapping.required("at")?.scenarioTime()
        let version = mapping.optional("appVersion")?.text(.label("a version"))
        return at.map { .appTransaction(ScenarioStep.AppTransaction(at: $0, appVersion: version ?? "1.0")) }
    }

    private static func test(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["at"]) else { return nil }
        return mapping.required("at")?.scenarioTime().map { .test(ScenarioStep.Test(at: $0)) }
    }

    /// `{ at, group? }`, which many verbs have.
    private static func atSubscription(_ field: Field) -> ScenarioStep.AtSubscription? {
        guard let mapping = field.mapping(["group", "at"]) else { return nil }
        let group = group(mapping)
        return mapping.required("at")?.scenarioTime().map { ScenarioStep.AtSubscription(group: group, at: $0) }
    }

    static func group(_ mapping: Mapping) -> SubscriptionGroupId? {
        mapping.optional("group")?.text(.groupId).map { SubscriptionGroupId($0) }
    }

    static func product(_ field: Field?) -> ProductId? {
        field?.text(.productId).map { ProductId($0) }
    }
}
