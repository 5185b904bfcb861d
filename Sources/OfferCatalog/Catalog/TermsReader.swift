import OfferModel

/// What is paid for how long.
struct OfferTerms {
    var mode: PaymentMode
    var period: Period
    var count: Int
    var price: Money?
}

/// Reads `paymentMode`, `period`, `periodCount` and `price`.
enum TermsReader {
    static func read(_ mapping: Mapping, _ products: [ProductId]?, _ catalog: Catalog) -> OfferTerms? {
        let mode = mapping.required("paymentMode")?.choice(PaymentMode.self)
        let period = mapping.required("period")?.period(among: AppleTerms.offerPeriods)
        let count = mapping.required("periodCount")?.wholeNumber(AppleTerms.periodCounts)
        if mode == .freeTrial {
            mapping.refuse(key: "price", .notAllowed, "a free trial has no price", hint: "leave `price` out")
        }
        let priceField = mode == .payAsYouGo || mode == .payUpFront ? mapping.required("price") : nil
        let price = priceField?.money()
        guard let mode, let period, let count else { return nil }
        let terms = OfferTerms(mode: mode, period: period, count: count, price: price)
        for id in products ?? [] {
            guard let product = catalog.product(id)?.product else { continue }
            if let priceField { PriceRules.check(terms, against: product, at: priceField) }
            if mode == .payAsYouGo, period != product.period {
                mapping.optional("period")?.warn(
                    .unusualTerms, "pay as you go is billed every `\(product.period)` for `\(id)`, not `\(period)`",
                    hint: "App Store Connect has pay-as-you-go periods of the product's own length")
            }
        }
        if mode != .payAsYouGo, count > 1 {
            mapping.optional("periodCount")?.warn(
                .unusualTerms, "`\(mode.rawValue)` offers have one period at Apple",
                hint: "write the whole length as `period`, with `periodCount: 1`")
        }
        return mode == .freeTrial || price != nil ? terms : nil
    }
}

/// Compares an offer's price with the product's.
enum PriceRules {
    static func check(_ terms: OfferTerms, against product: Product, at field: Field) {
        guard let price = terms.price else { return }
        guard price.milliunits > 0 else {
            field.refuse(.outOfRange, "the price is zero", hint: "use `paymentMode: freeTrial` without a price")
            return
        }
        guard price.currency == product.price.currency else {
            field.refuse(
                .currencyMismatch,
                "the price is in \(price.currency), but `\(product.productId)` is sold in \(product.price.currency)")
            return
        }
        guard let periods = periodsCovered(by: terms, of: product) else { return }
        let regular = Money(
            milliunits: product.price.milliunits.saturatingMultiplied(by: periods), currency: product.price.currency)
        if price.milliunits > regular.milliunits {
            field.refuse(
                .priceTooHigh, "\(price) is more than the regular price of `\(product.productId)`, \(regular)",
                hint: "the same time costs less without the offer")
        }
    }

    /// How many periods of the product one payment covers, begun ones counted whole; `nil` if days and months meet.
    private static func periodsCovered(by terms: OfferTerms, of product: Product) -> Int64? {
        let paid = terms.mode == .payUpFront ? terms.period.multiplied(by: terms.count) : terms.period
        if paid.months > 0, product.period.months > 0 {
            return Int64(paid.months.saturatingAdding(product.period.months - 1) / product.period.months)
        }
        if paid.days > 0, product.period.days > 0 {
            return Int64(paid.days.saturatingAdding(product.period.days - 1) / product.period.days)
        }
        return nil
    }
}
