import OfferModel

/// The terms that App Store Connect allows for a product and an offer.
enum AppleTerms {
    /// `SubscriptionOfferDuration` of the App Store Connect API.
    static let offerPeriods = periods(["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"])

    /// The lengths of a subscription; three days occur in StoreKit testing.
    static let productPeriods = periods(Product.periods)

    /// The most periods of one offer: weekly and monthly products may be discounted twelve times.
    static let periodCounts = 1...12

    /// `customerEligibilityPaidSubscriptionDurationInMonths` of a win-back offer.
    static func isPaidDuration(_ months: Int) -> Bool {
        (1...24).contains(months) || months == 36 || months == 48 || months == 60
    }

    /// `customerEligibilityTimeSinceLastSubscribedInMonths` of a win-back offer.
    static let monthsSinceLastSubscribed = 1...24

    /// `customerEligibilityWaitBetweenOffersInMonths` of a win-back offer.
    static let monthsBetweenOffers = 2...24

    private static func periods(_ texts: [String]) -> [Period] {
        texts.compactMap { Period($0) }
    }
}

extension Field {
    func period(among allowed: [Period]) -> Period? {
        guard let (period, text) = writtenPeriod() else { return nil }
        guard allowed.contains(period) else {
            let words = allowed.map { "`\($0)`" }.joined(separator: ", ")
            return refuse(.unknownValue, "the App Store has no period `\(text)`", hint: "one of \(words)")
        }
        return period
    }

    /// `{ amount: "9.99", currency: USD }`.
    func money() -> Money? {
        guard let mapping = mapping(["amount", "currency"]) else { return nil }
        let milliunits = mapping.required("amount")?.milliunits()
        let currency = mapping.required("currency")?.currency()
        guard let milliunits, let currency else { return nil }
        return Money(milliunits: milliunits, currency: currency)
    }

    func milliunits() -> Int64? {
        guard let text = text() else { return nil }
        if let milliunits = Money.milliunits(text) { return milliunits }
        return refuse(
            .invalidValue, "\(quoted(text)) is not an amount",
            hint: "write digits with at most three decimals, such as `\"9.99\"`")
    }

    func currency() -> String? {
        guard let text = text() else { return nil }
        if Money.isCurrencyCode(text) { return text }
        return refuse(
            .invalidValue, "\(quoted(text)) is not a currency", hint: "write three capital letters, such as `USD`")
    }
}

struct OfferTerms {
    var mode: PaymentMode
    var period: Period
    var count: Int
    var price: Money?
}

enum TermsReader {
    /// - Parameter plan: the billing plan that the offer belongs to.
    static func read(
        _ mapping: Mapping, _ products: [ProductId]?, of plan: BillingPlanType?, _ context: CatalogContext
    ) -> OfferTerms? {
        let mode = mapping.required("paymentMode")?.choice(PaymentMode.self)
        let period = mapping.required("period")?.period(among: AppleTerms.offerPeriods)
        let count = mapping.required("periodCount")?.wholeNumber(AppleTerms.periodCounts)
        if mode == .freeTrial {
            mapping.key("price")?.refuse(.notAllowed, "a free trial has no price", hint: "leave `price` out")
        }
        let hasPrice = mode == .payAsYouGo || mode == .payUpFront
        let priceField = hasPrice ? mapping.required("price") : mode == nil ? mapping.optional("price") : nil
        let price = priceField?.money()
        guard let mode, let period, let count else { return nil }
        let terms = OfferTerms(mode: mode, period: period, count: count, price: price)
        for id in products ?? [] {
            guard let product = context.subscriptions[id]?.product.billed(by: plan) else { continue }
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
                "the price is in \(price.currency), but `\(product.productId)` is sold in \(product.price.currency)",
                hint: "nothing is converted: write the price in \(product.price.currency)")
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

/// Reads App Store Connect's conditions of a win-back offer (facts of `WinBackOffer` in the App Store Connect API).
enum WinBackTermsReader {
    static let keys = [
        "paidSubscriptionDurationInMonths", "timeSinceLastSubscribedInMonths", "waitBetweenOffersInMonths",
    ]

    static func read(_ mapping: Mapping, _ type: OfferType?, _ delivery: Delivery?) -> WinBackTerms? {
        let written = keys.filter(mapping.has)
        if delivery == .appStore { warn(mapping, lacking: keys.prefix(2).filter { !written.contains($0) }) }
        guard !written.isEmpty else { return nil }
        guard type == .winBack || type == nil else {
            for key in written {
                mapping.key(key)?.refuse(.notAllowed, "`\(key)` goes with `type: winBack` only", hint: "leave it out")
            }
            return nil
        }
        return WinBackTerms(
            paidSubscriptionDurationInMonths: mapping.optional(keys[0]).flatMap(paidDuration),
            timeSinceLastSubscribedInMonths: mapping.optional(keys[1]).flatMap(timeSinceLastSubscribed),
            waitBetweenOffersInMonths: mapping.optional(keys[2])?.wholeNumber(AppleTerms.monthsBetweenOffers))
    }

    /// App Store Connect has the first two of every win-back offer; what it asks for here goes unasked.
    private static func warn(_ mapping: Mapping, lacking keys: [String]) {
        guard !keys.isEmpty, let field = mapping.optional("delivery") else { return }
        field.warn(
            .unusualTerms, "App Store Connect asks for \(keys.map { "`\($0)`" }.joined(separator: " and "))",
            hint: "state what you entered there; without it every lapsed customer passes here")
    }

    private static func paidDuration(_ field: Field) -> Int? {
        guard let months = field.wholeNumber(1...60) else { return nil }
        guard AppleTerms.isPaidDuration(months) else {
            return field.refuse(.outOfRange, "\(months) is not a duration Apple has", hint: "1 to 24, 36, 48 or 60")
        }
        return months
    }

    private static func timeSinceLastSubscribed(_ field: Field) -> ClosedRange<Int>? {
        guard let mapping = field.mapping(["minimum", "maximum"]) else { return nil }
        let minimum = mapping.required("minimum")?.wholeNumber(AppleTerms.monthsSinceLastSubscribed)
        let maximum = mapping.required("maximum")?.wholeNumber(AppleTerms.monthsSinceLastSubscribed)
        guard let minimum, let maximum else { return nil }
        guard minimum <= maximum else {
            return field.refuse(.contradiction, "the minimum \(minimum) is more than the maximum \(maximum)")
        }
        return minimum...maximum
    }
}
