package import OfferModel

/// Reads a file of cases (`docs/cases.md`), strictly: every error of the file is found in one pass.
package enum CaseReader {
    /// - Parameter catalog: reads the catalog at a path that the file names, relative to the file; `nil` if it cannot
    ///   be used, which the caller has to explain.
    package static func read(
        _ bytes: [UInt8], catalog: (String) -> Catalog?
    ) throws(InvalidDocument) -> ValidDocument<CaseFile> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["catalog", "offers", "unchecked", "histories", "cases"]) else {
                return nil
            }
            let source = CaseOffers.read(mapping, catalog)
            let histories = CaseHistories(mapping, CaseHistoryReader(source: source))
            guard let fields = mapping.required("cases")?.list() else { return nil }
            let reader = SingleCaseReader(source: source, histories: histories)
            var names: [String: Int] = [:]
            let cases = fields.compactMap { reader.read($0, &names) }
            guard cases.count == fields.count else { return nil }
            return CaseFile(
                bundleId: source.catalog?.bundleId ?? CaseWorld.bundleId, catalog: source.catalog,
                offers: source.offers, cases: cases)
        }
    }
}

/// The offers that a file is about, and the products they are for.
struct CaseOffers {
    private(set) var catalog: Catalog?
    private(set) var offers: [Offer] = []
    /// The ids of the offers, also of one with an error; `nil` if the offers could not be read.
    private(set) var ids: [OfferId]?

    private static func all(of catalog: Catalog) -> CaseOffers {
        CaseOffers(catalog: catalog, offers: catalog.offers, ids: catalog.offers.map(\.id))
    }

    static func read(_ mapping: Mapping, _ load: (String) -> Catalog?) -> CaseOffers {
        guard let field = mapping.optional("catalog") else {
            return mapping.has("catalog") ? CaseOffers() : own(mapping)
        }
        mapping.key("offers")?.refuse(
            .notAllowed, "`offers` does not go with `catalog`",
            hint: "put the offers into the catalog, or leave `catalog` out")
        mapping.key("unchecked")?.refuse(
            .notAllowed, "`unchecked` goes with `offers` only", hint: "a catalog is always checked")
        if case .mapping = field.node.content {
            return CatalogReader.read(field).map(all(of:)) ?? CaseOffers()
        }
        guard let path = field.text() else { return CaseOffers() }
        guard let catalog = load(path) else {
            field.refuse(
                .invalidValue, "the catalog \(quoted(path)) cannot be used",
                hint:
                    "the path is relative to this file; `offerctl catalog validate` shows what is wrong with a catalog")
            return CaseOffers()
        }
        return all(of: catalog)
    }

    private static func own(_ mapping: Mapping) -> CaseOffers {
        guard let field = mapping.optional("offers") else { return CaseOffers(ids: mapping.has("offers") ? nil : []) }
        guard let entries = field.entries() else { return CaseOffers() }
        var context = CatalogContext()
        context.isUnchecked = mapping.optional("unchecked")?.boolean() ?? false
        let offers = entries.compactMap { CaseOfferReader.read($0.value, id: $0.key, &context) }
        context.refuseFormerIdsInUse()
        context.warnAboutUnknownOffers()
        context.warnAboutUnknownTags()
        return CaseOffers(offers: offers.sorted { $0.id < $1.id }, ids: entries.map { OfferId($0.key) }.sorted())
    }

    var usualProduct: Product {
        catalog?.subscriptionGroups.first?.products.first ?? CaseWorld.product
    }

    /// The product of that name; without a catalog every product costs the same.
    func product(_ id: ProductId) -> Product? {
        guard let catalog else { return CaseWorld.product }
        return catalog.product(id)?.product
    }

    func type(of product: ProductId) -> TransactionType {
        catalog?.otherProducts.first { $0.productId == product }?.type.transactionType ?? .autoRenewableSubscription
    }

    func group(of product: ProductId) -> SubscriptionGroupId? {
        guard let catalog else { return CaseWorld.group(of: product) }
        return catalog.product(product)?.group.id
    }
}

/// The histories of a file: by name, or written into a case.
struct CaseHistories {
    private let named: [String: CaseHistory?]
    private let reader: CaseHistoryReader

    init(_ mapping: Mapping, _ reader: CaseHistoryReader) {
        self.reader = reader
        var named: [String: CaseHistory?] = [:]
        for entry in mapping.optional("histories")?.entries() ?? [] {
            named.updateValue(reader.read(entry.value), forKey: entry.key)
        }
        self.named = named
    }

    /// The history that a case names or states; `nil` if there is an error in it.
    func read(_ field: Field) -> CaseHistory? {
        guard case .scalar = field.node.content else { return reader.read(field) }
        guard let name = field.text() else { return nil }
        guard let history = named[name] else {
            return field.refuse(
                .unknownValue, "there is no history \(quoted(name)) in this file",
                hint: Suggestion.hint(for: name, among: named.keys.sorted(), noun: "the histories are")
                    ?? "list it under `histories`")
        }
        return history
    }
}

