package import OfferModel

/// Reads a catalog document (docs/catalog.md), strictly: every error of the document is found in one pass.
package enum CatalogReader {
    /// - Parameters:
    ///   - isJSON: whether it is given as JSON, as by the end of a file's name, and YAML is refused.
    ///   - now: the instant by which active offers should not have ended; `nil` warns of none.
    package static func read(
        _ bytes: [UInt8], isJSON: Bool = false, at now: Instant? = nil
    ) throws(InvalidDocument) -> ValidDocument<Catalog> {
        try DocumentReading.read(bytes, isJSON: isJSON) { read($0, at: now) }
    }

    /// Reads a catalog that is part of another document.
    static func read(_ field: Field, at now: Instant? = nil) -> Catalog? {
        guard let mapping = field.mapping(["bundleId", "subscriptionGroups", "products", "appSignals", "offers"]) else {
            return nil
        }
        let bundleId: BundleId? = mapping.required("bundleId")?.id(.bundleId)
        let groups = mapping.required("subscriptionGroups")?.list().map(GroupsReader.read)
        let others = OtherProductsReader.read(mapping, subscriptions: groups?.named ?? [])
        let appSignals = mapping.optional("appSignals")?.list(allowsEmpty: true).map { fields in
            fields.distinct { $0.text(.signalName) }
        }
        let fields = mapping.required("offers")?.list(allowsEmpty: true) ?? []
        var context = CatalogContext(
            groups: groups?.groups ?? [], named: groups?.named, otherProducts: others.products,
            namedOthers: others.named)
        context.now = now
        let offers = fields.compactMap { OfferReader.read($0, &context) }
        context.refuseFormerIdsInUse()
        context.warnAboutUnknownOffers()
        context.warnAboutUnknownTags()
        guard let bundleId, let groups, offers.count == fields.count else { return nil }
        return Catalog(
            bundleId: bundleId, subscriptionGroups: groups.groups, otherProducts: others.products,
            appSignals: appSignals ?? [], offers: offers)
    }

    package static func read(_ text: String, isJSON: Bool = false) throws(InvalidDocument) -> ValidDocument<Catalog> {
        try read(Array(text.utf8), isJSON: isJSON)
    }
}

enum GroupsReader {
    /// The groups without an error, and every product named, so that one error in a group does not cause others.
    static func read(_ fields: [Field]) -> (groups: [SubscriptionGroup], named: Set<ProductId>) {
        var groupIds: Set<SubscriptionGroupId> = []
        var productIds: Set<ProductId> = []
        let groups: [SubscriptionGroup] = fields.compactMap { field in
            guard let mapping = field.mapping(["id", "products"]) else { return nil }
            let id = mapping.required("id").flatMap { field in
                unique(field, .groupId, "subscription group", &groupIds)
            }
            let products = mapping.required("products")?.list()?.compactMap { read($0, &productIds) }
            guard let id, let products else { return nil }
            return SubscriptionGroup(id: id, products: products)
        }
        return (groups, productIds)
    }

    private static func read(_ field: Field, _ seen: inout Set<ProductId>) -> Product? {
        guard let mapping = field.mapping(["productId", "level", "period", "price", "billingPlans"]) else { return nil }
        let id = mapping.required("productId").flatMap { unique($0, .productId, "product", &seen) }
        let level = mapping.required("level")?.wholeNumber(1...1_000)
        let period = mapping.required("period")?.period(among: AppleTerms.productPeriods)
        let price = mapping.required("price")?.money()
        guard let id, let level, let period, let price else { return nil }
        var product = Product(productId: id, level: level, period: period, price: price)
        guard let plans = BillingPlanReader.plans(mapping, of: product) else { return nil }
        product.billingPlans = plans
        return product
    }

