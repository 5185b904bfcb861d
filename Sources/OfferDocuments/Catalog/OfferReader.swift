import OfferModel

enum OfferReader {
    static let keys =
        [
            "id", "formerly", "type", "delivery", "offerIdentifier", "products", "billingPlan", "paymentMode", "period",
            "periodCount", "price", "status", "starts", "ends", "priority", "tags", "environments", "eligibility",
            "availableFor", "limits", "again", "coolDown", "excludes", "rollout", "formats", "signaturesPerOffer",
        ] + WinBackTermsReader.keys

    static func read(_ field: Field, _ context: inout CatalogContext) -> Offer? {
        guard let mapping = field.mapping(keys) else { return nil }
        let idField = mapping.required("id")
        let id: OfferId? = idField?.id(.name)
        if let id, let idField { context.insert(id, at: idField) }
        let type = mapping.required("type")?.choice(OfferType.self)
        let delivery = DeliveryReader.delivery(mapping, type)
        let products = ProductsReader.read(mapping.required("products"), context)
        let identifier = DeliveryReader.offerIdentifier(mapping, type, delivery, products, &context)
        let billingPlan = BillingPlanReader.plan(mapping, products, context)
        let terms = TermsReader.read(mapping, products, of: billingPlan, context)
        let again = AgainReader.read(mapping, type)
        if let again {
            mapping.key("again")?.warn(
                .introductoryAgain,
                "customers who used an introductory offer of the group may have one again `\(again)` after it ended, "
                    + "although Apple allows one", hint: "leave `again` out to follow Apple's rule")
        }
        let limits = LimitReader.read(
            mapping.required("limits"), (products ?? []).compactMap { context.subscriptions[$0]?.product },
            type: type, again: again, &context)
        let status = mapping.required("status")?.choice(OfferStatus.self)
        let setConditions = conditions(mapping, of: id, &context)
        let formats = DeliveryReader.formats(mapping, delivery)
        let winBackTerms = WinBackTermsReader.read(mapping, type, delivery)
        // A wrong member is logged, and its placeholder lets the others be judged.
        var offer = Offer(
            id: id ?? "", type: type ?? .promotional, delivery: delivery ?? .signature, offerIdentifier: identifier,
            products: products ?? [], paymentMode: terms?.mode ?? .freeTrial,
            period: terms?.period ?? Period(months: 1),
            periodCount: terms?.count ?? 1, price: terms?.price, limits: limits ?? [])
        setConditions(&offer)
        offer.billingPlan = billingPlan
        offer.again = again
        offer.status = status ?? .draft
        if offer.status == .active, let ends = offer.ends, let now = context.now, ends <= now {
            mapping.key("ends")?.warn(
                .unused, "the offer is active but not issued: it ended at \(ends)",
                hint: "set a later `ends`, or `status: archived`")
        }
        if let formats { offer.formats = formats }
        offer.winBackTerms = winBackTerms
        let isOpen = offer.availableFor != nil || !mapping.has("availableFor")
        if type != nil, isOpen, let condition = mapping.optional("eligibility") {
            ConditionCheck(field: condition, offer: offer).run(&context.satisfiability)
        }
        if offer.eligibility != nil || !mapping.has("eligibility") {
            LifetimeOwnerCheck.run(offer, at: mapping.optional("eligibility") ?? field, &context)
        }
        return offer
    }

