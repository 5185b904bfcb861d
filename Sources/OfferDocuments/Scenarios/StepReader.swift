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
        case .failToRenew:
            body.mapping(["group", "at", "grace"]).map {
                .failToRenew(group: $0.group, at: $0.at, grace: $0.optional("grace")?.period())
            }
        case .recover: atSubscription(body, ScenarioStep.recover)
        case .cancel: atSubscription(body, ScenarioStep.cancel)
        case .enableRenewal: atSubscription(body, ScenarioStep.enableRenewal)
        case .expire:
            body.mapping(["group", "at", "reason"]).map {
                .expire(group: $0.group, at: $0.at, reason: $0.optional("reason")?.choice(ExpirationReason.self))
            }
        case .upgrade: planChange(body).map { .upgrade($0) }
        case .downgrade: planChange(body).map { .downgrade($0) }
        case .crossgrade: planChange(body).map { .crossgrade($0) }
        case .keepProduct: atSubscription(body, ScenarioStep.keepProduct)
        case .raisePrice: raisePrice(body)
        case .acceptPrice: atSubscription(body, ScenarioStep.acceptPrice)
        case .refund: refund(body)
        case .reverseRefund: reverseRefund(body)
        case .share: share(body)
        case .revoke: atSubscription(body, ScenarioStep.revoke)
        case .test: body.mapping(["at"])?.requiredAt.map { .test(at: $0) }
        }
    }

    /// `{ at, group? }`, which many verbs have.
    private static func atSubscription(
        _ field: Field, _ step: (SubscriptionGroupId?, ScenarioTime) -> ScenarioStep
    ) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at"]) else { return nil }
        let group = mapping.group
        return mapping.requiredAt.map { step(group, $0) }
    }

    private static func planChange(_ field: Field) -> ScenarioStep.PlanChange? {
        guard let mapping = field.mapping(["group", "at", "product", "period", "price"]) else { return nil }
        let (group, at, product) = (mapping.group, mapping.requiredAt, mapping.requiredProduct)
        let (period, price) = (mapping.requiredPeriod, mapping.requiredPrice)
        guard let at, let product, let period, let price else { return nil }
        return ScenarioStep.PlanChange(group: group, at: at, product: product, period: period, price: price)
    }
}

/// The members that several verbs have.
extension Mapping {
    fileprivate var group: SubscriptionGroupId? { optional("group")?.id(.groupId) }
    fileprivate var requiredGroup: SubscriptionGroupId? { required("group")?.id(.groupId) }
    fileprivate var product: ProductId? { optional("product")?.id(.productId) }
    fileprivate var requiredProduct: ProductId? { required("product")?.id(.productId) }
    fileprivate var at: ScenarioTime? { optional("at")?.scenarioTime() }
    fileprivate var requiredAt: ScenarioTime? { required("at")?.scenarioTime() }
    fileprivate var period: Period? { optional("period")?.period() }
    fileprivate var requiredPeriod: Period? { required("period")?.period() }
    fileprivate var price: Money? { optional("price")?.money() }
    fileprivate var requiredPrice: Money? { required("price")?.money() }
    fileprivate var transaction: Int? { optional("transaction")?.wholeNumber(1...999) }
}

