import OfferModel

/// Reads one entry of `steps`: a mapping with one key, the verb.
enum StepReader {
    static func read(_ field: Field) -> ScenarioStep? {
        let verbs = ScenarioStep.Verb.allCases
        guard let mapping = field.mapping(verbs.map(\.rawValue)) else { return nil }
        let written = verbs.filter { mapping.has($0.rawValue) }
        guard written.count == 1, let verb = written.first else {
            let isMissing = written.isEmpty
            return field.refuse(
                isMissing ? .missingKey : .contradiction,
                isMissing ? "the step has no verb" : "the step has several verbs",
                hint: "write one of " + verbs.map { "`\($0.rawValue)`" }.joined(separator: ", ") + " per step")
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
