import OfferModel

/// Reads `limits` (docs/design.md#issued-offers-and-limits).
enum LimitReader {
    private static let keys = ["count", "per", "window", "across", "spend", "currency"]

    /// - Parameter products: those that the offer discounts, as far as the catalog lists them.
    static func read(
        _ field: Field?, _ products: [Product], type: OfferType?, again: Period?, _ context: inout CatalogContext
    ) -> [Limit]? {
        guard let field, let items = field.list(allowsEmpty: true) else { return nil }
        if items.isEmpty {
            field.warn(
                .unlimited, "the offer has no limit: \((type ?? .promotional).unlimitedUse(again: again))",
                hint: type == .introductory
                    ? "write `limits: [ { count: 10000 } ]` for at most 10,000 uses in all"
                    : "write `limits: [ { count: 1, per: customer } ]` for once per customer")
        }
        var limits: [Limit] = []
        for item in items {
            if let limit = limit(item, products, &context) { limits.append(limit) }
        }
        let isPerAccountOnly = !limits.isEmpty && limits.allSatisfy { if case .perAccount = $0 { true } else { false } }
        if isPerAccountOnly, type != .introductory {
            field.warn(
                .unlimited, "every limit is per app account: a customer who signs up again may have the offer again",
                hint: "add `{ count: 1, per: customer }`, which counts by Apple Account")
        }
        if again != nil, let once = limits.firstIndex(where: \.isOncePerCustomer) {
            items[once].refuse(
                .contradiction, "once per customer, the offer is never given `again`",
                hint: "raise `count`, or add a `window`")
        }
        return limits.count == items.count ? limits : nil
    }

    private static func limit(_ field: Field, _ products: [Product], _ context: inout CatalogContext) -> Limit? {
        guard let mapping = field.mapping(keys) else { return nil }
        if mapping.has("spend") { return budget(mapping, products) }
        mapping.key("currency")?.refuse(.notAllowed, "`currency` goes with `spend` only", hint: "leave it out")
        let count = mapping.required("count")?.wholeNumber(1...1_000_000_000)
        if mapping.has("per") { return perPerson(count, mapping, &context) }
        mapping.key("window")?.refuse(
            .notAllowed, "`window` goes with `per` only",
            hint: "add `per: customer` or `per: account`")
        mapping.key("across")?.refuse(
            .notAllowed, "`across` goes with `per: customer` only", hint: "add `per: customer`")
        return count.map { .total(count: $0) }
    }

    private static func perPerson(_ count: Int?, _ mapping: Mapping, _ context: inout CatalogContext) -> Limit? {
        let per = mapping.optional("per")?.choice(LimitSubject.self)
        let window = mapping.optional("window")?.fixedPeriod()
        if per == .account {
            mapping.key("across")?.refuse(
                .notAllowed, "`across` goes with `per: customer` only",
                hint: "leave it out: a limit per account counts the uses of its own offer")
            guard let count, window != nil || !mapping.has("window"), !mapping.has("across") else { return nil }
            return .perAccount(count: count, window: window)
        }
        var across = Limit.Across.thisOffer
        if let field = mapping.optional("across") {
            guard let read = self.across(field) else { return nil }
            across = read
            if case .tag(let tag) = read { context.countedTags.append((tag, field)) }
        }
        guard let count, per != nil, window != nil || !mapping.has("window") else { return nil }
        return .perCustomer(count: count, window: window, across: across)
    }

    private static func across(_ field: Field) -> Limit.Across? {
        guard let text = field.text() else { return nil }
        if text == "all" { return .all }
        if text.hasPrefix("tag:"), TextForm.name.accepts(String(text.dropFirst(4))) {
            return .tag(String(text.dropFirst(4)))
        }
        return field.refuse(.unknownValue, "unknown value \(quoted(text))", hint: "write `all` or `\"tag:NAME\"`")
    }

    private static func budget(_ mapping: Mapping, _ products: [Product]) -> Limit? {
        for key in ["count", "per", "window", "across"] {
            mapping.key(key)?.refuse(
                .notAllowed, "`\(key)` does not go with `spend`", hint: "make it a limit of its own")
        }
        let (field, currencyField) = (mapping.required("spend"), mapping.required("currency"))
        let (milliunits, currency) = (field?.milliunits(), currencyField?.currency())
        if milliunits == 0 {
            field?.refuse(.outOfRange, "the budget is zero", hint: "use `status: draft` to give nothing")
        }
        if let currency, let other = products.first(where: { $0.price.currency != currency }) {
            currencyField?.refuse(
                .currencyMismatch,
                "the budget is in \(currency), but `\(other.productId)` is sold in \(other.price.currency)",
                hint: "nothing is converted: give the budget in the currency of the products")
        }
        guard let milliunits, let currency else { return nil }
        return .budget(Money(milliunits: milliunits, currency: currency))
    }

    private enum LimitSubject: String, CaseIterable {
        case customer, account
    }
}

extension Limit {
    /// Whether it leaves no second use of its offer to a customer.
    fileprivate var isOncePerCustomer: Bool {
        guard case .perCustomer(1, nil, let across) = self else { return false }
        return across == .thisOffer || across == .all
    }
}

extension Offer {
    package var unlimitedUse: String { type.unlimitedUse(again: again) }
}

extension OfferType {
    fileprivate func unlimitedUse(again: Period?) -> String {
        switch self {
        case .introductory:
            again.map { "each customer may have it again `\($0)` after the last one ended" }
                ?? "each customer may have it once, because Apple allows one introductory offer per subscription group"
        case .promotional, .winBack: "each customer may have it again and again"
        }
    }
}