    fileprivate static func unique<Kind>(
        _ field: Field, _ form: TextForm, _ noun: String, _ seen: inout Set<Identifier<Kind>>
    ) -> Identifier<Kind>? {
        guard let id: Identifier<Kind> = field.id(form) else { return nil }
        guard seen.insert(id).inserted else {
            return field.refuse(.duplicateValue, "\(noun) \(quoted(id.rawValue)) is given twice")
        }
        return id
    }
}

/// Reads the `products` of a catalog: those outside subscription groups.
enum OtherProductsReader {
    /// The products without an error, and every one named; `nil` if the list cannot be read.
    static func read(
        _ mapping: Mapping, subscriptions: Set<ProductId>
    ) -> (products: [OtherProduct], named: Set<ProductId>?) {
        guard mapping.has("products") else { return ([], []) }
        guard let fields = mapping.optional("products")?.list(allowsEmpty: true) else { return ([], nil) }
        var named: Set<ProductId> = []
        let products = fields.compactMap { field -> OtherProduct? in
            guard let mapping = field.mapping(["productId", "type"]) else { return nil }
            let idField = mapping.required("productId")
            let id = idField.flatMap { GroupsReader.unique($0, .productId, "product", &named) }
            let type = mapping.required("type")?.choice(OtherProductType.self)
            if let id, let idField, subscriptions.contains(id) {
                return idField.refuse(
                    .contradiction, "product \(quoted(id.rawValue)) is in a subscription group too",
                    hint: "`products` lists what is sold outside subscription groups: delete one of the two")
            }
            guard let id, let type else { return nil }
            return OtherProduct(productId: id, type: type)
        }
        return (products, named)
    }
}

/// The rest of the catalog, as far as the reading of one offer needs it.
struct CatalogContext {
    private let groups: [SubscriptionGroup]
    let otherProducts: [OtherProduct]
    /// The products that the document names; `nil` if it has no list of groups that could be read.
    private let named: Set<ProductId>?
    /// The products outside subscription groups that the document names; `nil` if they could not be read.
    private let namedOthers: Set<ProductId>?
    /// Whether conditions are read as they are written: only where a file of cases asks for it.
    var isUnchecked = false
    var now: Instant?
    /// Judges the conditions of all offers, so that a hostile catalog costs as little as one.
    var satisfiability = Satisfiability()
    /// Apart from the other, so that a warning uses up nothing that finding contradictions needs.
    var lifetimeOwners = Satisfiability(budget: 30_000)
    /// The products of subscription groups that could be read.
    let subscriptions: [ProductId: (product: Product, group: SubscriptionGroup)]
    let otherTypes: [ProductId: OtherProductType]
    private var offerIds: Set<OfferId> = []
    private var formerIds: [OfferId: Field] = [:]
    private var offerIdentifiers: Set<String> = []
    var mentions: [(offer: OfferId, field: Field)] = []
    private var ownFacts: [String: (type: FactType, line: Int)] = [:]
    var tags: Set<String> = []
    var countedTags: [(tag: String, field: Field)] = []

    init(
        groups: [SubscriptionGroup] = [], named: Set<ProductId>? = nil, otherProducts: [OtherProduct] = [],
        namedOthers: Set<ProductId>? = nil
    ) {
        self.named = named
        self.namedOthers = namedOthers
        self.groups = groups
        self.otherProducts = otherProducts
        subscriptions = Dictionary(
            groups.flatMap { group in group.products.map { ($0.productId, ($0, group)) } }
        ) { first, _ in first }
        otherTypes = Dictionary(otherProducts.map { ($0.productId, $0.type) }) { first, _ in first }
    }

    /// Whether an offer may name the product; what is wrong with the product itself is said where it is listed.
    func isNamed(_ product: ProductId) -> Bool {
        named?.contains(product) ?? true
    }

    /// The same of the products outside subscription groups.
    func isNamedOutsideGroups(_ product: ProductId) -> Bool {
        namedOthers?.contains(product) ?? true
    }