    /// Reads when and to which customers an offer is issued: what does not depend on its terms.
    static func conditions(
        _ mapping: Mapping, of id: OfferId?, _ context: inout CatalogContext
    ) -> (inout Offer) -> Void {
        let formerly = mapping.optional("formerly").map { context.readFormerIds($0, of: id) } ?? []
        let starts = mapping.optional("starts")?.instant()
        let ends = mapping.optional("ends")?.instant()
        if let starts, let ends, starts >= ends {
            mapping.key("ends")?.refuse(
                .contradiction, "the offer ends at \(ends), not after it starts at \(starts)",
                hint: "write the earlier time as `starts`")
        }
        let priority = mapping.optional("priority")?.wholeNumber(-1_000_000...1_000_000)
        let tags = mapping.optional("tags")?.list(allowsEmpty: true).map { $0.distinct { $0.text(.name) } }
        context.tags.formUnion(tags ?? [])
        let environments = mapping.optional("environments")?.list().map { fields in
            Set(fields.distinct { $0.choice(AppStoreEnvironment.self) })
        }
        let signaturesPerOffer = mapping.optional("signaturesPerOffer")?.wholeNumber(1...100)
        let rollout = mapping.optional("rollout").flatMap(rollout)
        let eligibility = mapping.optional("eligibility").flatMap { EligibilityReader.read($0, &context) }
        var availableFor: Period?
        if let field = mapping.optional("availableFor") {
            availableFor = context.isUnchecked ? field.period() : field.fixedPeriod()
            if !mapping.has("eligibility") {
                field.refuse(
                    .contradiction, "`availableFor` counts from the moment `eligibility` holds, and there is none")
            }
        }
        let coolDown = mapping.optional("coolDown")?.period()
        let excludes = mapping.optional("excludes")?.list(allowsEmpty: true)?.distinct { item -> OfferId? in
            let excluded: OfferId? = item.id(.name)
            if let excluded { context.exclude(excluded, from: formerly + [id].compactMap(\.self), at: item) }
            return excluded
        }
        return { [availableFor] offer in
            offer.formerly = formerly
            (offer.starts, offer.ends) = (starts, ends)
            offer.priority = priority ?? offer.priority
            offer.tags = tags ?? offer.tags
            offer.environments = environments ?? offer.environments
            offer.signaturesPerOffer = signaturesPerOffer ?? offer.signaturesPerOffer
            (offer.rollout, offer.eligibility) = (rollout, eligibility)
            (offer.availableFor, offer.coolDown) = (availableFor, coolDown)
            offer.excludes = excludes ?? offer.excludes
        }
    }

    private static func rollout(_ field: Field) -> Rollout? {
        guard let mapping = field.mapping(["percent", "holdout", "salt"]) else { return nil }
        let percent = mapping.required("percent")?.share()
        let holdout = mapping.optional("holdout")?.share()
        let salt = mapping.optional("salt")?.text(.label("a salt"))
        guard let percent else { return nil }
        if percent == 0 {
            mapping.key("percent")?.warn(
                .unused, "a rollout of 0 percent reaches no customer",
                hint: "raise it, or use `status: draft` until it begins")
        } else if let holdout, holdout == 100 {
            mapping.key("holdout")?.warn(
                .unused, "all customers are held out", hint: "lower it, or use `status: draft`")
        }
        return Rollout(percent: percent, holdout: holdout ?? 0, salt: salt)
    }
}

extension [Field] {
    /// The values of a list that holds each once; a second one is logged and left out.
    func distinct<Value: Hashable>(_ read: (Field) -> Value?) -> [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        for field in self {
            guard let value = read(field) else { continue }
            if seen.insert(value).inserted {
                values.append(value)
            } else {
                field.refuse(.duplicateValue, "this entry is given twice", hint: "delete one")
            }
        }
        return values
    }
}

extension Field {
    /// Days, hours and the like, which have one length in milliseconds; months and years have not.
    func fixedPeriod() -> Period? {
        guard let (period, text) = writtenPeriod() else { return nil }
        guard period.fixedMilliseconds != nil else {
            return refuse(
                .invalidValue, "`\(text)` has no fixed length",
                hint: "write days, weeks or hours, such as `P30D` or `PT48H`")
        }
        return period
    }

    /// A percentage of customers; they draw from 10,000 numbers, so there is nothing below a hundredth.
    func share() -> Double? {
        guard let number = number() else { return nil }
        guard (0...100).contains(number) else {
            return refuse(
                .outOfRange, "\(FactValue.number(number)) is not from 0 to 100",
                hint: "write a percentage of customers, such as 50")
        }
        guard number == (number * 100).rounded() / 100 else {
            return refuse(.invalidValue, "\(number) has more than two decimals", hint: "write it as `12.25`")
        }
        return number
    }
}

/// Reads `again: { after: P12M }`, which gives an introductory offer again on purpose.
enum AgainReader {
    static func read(_ mapping: Mapping, _ type: OfferType?) -> Period? {
        guard let field = mapping.optional("again") else { return nil }
        guard type == nil || type == .introductory else {
            return field.refuse(
                .notAllowed, "`again` goes with introductory offers only",
                hint: "use `coolDown`, or a limit with a `window`")
        }
        return field.mapping(["after"])?.required("after")?.period()
    }
}

