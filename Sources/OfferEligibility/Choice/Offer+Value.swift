public import OfferModel

extension Offer {
    /// What the customer saves, nominally: the regular price for the offer's length minus what is paid, by the catalog.
    ///
    /// The regular price is taken in proportion and rounded down to a milliunit; where days and months meet, a month has
    /// 30 days. Nothing is converted: `nil` if the two prices are in different currencies.
    ///
    /// - Parameter product: the product that the offer discounts.
    public func value(on product: Product) -> Money? {
        let length = period.multiplied(by: periodCount)
        guard let regular = product.regularPrice(of: length) else { return nil }
        guard let price else { return regular }
        guard price.currency == regular.currency else { return nil }
        let payments: Int64 = paymentMode == .payAsYouGo ? Int64(periodCount) : 1
        let (paid, overflow) = price.milliunits.multipliedReportingOverflow(by: payments)
        guard !overflow else { return nil }
        return Money(milliunits: regular.milliunits.saturatingSubtracting(paid), currency: regular.currency)
    }
}

extension Product {
    /// `nil` for a length that does not measure in days or months, or is beyond any price.
    fileprivate func regularPrice(of length: Period) -> Money? {
        let areMonths = period.days == 0 && length.days == 0
        let (own, whole) =
            areMonths ? (period.months, length.months) : (period.nominalDays, length.nominalDays)
        guard own > 0 else { return nil }
        let (product, overflow) = price.milliunits.multipliedReportingOverflow(by: Int64(whole))
        return overflow ? nil : Money(milliunits: product / Int64(own), currency: price.currency)
    }
}

extension Period {
    fileprivate var nominalDays: Int { days.saturatingAdding(months.saturatingMultiplied(by: 30)) }
}
