/// What a customer paid at full price after a use of an offer (docs/reports.md).
public struct FullPricePayment: Sendable, Hashable {
    /// When the period was bought or charged.
    public var paidAt: Instant
    public var price: Money
}

/// The payments at full price in a customer's subscriptions, by the use of an offer that they follow.
public struct FullPricePayments: Sendable {
    private let rows: [Recorded<Transaction>]

    public init(_ history: History) {
        rows = SubscriptionHistory(SubjectFacts(history: history), countsPaidTime: false).subscriptionRows
    }

    /// The payments after a use in the same subscription, up to the next use of any offer in it: so that each payment
    /// follows one use.
    ///
    /// - Parameters:
    ///   - uses: all uses of offers by the customer.
    ///   - now: what was paid later does not count, nor does a later refund.
    public func after(_ use: Redemption, among uses: [Redemption], at now: Instant) -> [FullPricePayment] {
        guard let first = first(of: use) else { return [] }
        let begun = first.payload.purchaseDate
        let next =
            uses.filter { $0.originalTransactionId == use.originalTransactionId }
            .compactMap { self.first(of: $0)?.payload.purchaseDate }.filter { $0 > begun }.min() ?? .distantFuture
        return rows.compactMap { row in
            let period = row.payload
            guard period.originalTransactionId == use.originalTransactionId, period.purchaseDate <= now,
                begun < period.purchaseDate, period.purchaseDate < next, !row.isOfSamePeriod(as: first),
                row.provenance.isProven, row.isOwned == true, period.offerType == nil,
                period.revocationDate.map({ $0 > now }) ?? true,
                let price = period.price, price > 0, let currency = period.currency,
                Money.isCurrencyCode(currency)
            else { return nil }
            return FullPricePayment(
                paidAt: period.purchaseDate, price: Money(milliunits: price, currency: currency))
        }
    }

    /// The first period of a use; `nil` while it waits for the next renewal, and once it was erased.
    private func first(of use: Redemption) -> Recorded<Transaction>? {
        guard let id = use.transactionId else { return nil }
        return rows.first { $0.payload.transactionId == id }
    }
}
