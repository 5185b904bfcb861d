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
        func step(_ keys: String..., make: (Mapping) -> ScenarioStep) -> ScenarioStep? { body.mapping(keys).map(make) }
        func atSubscription(_ make: (SubscriptionGroupId?, ScenarioTime) -> ScenarioStep) -> ScenarioStep? {
            step("group", "at") { make($0.group, $0.requiredAt) }
        }
        func planChange(_ make: (ScenarioStep.PlanChange) -> ScenarioStep) -> ScenarioStep? {
            step("group", "at", "product", "period", "price") {
                make(
                    ScenarioStep.PlanChange(
                        group: $0.group, at: $0.requiredAt, product: $0.requiredProduct, period: $0.requiredPeriod,
                        price: $0.requiredPrice))
            }
        }
        return switch verb {
        case .appTransaction:
            step("at", "appVersion") {
                .appTransaction(
                    at: $0.requiredAt, appVersion: $0.optional("appVersion")?.text(.label("a version")) ?? "1.0")
            }
        case .trial:
            step("product", "group", "at", "length", "period", "price") {
                .trial(
                    product: $0.requiredProduct, group: $0.requiredGroup, at: $0.requiredAt,
                    length: $0.required("length")?.period() ?? .unread, period: $0.period, price: $0.price)
            }
        case .buy:
            step("product", "group", "at", "period", "price") {
                .buy(
                    product: $0.requiredProduct, group: $0.requiredGroup, at: $0.requiredAt, period: $0.requiredPeriod,
                    price: $0.requiredPrice)
            }
        case .resubscribe:
            step("product", "group", "at", "period", "price") {
                .resubscribe(
                    group: $0.group, at: $0.requiredAt, product: $0.product, period: $0.period, price: $0.price)
            }
        case .redeem: redeem(body)
        case .renew: renew(body)
        case .failToRenew:
            step("group", "at", "grace") {
                .failToRenew(group: $0.group, at: $0.at, grace: $0.optional("grace")?.period())
            }
        case .recover: atSubscription(ScenarioStep.recover)
        case .cancel: atSubscription(ScenarioStep.cancel)
        case .enableRenewal: atSubscription(ScenarioStep.enableRenewal)
        case .expire:
            step("group", "at", "reason") {
                let reason = $0.optional("reason")?.word(among: ExpirationIntent.names.map(\.key))
                return .expire(group: $0.group, at: $0.at, reason: reason.flatMap { ExpirationIntent(named: $0) })
            }
        case .upgrade: planChange(ScenarioStep.upgrade)
        case .downgrade: planChange(ScenarioStep.downgrade)
        case .crossgrade: planChange(ScenarioStep.crossgrade)
        case .keepProduct: atSubscription(ScenarioStep.keepProduct)
        case .raisePrice:
            step("group", "at", "price", "needsConsent") {
                .raisePrice(
                    group: $0.group, at: $0.requiredAt, price: $0.requiredPrice,
                    needsConsent: $0.optional("needsConsent")?.boolean() ?? true)
            }
        case .acceptPrice: atSubscription(ScenarioStep.acceptPrice)
        case .refund:
            step("group", "at", "transaction", "percent", "reason") {
                .refund(
                    group: $0.group, at: $0.requiredAt, transaction: $0.transaction,
                    percent: $0.optional("percent")?.wholeNumber(1...100) ?? 100,
                    reason: $0.optional("reason")?.choice(ScenarioStep.RefundReason.self) ?? .other)
            }
        case .reverseRefund:
            step("group", "at", "transaction") {
                .reverseRefund(group: $0.group, at: $0.requiredAt, transaction: $0.transaction)
            }
        case .share:
            step("product", "group", "at", "period") {
                .share(
                    product: $0.requiredProduct, group: $0.requiredGroup, at: $0.requiredAt, period: $0.requiredPeriod)
            }
        case .revoke: atSubscription(ScenarioStep.revoke)
        case .test: step("at") { .test(at: $0.requiredAt) }
        }
    }

    private static func renew(_ field: Field) -> ScenarioStep? {
        guard let mapping = field.mapping(["group", "at", "period", "price", "times"]) else { return nil }
        let times = mapping.optional("times")?.wholeNumber(1...500) ?? 1
        if times > 1 {
            mapping.key("at")?.refuse(
                .contradiction, "several renewals cannot all be at one time",
                hint: "leave out `at`, or write one `renew` each")
        }
        return .renew(
            group: mapping.group, at: mapping.at, period: mapping.period, price: mapping.price, times: times)
    }
}