// The verbs, each with its members.
extension StepReader {
    private static func appTransaction(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["at", "appVersion"]) else { return nil }
        let version = mapping.optional("appVersion")?.text(.label("a version"))
        return mapping.requiredAt.map { .appTransaction(at: $0, appVersion: version ?? "1.0") }
    }

    private static func trial(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "length", "period", "price"]) else { return nil }
        let (product, group, at) = (mapping.requiredProduct, mapping.requiredGroup, mapping.requiredAt)
        let length = mapping.required("length")?.period()
        let (period, price) = (mapping.period, mapping.price)
        guard let product, let group, let at, let length else { return nil }
        return .trial(product: product, group: group, at: at, length: length, period: period, price: price)
    }

    private static func buy(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period", "price"]) else { return nil }
        let (product, group, at) = (mapping.requiredProduct, mapping.requiredGroup, mapping.requiredAt)
        let (period, price) = (mapping.requiredPeriod, mapping.requiredPrice)
        guard let product, let group, let at, let period, let price else { return nil }
        return .buy(product: product, group: group, at: at, period: period, price: price)
    }

    private static func resubscribe(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period", "price"]) else { return nil }
        let (group, product, period, price) = (mapping.group, mapping.product, mapping.period, mapping.price)
        return mapping.requiredAt.map {
            .resubscribe(group: group, at: $0, product: product, period: period, price: price)
        }
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
            group: mapping.group, at: mapping.at, period: mapping.period, price: mapping.price, times: times)
    }

    private static func raisePrice(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "price", "needsConsent"]) else { return nil }
        let (group, at, price) = (mapping.group, mapping.requiredAt, mapping.requiredPrice)
        let needsConsent = mapping.optional("needsConsent")?.boolean() ?? true
        guard let at, let price else { return nil }
        return .raisePrice(group: group, at: at, price: price, needsConsent: needsConsent)
    }

    private static func refund(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "transaction", "percent", "reason"]) else { return nil }
        let (group, transaction) = (mapping.group, mapping.transaction)
        let percent = mapping.optional("percent")?.wholeNumber(1...100) ?? 100
        let reason = mapping.optional("reason")?.choice(ScenarioStep.RefundReason.self) ?? .other
        return mapping.requiredAt.map {
            .refund(group: group, at: $0, transaction: transaction, percent: percent, reason: reason)
        }
    }

    private static func reverseRefund(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "transaction"]) else { return nil }
        let (group, transaction) = (mapping.group, mapping.transaction)
        return mapping.requiredAt.map { .reverseRefund(group: group, at: $0, transaction: transaction) }
    }

    private static func share(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["product", "group", "at", "period"]) else { return nil }
        let (product, group) = (mapping.requiredProduct, mapping.requiredGroup)
        let (at, period) = (mapping.requiredAt, mapping.requiredPeriod)
        guard let product, let group, let at, let period else { return nil }
        return .share(product: product, group: group, at: at, period: period)
    }
}

// The redemption of an offer, spelled as the catalog spells offers.
extension StepReader {
    private static func redeem(_ field: Field) -> ScenarioStep? {
        let keys = [
            "type", "offerIdentifier", "group", "product", "at", "paymentMode", "period", "periodCount", "price",
            "change", "regular",
        ]
        guard let mapping = field.mapping(keys) else { return nil }
        let type = mapping.required("type")?.choice(ScenarioStep.Redeem.OfferKind.self)
        let identifier = offerIdentifier(mapping, type)
        let (group, product, at) = (mapping.group, mapping.product, mapping.requiredAt)
        let mode = mapping.required("paymentMode")?.choice(PaymentMode.self)
        let period = mapping.requiredPeriod
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
        guard type != .introductory else {
            mapping.refuse(
                key: "offerIdentifier", .notAllowed, "an introductory offer has no identifier",
                hint: "leave `offerIdentifier` out")
            return nil
        }
        let field = type == nil ? mapping.optional("offerIdentifier") : mapping.required("offerIdentifier")
        return field?.id(.promotionalOfferIdentifier)
    }

    private static func price(_ mapping: Mapping, _ mode: PaymentMode?) -> Money? {
        guard mode != .freeTrial else {
            mapping.refuse(key: "price", .notAllowed, "a free trial has no price", hint: "leave `price` out")
            return nil
        }
        return mode == nil ? mapping.price : mapping.requiredPrice
    }

    private static func regular(_ field: Field) -> ScenarioStep.Redeem.RegularTerms? {
        guard let mapping = field.mapping(["period", "price"]) else { return nil }
        let (period, price) = (mapping.requiredPeriod, mapping.requiredPrice)
        guard let period, let price else { return nil }
        return ScenarioStep.Redeem.RegularTerms(period: period, price: price)
    }
}