/// Reads an offer that a file of cases states itself: the form of the catalog with every key optional.
///
/// Members that are left out describe a free month of ``CaseWorld/product`` without limits, so that a case is short.
/// Terms are not held to what App Store Connect offers.
enum CaseOfferReader {
    static let keys = OfferReader.keys.filter { $0 != "id" }

    static func read(_ field: Field, id: String, _ context: inout CatalogContext) -> Offer? {
        guard let mapping = field.mapping(keys) else { return nil }
        context.insert(OfferId(id), at: field)
        let type = mapping.has("type") ? mapping.optional("type")?.choice(OfferType.self) : .promotional
        let usual: Delivery = type == .introductory ? .introductoryEligibility : .signature
        let delivery = mapping.optional("delivery")?.choice(Delivery.self) ?? usual
        let mode = mapping.optional("paymentMode")?.choice(PaymentMode.self) ?? .freeTrial
        let status = mapping.optional("status")?.choice(OfferStatus.self) ?? .active
        let period = mapping.optional("period")?.period() ?? Period(months: 1)
        let count = mapping.optional("periodCount")?.wholeNumber(AppleTerms.periodCounts) ?? 1
        let products =
            mapping.optional("products")?.list()?.distinct { $0.id(.productId) } ?? [CaseWorld.product.productId]
        let identifier = mapping.optional("offerIdentifier")?.id(.promotionalOfferIdentifier) as OfferIdentifier?
        let price = mapping.optional("price")?.money()
        let again = AgainReader.read(mapping, type)
        let limits =
            mapping.optional("limits").flatMap { LimitReader.read($0, [], type: type, again: again, &context) } ?? []
        let setConditions = OfferReader.conditions(mapping, of: OfferId(id), &context)
        let formats = mapping.optional("formats")?.list()?.distinct { $0.choice(SignatureFormat.self) }
        let winBackTerms = WinBackTermsReader.read(mapping, type, nil)
        var offer = Offer(
            id: OfferId(id), type: type ?? .promotional, delivery: delivery, offerIdentifier: identifier,
            products: products,
            paymentMode: mode, period: period, periodCount: count, price: price, limits: limits)
        setConditions(&offer)
        offer.again = again
        offer.status = status
        if let formats { offer.formats = formats }
        offer.winBackTerms = winBackTerms
        return offer
    }
}

/// Reads a condition of an `unchecked` file as it is written: whether the fact exists and the values fit its operator
/// is left to the evaluator, whose answers to nonsense need cases too.
enum UncheckedConditionReader {
    static func read(_ field: Field) -> RuleNode? {
        guard let mapping = field.mapping(["all", "any", "not", "fact"] + ComparisonOperator.allCases.map(\.rawValue))
        else { return nil }
        if let items = mapping.optional("all") { return children(items).map { .all($0) } }
        if let items = mapping.optional("any") { return children(items).map { .any($0) } }
        if let child = mapping.optional("not") { return read(child).map { .not($0) } }
        let written = ComparisonOperator.allCases.filter { mapping.has($0.rawValue) }
        guard let fact = mapping.required("fact")?.text(), written.count == 1, let name = written.first else {
            return field.refuse(
                .missingOperator, "a comparison has a fact and one operator", hint: "add one, such as `is` or `atLeast`"
            )
        }
        guard let operands = mapping.optional(name.rawValue).flatMap(operands) else { return nil }
        return .comparison(Comparison(fact: fact, comparisonOperator: name, operands: operands))
    }

    private static func children(_ field: Field) -> [RuleNode]? {
        guard let items = field.list(allowsEmpty: true) else { return nil }
        let nodes = items.compactMap(read)
        return nodes.count == items.count ? nodes : nil
    }

    private static func operands(_ field: Field) -> [FactValue]? {
        guard case .sequence = field.node.content else { return field.factValue().map { [$0] } }
        guard let items = field.list(allowsEmpty: true) else { return nil }
        let values = items.compactMap { $0.factValue() }
        return values.count == items.count ? values : nil
    }
}

extension Mapping {
    /// An optional value that may also be written as null, which says that there must be none.
    func expected<Value>(_ key: String, _ read: (Field) -> Value?) -> Expected<Value>? {
        if isNull(key) { return .nothing }
        return optional(key).flatMap(read).map(Expected.value)
    }
}

extension Field {
    /// The entries of a mapping whose keys are names of the file's own; repeated ones are logged.
    func entries() -> [(key: String, value: Field)]? {
        guard case .mapping(let entries) = node.content else {
            return refuse(.wrongType, "this must be a mapping, not \(node.kind)")
        }
        let keys = entries.map(\.key)
        guard let mapping = mapping(keys) else { return nil }
        var seen: Set<String> = []
        return keys.filter { seen.insert($0).inserted }.compactMap { key in
            mapping.optional(key).map { (key, $0) }
        }
    }

    /// ISO 8601 with an offset, or Apple's milliseconds.
    func caseInstant() -> Instant? {
        if case .scalar(let text, isQuoted: false) = node.content, let milliseconds = Int64(text) {
            return accepted(Instant(milliseconds: milliseconds), text)
        }
        return instant()
    }
}
