import OfferAPI
import OfferModel

/// Counts the events of an offer by their dates; those outside of the range count nowhere.
struct OfferSeriesTally {
    let range: Range<Instant>
    private var buckets: [Bucket]
    private let countsProducts: Bool

    private struct Bucket {
        let calendar: CalendarBucket
        var requests = 0
        var eligible = 0
        var issued = 0
        var granted = 0
        var redeemed = 0
        var redeemedWithoutCost = 0
        var removed = 0
        /// By rule, and by currency in milliunits.
        var refused: [RuleId: Int] = [:]
        var spend: [String: Int64] = [:]
        var revenue: [String: Int64] = [:]
        var trials: [ProductId: Ends] = [:]
        var churn: [ProductId: Ends] = [:]
    }

    private struct Ends {
        var all = 0
        var renewed = 0
        var undecided = 0
    }

    /// - Parameters:
    ///   - buckets: in order and without a gap; together they cover the range.
    ///   - countsProducts: whether ``count(_:)`` will be told every ended period of the offer's products.
    init(_ buckets: [CalendarBucket], _ range: Range<Instant>, countsProducts: Bool) {
        self.range = range
        self.countsProducts = countsProducts
        self.buckets = buckets.map { Bucket(calendar: $0) }
    }

    mutating func count(issuedAt instant: Instant) {
        change(at: instant) {
            $0.requests += 1
            $0.eligible += 1
            $0.issued += 1
        }
    }

    /// An issued offer that needed a grant of support; what follows from it counts nowhere.
    mutating func count(grantedAt instant: Instant) { change(at: instant) { $0.granted += 1 } }

    /// A further signing of an issued offer.
    mutating func count(signedAt instant: Instant) {
        change(at: instant) {
            $0.requests += 1
            $0.eligible += 1
        }
    }

    /// - Parameter rules: what blocked the offer; `nil` if that is not recorded any more.
    mutating func count(refusedAt instant: Instant, by rules: BlockingRules?) {
        change(at: instant) { bucket in
            bucket.requests += 1
            guard let rules else {
                bucket.removed += 1
                return
            }
            if rules.kind == .heldOut || rules.kind == .notInRollout { bucket.eligible += 1 }
            for rule in Set(rules.deciding.map(\.rule)) { bucket.refused[rule, default: 0] += 1 }
        }
    }

    mutating func count(redeemedAt instant: Instant, cost: Money?) {
        change(at: instant) { bucket in
            bucket.redeemed += 1
            if let cost { bucket.spend.add(cost) } else { bucket.redeemedWithoutCost += 1 }
        }
    }

    mutating func count(_ payment: FullPricePayment) {
        change(at: payment.paidAt) { $0.revenue.add(payment.price) }
    }

    mutating func count(_ period: EndedPeriod) {
        change(at: period.endedAt) { bucket in
            let ends: WritableKeyPath<Bucket, [ProductId: Ends]> = period.isTrial ? \.trials : \.churn
            bucket[keyPath: ends][period.productId, default: Ends()].all += 1
            switch period.outcome {
            case .renewed: bucket[keyPath: ends][period.productId, default: Ends()].renewed += 1
            case .undecided: bucket[keyPath: ends][period.productId, default: Ends()].undecided += 1
            case .lost: break
            }
        }
    }

    private mutating func change(at instant: Instant, _ change: (inout Bucket) -> Void) {
        guard range.contains(instant) else { return }
        var (low, high) = (0, buckets.count)
        while low < high {
            let middle = low + (high - low) / 2
            if buckets[middle].calendar.range.upperBound <= instant { low = middle + 1 } else { high = middle }
        }
        if low < buckets.count { change(&buckets[low]) }
    }

    var result: [OfferSeries.Bucket] {
        buckets.map { counted in
            OfferSeries.Bucket { bucket in
                (bucket.from, bucket.date) = (counted.calendar.range.lowerBound, counted.calendar.date)
                (bucket.requests, bucket.eligible, bucket.issued) = (counted.requests, counted.eligible, counted.issued)
                (bucket.redeemed, bucket.redeemedWithoutCost) = (counted.redeemed, counted.redeemedWithoutCost)
                (bucket.granted, bucket.removed) = (counted.granted, counted.removed)
                bucket.refused = counted.refused.sorted {
                    ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
                }.map { rule, count in
                    OfferSeries.RefusedBy { ($0.rule, $0.count) = (rule.rawValue, count) }
                }
                (bucket.spend, bucket.revenue) = (counted.spend.prices, counted.revenue.prices)
                guard countsProducts else { return }
                bucket.trials = counted.trials.sorted { $0.key < $1.key }.map { product, ends in
                    OfferSeries.EndedTrials {
                        ($0.productId, $0.ended) = (product, ends.all)
                        ($0.converted, $0.undecided) = (ends.renewed, ends.undecided)
                    }
                }
                bucket.churn = counted.churn.sorted { $0.key < $1.key }.map { product, ends in
                    OfferSeries.DuePeriods {
                        ($0.productId, $0.due) = (product, ends.all)
                        ($0.lost, $0.undecided) = (ends.all - ends.renewed - ends.undecided, ends.undecided)
                    }
                }
            }
        }
    }
}

extension [String: Int64] {
    fileprivate mutating func add(_ money: Money) {
        self[money.currency] = self[money.currency, default: 0].saturatingAdding(money.milliunits)
    }

    /// By currency.
    fileprivate var prices: [Price] {
        sorted { $0.key < $1.key }.map { Price(Money(milliunits: $0.value, currency: $0.key)) }
    }
}
