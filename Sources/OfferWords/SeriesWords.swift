package import OfferAPI
import OfferModel

/// What a series says, for the table of `offerctl report series` and the console.
package enum SeriesWords {
    package static let columns = ["from", "requests", "eligible", "issued", "redeemed", "spend", "revenue"]

    /// A row for each bucket, then one of their sums.
    package static func rows(_ series: OfferSeries) -> [[String?]] {
        series.buckets.map { row($0.date, [$0]) } + [row("total", series.buckets)]
    }

    private static func row(_ name: String, _ buckets: [OfferSeries.Bucket]) -> [String?] {
        func sum(_ count: KeyPath<OfferSeries.Bucket, Int>) -> String {
            String(buckets.reduce(0) { $0.saturatingAdding($1[keyPath: count]) })
        }
        return [
            name, sum(\.requests), sum(\.eligible), sum(\.issued), sum(\.redeemed), total(buckets.map(\.spend)),
            total(buckets.map(\.revenue)),
        ]
    }

    /// The sum by currency, such as `9.98 EUR, 5.00 USD`; `nil` if there is nothing.
    private static func total(_ prices: [[Price]]) -> String? {
        var sums: [String: Int64] = [:]
        for price in prices.joined() {
            sums[price.currency] = sums[price.currency, default: 0]
                .saturatingAdding(Money.milliunits(price.amount) ?? 0)
        }
        let texts = sums.sorted { $0.key < $1.key }.map {
            NumberWords.money(Money(milliunits: $0.value, currency: $0.key).amount, $0.key)
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The rules that refused, the most frequent first.
    package static func refusals(_ series: OfferSeries) -> [(rule: String, count: Int)] {
        var counts: [String: Int] = [:]
        for refused in series.buckets.flatMap(\.refused) {
            counts[refused.rule] = counts[refused.rule, default: 0].saturatingAdding(refused.count)
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    package static let trialColumns = ["trials of", "ended", "converted", "undecided"]
    package static let churnColumns = ["periods of", "due", "lost", "undecided"]

    /// The trials that ended in the whole range, a row for each product; empty unless the series counts them.
    package static func trials(_ series: OfferSeries) -> [[String]] {
        byProduct(
            series.buckets.flatMap { $0.trials ?? [] }.map { ($0.productId, [$0.ended, $0.converted, $0.undecided]) })
    }

    /// The other periods that ended in the whole range, a row for each product; empty unless the series counts them.
    package static func churn(_ series: OfferSeries) -> [[String]] {
        byProduct(series.buckets.flatMap { $0.churn ?? [] }.map { ($0.productId, [$0.due, $0.lost, $0.undecided]) })
    }

    private static func byProduct(_ counts: [(ProductId, [Int])]) -> [[String]] {
        var sums: [ProductId: [Int]] = [:]
        for (product, numbers) in counts {
            sums[product] = zip(sums[product] ?? [0, 0, 0], numbers).map { $0.saturatingAdding($1) }
        }
        return sums.sorted { $0.key < $1.key }.map { [$0.key.rawValue] + $0.value.map { String($0) } }
    }

    package static func notes(_ series: OfferSeries) -> [String] {
        let removed = series.buckets.reduce(0) { $0.saturatingAdding($1.removed) }
        let unpriced = series.buckets.reduce(0) { $0.saturatingAdding($1.redeemedWithoutCost) }
        let granted = series.buckets.reduce(0) { $0.saturatingAdding($1.granted) }
        return [
            granted > 0 ? "issued by grants of support, in none of these numbers: \(granted)" : nil,
            "spend: the nominal discount of the redeemed; revenue: paid at full price after them",
            series.buckets.contains { $0.trials != nil }
                ? "trials and other periods: of all customers of its products, by the date of the end" : nil,
            unpriced > 0 ? "redeemed, but the catalog does not say the discount: \(unpriced)" : nil,
            removed > 0 ? "refusals whose reasons are no longer recorded: \(removed)" : nil,
        ].compactMap(\.self)
    }
}
