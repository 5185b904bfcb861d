import OfferModel

/// What App Store Connect lets a product and an offer be.
enum AppleTerms {
    /// `SubscriptionOfferDuration` of the App Store Connect API.
    static let offerPeriods = periods(["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"])

    /// The lengths of a subscription; three days occur in StoreKit testing.
    static let productPeriods = periods(["P3D", "P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"])

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
    /// One of the lengths that Apple offers.
    func period(among allowed: [Period]) -> Period? {
        guard let period = period() else { return nil }
        guard allowed.contains(period) else {
            let words = allowed.map { "`\($0)`" }.joined(separator: ", ")
            refuse(.unknownValue, "the App Store has no period `\(period)`", hint: "one of \(words)")
            return nil
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
        refuse(
            .invalidValue, "\(quoted(text)) is not an amount",
            hint: "write digits with at most three decimals, such as `\"9.99\"`")
        return nil
    }

    func currency() -> String? {
        guard let text = text() else { return nil }
        if Money.isCurrencyCode(text) { return text }
        refuse(.invalidValue, "\(quoted(text)) is not a currency", hint: "write three capital letters, such as `USD`")
        return nil
    }
}