/// The members that several verbs have. A required one that is missing or wrong is logged, and its placeholder lets the
/// others be judged.
extension Mapping {
    fileprivate var group: SubscriptionGroupId? { optional("group")?.id(.groupId) }
    fileprivate var requiredGroup: SubscriptionGroupId { required("group")?.id(.groupId) ?? "" }
    fileprivate var product: ProductId? { optional("product")?.id(.productId) }
    fileprivate var requiredProduct: ProductId { required("product")?.id(.productId) ?? "" }
    fileprivate var at: ScenarioTime? { optional("at")?.scenarioTime() }
    fileprivate var requiredAt: ScenarioTime { required("at")?.scenarioTime() ?? .now }
    fileprivate var period: Period? { optional("period")?.period() }
    fileprivate var requiredPeriod: Period { required("period")?.period() ?? .unread }
    fileprivate var price: Money? { optional("price")?.money() }
    fileprivate var requiredPrice: Money { required("price")?.money() ?? Money(milliunits: 0, currency: "") }
    fileprivate var transaction: Int? { optional("transaction")?.wholeNumber(1...999) }
}

extension Period {
    /// A placeholder for one that could not be read.
    fileprivate static let unread = Period(months: 1)
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
        let product = mapping.product
        let mode = mapping.required("paymentMode")?.choice(PaymentMode.self)
        let change = mapping.optional("change")?.choice(ScenarioStep.Redeem.Change.self)
        if change != nil, product == nil {
            mapping.key("change")?.refuse(
                .contradiction, "a change needs the product that is changed to", hint: "add `product`")
        }
        return .redeem(
            ScenarioStep.Redeem(
                type: type ?? .promotional, offerIdentifier: identifier, group: mapping.group, product: product,
                at: mapping.requiredAt, paymentMode: mode ?? .freeTrial, period: mapping.requiredPeriod,
                periodCount: mapping.optional("periodCount")?.wholeNumber(1...12) ?? 1, price: price(mapping, mode),
                change: change, regular: mapping.optional("regular").flatMap(regular)))
    }

    private static func offerIdentifier(
        _ mapping: Mapping, _ type: ScenarioStep.Redeem.OfferKind?
    ) -> OfferIdentifier? {
        guard type != .introductory else {
            mapping.key("offerIdentifier")?.refuse(
                .notAllowed, "an introductory offer has no identifier",
                hint: "leave `offerIdentifier` out")
            return nil
        }
        let field = type == nil ? mapping.optional("offerIdentifier") : mapping.required("offerIdentifier")
        return field?.id(.promotionalOfferIdentifier)
    }

    private static func price(_ mapping: Mapping, _ mode: PaymentMode?) -> Money? {
        guard mode != .freeTrial else {
            mapping.key("price")?.refuse(.notAllowed, "a free trial has no price", hint: "leave `price` out")
            return nil
        }
        return mode == nil ? mapping.price : mapping.requiredPrice
    }

    private static func regular(_ field: Field) -> ScenarioStep.Redeem.RegularTerms? {
        field.mapping(["period", "price"]).map {
            ScenarioStep.Redeem.RegularTerms(period: $0.requiredPeriod, price: $0.requiredPrice)
        }
    }
}