    mutating func insert(_ id: OfferId, at field: Field) {
        guard !offerIds.insert(id).inserted else { return }
        field.refuse(
            .duplicateValue, "offer \(quoted(id.rawValue)) is given twice", hint: "give each offer an id of its own")
    }

    /// App Store Connect: an offer's identifier is unique in its subscription group, whatever its type.
    mutating func insert(_ identifier: OfferIdentifier, in group: SubscriptionGroupId, at field: Field) {
        guard !offerIdentifiers.insert("\(group)\n\(identifier)").inserted else { return }
        field.refuse(
            .duplicateValue, "another offer of the group has the offerIdentifier \(quoted(identifier.rawValue))",
            hint: "App Store Connect has each identifier once in a subscription group")
    }

    /// Reads `formerly`: an id, or several from the oldest. An offer that got a former id back lists it too, but not
    /// last.
    mutating func readFormerIds(_ field: Field, of own: OfferId?) -> [OfferId] {
        let items: [Field]? = if case .sequence = field.node.content { field.list() } else { [field] }
        guard let items, items.count <= DocumentLimits.formerIds else {
            if items != nil {
                field.refuse(.outOfRange, "an offer has at most \(DocumentLimits.formerIds) former ids")
            }
            return []
        }
        var added: [OfferId: Field] = [:]
        let ids = items.distinct { item -> OfferId? in
            guard let id: OfferId = item.id(.name) else { return nil }
            if id == own, item.path != items.last?.path { return id }
            guard formerIds[id] == nil else {
                return item.refuse(
                    .duplicateValue, "another offer has the former id \(quoted(id.rawValue)) too",
                    hint: "uses under an id count for one offer only")
            }
            added[id] = item
            return id
        }
        formerIds.merge(added) { first, _ in first }
        return ids
    }

    /// The ids of the products of subscription groups, for a suggestion.
    var subscriptionIds: [String] { groups.flatMap(\.products).map(\.productId.rawValue) }

    func refuseFormerIdsInUse() {
        for (id, field) in formerIds where offerIds.contains(id) {
            field.refuse(
                .contradiction, "\(quoted(id.rawValue)) is the id of an offer in this catalog",
                hint: "`formerly` lists ids that no offer has any more")
        }
    }

    mutating func exclude(_ excluded: OfferId, from own: [OfferId], at field: Field) {
        guard !own.contains(excluded) else {
            field.refuse(
                .contradiction, "the offer excludes itself",
                hint: "use `limits: [ { count: 1, per: customer } ]` for once per customer")
            return
        }
        mentions.append((excluded, field))
    }

    /// Issued offers keep the tags they were issued with, so this is not an error.
    func warnAboutUnknownTags() {
        for (tag, field) in countedTags where !tags.contains(tag) {
            field.warn(
                .unknownTag, "no offer of this catalog has the tag \(quoted(tag))",
                hint: "add it to `tags` of the offers that should count")
        }
    }

    /// An archived offer may leave the document and is still worth mentioning, so this is not an error.
    func warnAboutUnknownOffers() {
        for (offer, field) in mentions where !offerIds.contains(offer) && formerIds[offer] == nil {
            field.warn(
                .unknownOffer, "there is no offer \(quoted(offer.rawValue)) in this catalog",
                hint: "fine if it was archived; otherwise correct the id")
        }
    }

    /// The first use of a signal or an attribute determines its type.
    mutating func use(_ fact: String, as type: FactType, at field: Field) {
        guard let first = ownFacts[fact] else {
            ownFacts[fact] = (type, field.node.position.line)
            return
        }
        guard first.type != type else { return }
        let kind = fact.hasPrefix(FactVocabulary.signalPrefix) ? "signals" : "attributes"
        field.refuse(
            .signalTypeConflict,
            "`\(fact)` is compared as \(type.rawValue) here and as \(first.type.rawValue) in line \(first.line)",
            hint: "use one type, or two \(kind)")
    }
}
