/// The best of several eligible offers: the largest priority, then the largest value to the customer, then the smallest
/// id (docs/catalog.md, "A larger `priority` wins").
public struct Choice: Sendable, Hashable {
    public var offerId: OfferId
    /// The others, from the best to the least, with what decided against each.
    public var others: [Rejected]

    public struct Rejected: Sendable, Hashable {
        public var offerId: OfferId
        public var reason: Reason
    }

    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case priority, value, id
    }

    public struct Candidate: Sendable, Hashable {
        public var offerId: OfferId
        public var priority: Int
        /// The customer's saving; absent if unknown.
        public var value: Money?

        public init(offerId: OfferId, priority: Int, value: Money?) {
            self.offerId = offerId
            self.priority = priority
            self.value = value
        }
    }

    /// Chooses; `nil` without candidates, whose order does not matter.
    ///
    /// Amounts of different currencies do not compare: among offers of one priority the value decides only if all of
    /// them have one, in the same currency.
    public init?(among candidates: [Candidate]) {
        let comparable = Dictionary(grouping: candidates, by: \.priority).filter { _, equals in
            guard let currency = equals.first?.value?.currency else { return false }
            return equals.allSatisfy { $0.value?.currency == currency }
        }
        func reason(_ left: Candidate, _ right: Candidate) -> Reason {
            if left.priority != right.priority { return .priority }
            return left.value != right.value && comparable[left.priority] != nil ? .value : .id
        }
        let ranked = candidates.sorted { left, right in
            switch reason(left, right) {
            case .priority: left.priority > right.priority
            case .value: (left.value?.milliunits ?? 0) > (right.value?.milliunits ?? 0)
            case .id: left.offerId < right.offerId
            }
        }
        guard let best = ranked.first else { return nil }
        offerId = best.offerId
        others = ranked.dropFirst().map { Rejected(offerId: $0.offerId, reason: reason(best, $0)) }
    }

    /// The choice in words, for staff; it names other offers.
    public var sentence: String {
        guard !others.isEmpty else { return "the only eligible offer" }
        let reasons = Reason.allCases.compactMap { reason -> String? in
            let names = others.filter { $0.reason == reason }.map { "`\($0.offerId)`" }
            return names.isEmpty ? nil : "\(names.joined(separator: ", ")): \(reason.words)"
        }
        return "chosen over " + reasons.joined(separator: "; over ")
    }
}

extension Choice.Reason {
    fileprivate var words: String {
        switch self {
        case .priority: "higher priority"
        case .value: "same priority, worth more to the customer"
        case .id: "same priority and no more value, first by id"
        }
    }
}

extension Offer {
    /// The customer's nominal saving: the regular price for the offer's length minus what is paid, by the catalog.
    ///
    /// The regular price is taken in proportion and rounded down to a milliunit; where days and months meet, a month
    /// has 30 days. Nothing is converted: `nil` if the two prices are in different currencies.
    ///
    /// - Parameter product: the product that the offer discounts.
    public func value(on product: Product) -> Money? {
        let length = period.multiplied(by: periodCount)
        guard let regular = product.billed(by: billingPlan).regularPrice(of: length) else { return nil }
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