/// Reads how an offer reaches the customer, and what depends on it.
enum DeliveryReader {
    static func delivery(_ mapping: Mapping, _ type: OfferType?) -> Delivery? {
        let field = mapping.optional("delivery")
        let stated = field?.choice(Delivery.self)
        guard let type, stated != nil || !mapping.has("delivery") else { return stated }
        let allowed: [Delivery] =
            switch type {
            case .introductory: [.introductoryEligibility]
            case .promotional: [.signature]
            case .winBack: [.signature, .appStore]
            }
        guard let stated, let field else { return allowed.first }
        guard allowed.contains(stated) else {
            let words = allowed.map { "`\($0.rawValue)`" }.joined(separator: " or ")
            return field.refuse(
                .notAllowed, "\(type.rawValue) offers cannot have `delivery: \(stated.rawValue)`",
                hint: "use \(words), or leave it out")
        }
        return stated
    }

    static func offerIdentifier(
        _ mapping: Mapping, _ type: OfferType?, _ delivery: Delivery?, _ products: [ProductId]?,
        _ context: inout CatalogContext
    ) -> OfferIdentifier? {
        if type == .introductory {
            mapping.key("offerIdentifier")?.refuse(
                .notAllowed, "an introductory offer has no offerIdentifier",
                hint: "leave it out: Apple has one introductory offer per product, without a name")
            return nil
        }
        guard let field = type == nil ? mapping.optional("offerIdentifier") : mapping.required("offerIdentifier")
        else { return nil }
        let form = delivery == .appStore ? TextForm.winBackOfferIdentifier : .promotionalOfferIdentifier
        guard let identifier: OfferIdentifier = field.id(form) else { return nil }
        if let product = products?.first, let group = context.subscriptions[product]?.group {
            context.insert(identifier, in: group.id, at: field)
        }
        return identifier
    }

    static func formats(_ mapping: Mapping, _ delivery: Delivery?) -> [SignatureFormat]? {
        if let delivery, delivery != .signature {
            mapping.key("formats")?.refuse(
                .notAllowed, "`formats` goes with `delivery: signature` only", hint: "leave it out")
            return nil
        }
        return mapping.optional("formats")?.list()?.distinct { $0.choice(SignatureFormat.self) }
    }
}

/// Reads the `products` of an offer: known ones, all of one subscription group.
enum ProductsReader {
    static func read(_ field: Field?, _ context: CatalogContext) -> [ProductId]? {
        guard let field, let items = field.list() else { return nil }
        let products = items.distinct { item in item.id(.productId).flatMap { known($0, item, context) } }
        let groups = Set(products.compactMap { context.subscriptions[$0]?.group.id })
        guard groups.count <= 1 else {
            let ids = groups.sorted().map { "`\($0)`" }.joined(separator: ", ")
            return field.refuse(
                .severalGroups, "the products are of several subscription groups: \(ids)",
                hint: "make one offer per group")
        }
        return products.isEmpty ? nil : products
    }

    private static func known(_ id: ProductId, _ field: Field, _ context: CatalogContext) -> ProductId? {
        if context.isNamed(id) { return id }
        if context.otherTypes[id] != nil {
            return field.refuse(
                .unknownProduct, "product \(quoted(id.rawValue)) is in no subscription group",
                hint: "offers discount the products of `subscriptionGroups`")
        }
        return field.refuse(
            .unknownProduct, "unknown product \(quoted(id.rawValue))",
            hint: Suggestion.hint(for: id.rawValue, among: context.subscriptionIds, noun: "known products")
                ?? "list it under `subscriptionGroups`")
    }
}

/// Warns of win-back offers for customers who need none, because they have bought the app's product for life.
enum LifetimeOwnerCheck {
    /// - Parameter field: where the condition is, or the offer without one.
    static func run(_ offer: Offer, at field: Field, _ context: inout CatalogContext) {
        guard offer.type == .winBack, offer.status == .active else { return }
        let condition = offer.eligibility.map { [Constraint($0)] } ?? []
        var reached: [ProductId] = []
        for product in context.otherProducts where product.type == .nonConsumable {
            // More are not named.
            guard reached.count <= 3 else { break }
            let owner = Constraint.literal(fact(product.productId), isOneOf: [.boolean(true)])
            if context.lifetimeOwners.canHold(condition + [owner]), context.lifetimeOwners.hasBudget {
                reached.append(product.productId)
            }
        }
        guard let first = reached.first else { return }
        let names = reached.prefix(3).map { quoted($0.rawValue) }.joined(separator: " or ")
        field.warn(
            .lifetimeOwner,
            "a customer who owns \(names)\(reached.count > 3 ? " or another product" : "") could get the win-back offer "
                + quoted(offer.id.rawValue),
            hint: "add `{ fact: \(fact(first)), is: false }` to its `eligibility`")
    }

    private static func fact(_ product: ProductId) -> String { FactVocabulary.ownsPrefix + product.rawValue }
}
