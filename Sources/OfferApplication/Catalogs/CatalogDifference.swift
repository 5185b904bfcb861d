import OfferAPI
import OfferModel

enum CatalogDifference {
    static func changes(from old: Catalog, to new: Catalog) -> [CatalogChange] {
        compare(products(old) + appSignals(old), products(new) + appSignals(new), of: nil)
            + offerChanges(from: old, to: new)
    }

    private static func offerChanges(from old: Catalog, to new: Catalog) -> [CatalogChange] {
        var changes: [CatalogChange] = []
        for offer in new.offers {
            guard var earlier = old.predecessor(of: offer) else {
                changes.append(CatalogChange(.added, of: offer.id))
                continue
            }
            // Its former ids are part of the rename.
            if earlier.id != offer.id {
                earlier.formerly = earlier.ids
                changes.append(
                    CatalogChange(
                        .changed, of: offer.id, path: "id", from: earlier.id.rawValue, to: offer.id.rawValue))
            }
            let shown = compare(OfferFields.list(earlier), OfferFields.list(offer), of: offer.id)
            changes += shown
            // Two conditions may differ and read alike, such as the number 1 and the text `1`.
            if earlier.eligibility != offer.eligibility,
                !shown.contains(where: { $0.path?.hasPrefix("eligibility") == true })
            {
                changes.append(
                    CatalogChange(
                        .changed, of: offer.id, path: "eligibility", from: "the same text",
                        to: "a value of another type, or with other Unicode characters"))
            }
        }
        let kept = Set(new.offers.compactMap { old.predecessor(of: $0)?.id })
        for offer in old.offers where !kept.contains(offer.id) {
            changes.append(CatalogChange(.removed, of: offer.id))
        }
        return changes
    }

    private static func appSignals(_ catalog: Catalog) -> [OfferFields.Field] {
        catalog.appSignals.map { OfferFields.Field(path: "appSignals[\($0)]", value: "allowed") }
    }

    private static func products(_ catalog: Catalog) -> [OfferFields.Field] {
        catalog.subscriptionGroups.flatMap { group in
            group.products.flatMap { product in
                let path = "subscriptionGroups[\(group.id)].products[\(product.productId)]"
                return [
                    OfferFields.Field(path: "\(path).level", value: String(product.level)),
                    OfferFields.Field(path: "\(path).period", value: product.period.description),
                    OfferFields.Field(path: "\(path).price", value: product.price.description),
                ]
                    + product.billingPlans.map { plan in
                        OfferFields.Field(
                            path: "\(path).billingPlans[\(plan.type.name ?? plan.type.rawValue)]",
                            value: "\(plan.price), in all \(plan.commitmentPrice)")
                    }
            }
        }
            + catalog.otherProducts.map {
                OfferFields.Field(path: "products[\($0.productId)].type", value: $0.type.rawValue)
            }
    }

    private static func compare(
        _ before: [OfferFields.Field], _ after: [OfferFields.Field], of offer: OfferId?
    ) -> [CatalogChange] {
        let old = Dictionary(before.map { ($0.path, $0.value) }) { first, _ in first }
        let new = Set(after.map(\.path))
        let changes = after.compactMap { field -> CatalogChange? in
            let earlier = old[field.path]
            guard earlier != field.value else { return nil }
            return CatalogChange(
                earlier == nil ? .added : .changed, of: offer, path: field.path, from: earlier, to: field.value)
        }
        let removed = before.filter { !new.contains($0.path) }.map {
            CatalogChange(.removed, of: offer, path: $0.path, from: $0.value)
        }
        return changes + removed
    }
}

/// An offer as a flat list of fields in the words of the catalog file.
enum OfferFields {
    struct Field {
        var path: String
        var value: String
    }

    static func list(_ offer: Offer) -> [Field] {
        var fields: [Field] = []
        func add(_ path: String, _ value: String?) {
            if let value { fields.append(Field(path: path, value: value)) }
        }
        add("formerly", offer.formerly.isEmpty ? nil : offer.formerly.map(\.rawValue).joined(separator: ", "))
        add("type", offer.type.rawValue)
        add("delivery", offer.delivery.rawValue)
        add("offerIdentifier", offer.offerIdentifier?.rawValue)
        add("products", offer.products.map(\.rawValue).joined(separator: ", "))
        add("billingPlan", offer.billingPlan?.name)
        add("paymentMode", offer.paymentMode.rawValue)
        add("period", offer.period.description)
        add("periodCount", String(offer.periodCount))
        add("price", offer.price?.description)
        add("status", offer.status.rawValue)
        add("starts", offer.starts?.description)
        add("ends", offer.ends?.description)
        add("priority", String(offer.priority))
        add("tags", offer.tags.joined(separator: ", "))
        add("environments", offer.environments.map(\.rawValue).sorted().joined(separator: ", "))
        add("availableFor", offer.availableFor?.description)
        add("limits", offer.limits.map(text).joined(separator: "; "))
        add("again", offer.again?.description)
        add("coolDown", offer.coolDown?.description)
        add("excludes", offer.excludes.map(\.rawValue).joined(separator: ", "))
        add("rollout", offer.rollout.map { "percent \($0.percent), holdout \($0.holdout), salt \($0.salt ?? "–")" })
        add("formats", offer.formats.map(\.rawValue).joined(separator: ", "))
        add("signaturesPerOffer", String(offer.signaturesPerOffer))
        addWinBack(offer.winBackTerms, add)
        if let eligibility = offer.eligibility { addRule(eligibility, at: "eligibility", add) }
        return fields
    }

    private static func addWinBack(_ terms: WinBackTerms?, _ add: (String, String?) -> Void) {
        guard let terms else { return }
        add("paidSubscriptionDurationInMonths", terms.paidSubscriptionDurationInMonths.map(String.init))
        add(
            "timeSinceLastSubscribedInMonths",
            terms.timeSinceLastSubscribedInMonths.map { "\($0.lowerBound) to \($0.upperBound)" })
        add("waitBetweenOffersInMonths", terms.waitBetweenOffersInMonths.map(String.init))
    }

    private static func addRule(_ node: RuleNode, at path: String, _ add: (String, String?) -> Void) {
        switch node {
        case .all(let children):
            for (index, child) in children.enumerated() { addRule(child, at: "\(path).all[\(index)]", add) }
        case .any(let children):
            for (index, child) in children.enumerated() { addRule(child, at: "\(path).any[\(index)]", add) }
        case .not(let child):
            addRule(child, at: "\(path).not", add)
        case .comparison(let comparison):
            let operands = comparison.operands.map(\.description).joined(separator: ", ")
            add(path, "\(comparison.fact) \(comparison.comparisonOperator.rawValue) \(operands)")
        }
    }

    private static func text(_ limit: Limit) -> String {
        switch limit {
        case .perCustomer(let count, let window, let across):
            "\(count) per customer" + (window.map { " in \($0)" } ?? "") + text(across)
        case .perAccount(let count, let window): "\(count) per account" + (window.map { " in \($0)" } ?? "")
        case .total(let count): "\(count) in all"
        case .budget(let money): "\(money) in all"
        }
    }

    private static func text(_ across: Limit.Across) -> String {
        switch across {
        case .thisOffer: ""
        case .all: " across all offers"
        case .tag(let tag): " across tag `\(tag)`"
        }
    }
}
