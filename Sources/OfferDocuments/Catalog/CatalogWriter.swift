package import OfferModel

/// Writes a catalog as the document that ``CatalogReader`` reads into the same catalog.
///
/// Keys are in the order of docs/catalog.md and default values are left out, so equal catalogs give equal text.
package enum CatalogWriter {
    package static func yaml(_ catalog: Catalog) -> String {
        YAMLText.of(node(catalog))
    }

    package static func json(_ catalog: Catalog) -> String {
        JSONText.of(node(catalog))
    }

    /// The same with an offer instead of the one at that index, or at the end.
    static func yaml(_ catalog: Catalog, _ offer: OutputNode, at place: Int) -> String {
        var offers = catalog.offers.map(OfferWriter.node)
        offers.replaceSubrange(place..<min(place + 1, offers.count), with: [offer])
        return YAMLText.of(node(catalog, offers))
    }

    private static func node(_ catalog: Catalog, _ offers: [OutputNode]? = nil) -> OutputNode {
        let others = catalog.otherProducts
        let appSignals: [(key: String, value: OutputNode)] =
            catalog.appSignals.isEmpty ? [] : [("appSignals", .texts(catalog.appSignals))]
        return .mapping(
            [
                ("bundleId", .text(catalog.bundleId.rawValue)),
                ("subscriptionGroups", .list(catalog.subscriptionGroups.map(node))),
            ] + (others.isEmpty ? [] : [("products", .list(others.map(node)))])
                + appSignals + [("offers", .list(offers ?? catalog.offers.map(OfferWriter.node)))])
    }

    private static func node(_ product: OtherProduct) -> OutputNode {
        .mapping([("productId", .text(product.productId.rawValue)), ("type", .text(product.type.rawValue))])
    }

    private static func node(_ group: SubscriptionGroup) -> OutputNode {
        .mapping([("id", .text(group.id.rawValue)), ("products", .list(group.products.map(node)))])
    }

    private static func node(_ product: Product) -> OutputNode {
        var entries: [(key: String, value: OutputNode)] = [
            ("productId", .text(product.productId.rawValue)),
            ("level", .number(product.level)),
            ("period", .text(product.period.description)),
            ("price", node(product.price)),
        ]
        if !product.billingPlans.isEmpty { entries.append(("billingPlans", .list(product.billingPlans.map(node)))) }
        return .mapping(entries)
    }

    /// The price of a period that is billed up front is the product's, and written there.
    private static func node(_ plan: BillingPlan) -> OutputNode {
        var entries: [(key: String, value: OutputNode)] = [("type", .text(plan.type.name ?? plan.type.rawValue))]
        if plan.type != .billedUpfront {
            entries += [("price", node(plan.price)), ("commitmentPrice", node(plan.commitmentPrice))]
        }
        return .mapping(entries)
    }

    static func node(_ money: Money) -> OutputNode {
        .mapping([("amount", .text(money.amount)), ("currency", .text(money.currency))])
    }
}

