public import OfferModel

/// Reads a file of cases (`docs/cases.md`), strictly: every error of the file is found in one pass.
public enum CaseReader {
    /// Reads YAML or JSON.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - vocabulary: the words of the evaluator.
    ///   - catalog: reads the catalog at a path that the file names, relative to the file; `nil` if it cannot be used,
    ///     which the caller has to explain.
    /// - Throws: ``InvalidDocument`` with every error in the order of lines.
    public static func read(
        _ bytes: [UInt8], vocabulary: CaseVocabulary, catalog: (String) -> Catalog?
    ) throws(InvalidDocument) -> ValidDocument<CaseFile> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["catalog", "offers", "unchecked", "histories", "cases"]) else {
                return nil
            }
            guard let source = CaseOffers.read(mapping, catalog) else { return nil }
            let histories = CaseHistories(mapping, CaseHistoryReader(source: source))
            guard let fields = mapping.required("cases")?.list() else { return nil }
            let reader = SingleCaseReader(source: source, histories: histories, vocabulary: vocabulary)
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
    let catalog: Catalog?
    let offers: [Offer]

    static func read(_ mapping: Mapping, _ load: (String) -> Catalog?) -> CaseOffers? {
        guard let field = mapping.optional("catalog") else {
            guard !mapping.has("catalog") else { return nil }
            return own(mapping).map { CaseOffers(catalog: nil, offers: $0) }
        }
        mapping.refuse(
            key: "offers", .notAllowed, "`offers` does not go with `catalog`",
            hint: "put the offers into the catalog, or leave `catalog` out")
        mapping.refuse(
            key: "unchecked", .notAllowed, "`unchecked` goes with `offers` only", hint: "a catalog is always checked")
        guard let path = field.text() else { return nil }
        guard let catalog = load(path) else {
            field.refuse(
                .invalidValue, "the catalog \(quoted(path)) cannot be used",
                hint:
                    "the path is relative to this file; `offerctl catalog validate` shows what is wrong with a catalog")
            return nil
        }
        return CaseOffers(catalog: catalog, offers: catalog.offers)
    }

    private static func own(_ mapping: Mapping) -> [Offer]? {
        guard let field = mapping.optional("offers") else { return mapping.has("offers") ? nil : [] }
        guard let entries = field.entries() else { return nil }
        var context = OfferContext(groups: [], named: nil)
        context.isUnchecked = mapping.optional("unchecked")?.boolean() ?? false
        let offers = entries.compactMap { CaseOfferReader.read($0.value, id: $0.key, &context) }
        context.warnAboutUnknownOffers()
        context.warnAboutUnknownTags()
        return offers.count == entries.count ? offers.sorted { $0.id < $1.id } : nil
    }

    /// What is bought unless a case says otherwise.
    var usualProduct: Product {
        catalog?.subscriptionGroups.first?.products.first ?? CaseWorld.product
    }

    /// The product of that name; without a catalog every product costs the same.
    func product(_ id: ProductId) -> Product? {
        guard let catalog else { return CaseWorld.product }
        return catalog.product(id)?.product
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
            field.refuse(
                .unknownValue, "there is no history \(quoted(name)) in this file",
                hint: Suggestion.hint(for: name, among: named.keys.sorted(), noun: "the histories are")
                    ?? "list it under `histories`")
            return nil
        }
        return history
    }
}