enum OfferWriter {
    static func node(_ offer: Offer) -> OutputNode {
        var entries: [(key: String, value: OutputNode)] = []
        func add(_ key: String, _ value: OutputNode?) {
            if let value { entries.append((key, value)) }
        }
        add("id", .text(offer.id.rawValue))
        add("formerly", offer.formerly.isEmpty ? nil : .texts(offer.formerly.map(\.rawValue)))
        add("type", .text(offer.type.rawValue))
        add("delivery", offer.type == .winBack ? .text(offer.delivery.rawValue) : nil)
        add("offerIdentifier", offer.offerIdentifier.map { .text($0.rawValue) })
        add("products", .texts(offer.products.map(\.rawValue)))
        add("billingPlan", offer.billingPlan.map { .text($0.name ?? $0.rawValue) })
        add("paymentMode", .text(offer.paymentMode.rawValue))
        add("period", .text(offer.period.description))
        add("periodCount", .number(offer.periodCount))
        add("price", offer.price.map(CatalogWriter.node))
        add(
            "paidSubscriptionDurationInMonths", offer.winBackTerms?.paidSubscriptionDurationInMonths.map { .number($0) }
        )
        add("timeSinceLastSubscribedInMonths", offer.winBackTerms?.timeSinceLastSubscribedInMonths.map(node))
        add("waitBetweenOffersInMonths", offer.winBackTerms?.waitBetweenOffersInMonths.map { .number($0) })
        add("status", .text(offer.status.rawValue))
        add("starts", offer.starts.map { .text($0.description) })
        add("ends", offer.ends.map { .text($0.description) })
        add("priority", offer.priority == 0 ? nil : .number(offer.priority))
        add("tags", offer.tags.isEmpty ? nil : .texts(offer.tags))
        let isEverywhere = offer.environments == Set(AppStoreEnvironment.allCases)
        let environments = AppStoreEnvironment.allCases.filter(offer.environments.contains)
        add("environments", isEverywhere ? nil : .texts(environments.map(\.rawValue)))
        add("eligibility", offer.eligibility.map(EligibilityWriter.node))
        add("availableFor", offer.availableFor.map { .text($0.description) })
        add("limits", .list(offer.limits.map(LimitWriter.node)))
        add("again", offer.again.map { .mapping([("after", .text($0.description))]) })
        add("coolDown", offer.coolDown.map { .text($0.description) })
        add("excludes", offer.excludes.isEmpty ? nil : .texts(offer.excludes.map(\.rawValue)))
        add("rollout", offer.rollout.map(node))
        add("formats", offer.delivery == .signature ? .texts(offer.formats.map(\.rawValue)) : nil)
        let isDefault = offer.signaturesPerOffer == Offer.defaultSignaturesPerOffer
        add("signaturesPerOffer", isDefault ? nil : .number(offer.signaturesPerOffer))
        return .mapping(entries)
    }

    private static func node(_ range: ClosedRange<Int>) -> OutputNode {
        .mapping([("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))])
    }

    private static func node(_ rollout: Rollout) -> OutputNode {
        var entries: [(key: String, value: OutputNode)] = [("percent", .number(rollout.percent))]
        if rollout.holdout != 0 { entries.append(("holdout", .number(rollout.holdout))) }
        if let salt = rollout.salt { entries.append(("salt", .text(salt))) }
        return .mapping(entries)
    }
}

enum LimitWriter {
    static func node(_ limit: Limit) -> OutputNode {
        switch limit {
        case .total(let count):
            return .mapping([("count", .number(count))])
        case .budget(let money):
            return .mapping([("spend", .text(money.amount)), ("currency", .text(money.currency))])
        case .perAccount(let count, let window):
            let entries: [(key: String, value: OutputNode)] = [("count", .number(count)), ("per", .text("account"))]
            return .mapping(entries + (window.map { [("window", .text($0.description))] } ?? []))
        case .perCustomer(let count, let window, let across):
            var entries: [(key: String, value: OutputNode)] = [("count", .number(count)), ("per", .text("customer"))]
            if let window { entries.append(("window", .text(window.description))) }
            switch across {
            case .thisOffer: break
            case .all: entries.append(("across", .text("all")))
            case .tag(let tag): entries.append(("across", .text("tag:\(tag)")))
            }
            return .mapping(entries)
        }
    }
}

enum EligibilityWriter {
    static func node(_ rule: RuleNode) -> OutputNode {
        switch rule {
        case .all(let children): .mapping([("all", .list(children.map(node)))])
        case .any(let children): .mapping([("any", .list(children.map(node)))])
        case .not(let child): .mapping([("not", node(child))])
        case .comparison(let comparison): node(comparison)
        }
    }

    private static func node(_ comparison: Comparison) -> OutputNode {
        let isOwnType = FactName(comparison.fact)?.type == nil
        let values = comparison.operands.map { node($0, isOwnType: isOwnType) }
        let operand: OutputNode =
            switch comparison.comparisonOperator {
            case .in, .notIn, .between: .list(values)
            default: values.first ?? .list([])
            }
        return .mapping([("fact", .text(comparison.fact)), (comparison.comparisonOperator.rawValue, operand)])
    }

    /// - Parameter isOwnType: whether the value says which type the fact has; then a time must not look like a text.
    private static func node(_ value: FactValue, isOwnType: Bool) -> OutputNode {
        switch value {
        case .text(let text): .text(text)
        case .number(let number): .number(number)
        case .boolean(let flag): .literal(flag ? "true" : "false")
        case .money(let money): CatalogWriter.node(money)
        case .instant(let instant):
            isOwnType ? .mapping([("at", .text(instant.description))]) : .text(instant.description)
        }
    }
}
