import Charts
import CommandLineSupport
import OfferAPI
import OfferModel

struct SeriesText {
    let palette: Palette

    func report(_ series: OfferSeries) -> String {
        let range = "\(TimeText.absolute(series.from)) until \(TimeText.absolute(series.to))"
        let head = [
            palette.paint(series.offer.rawValue.printable, .heading),
            "  each event by its own date, from \(range)",
            "  by \(series.by.rawValue) in \(series.timeZone.printable)",
        ]
        let parts = [head, table(series), lines(series), refusals(series)] + products(series) + [notes(series)]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func table(_ series: OfferSeries) -> [String] {
        let rows = series.buckets.map { row($0.date, [$0]) }
        return TextTable(
            ["FROM", "REQUESTS", "ELIGIBLE", "ISSUED", "REDEEMED", "SPEND", "REVENUE"], alignedRight: Set(1...6),
            rows: rows + [row("total", series.buckets)]
        ).lines(palette, indent: 2)
    }

    private func row(_ name: String, _ buckets: [OfferSeries.Bucket]) -> [String?] {
        func sum(_ count: KeyPath<OfferSeries.Bucket, Int>) -> String {
            String(buckets.reduce(0) { $0.saturatingAdding($1[keyPath: count]) })
        }
        return [
            name, sum(\.requests), sum(\.eligible), sum(\.issued), sum(\.redeemed), Self.total(buckets.map(\.spend)),
            Self.total(buckets.map(\.revenue)),
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
            Money(milliunits: $0.value, currency: $0.key).description.printable
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The course of the counts, on a terminal wide enough.
    private func lines(_ series: OfferSeries) -> [String] {
        guard let width = palette.width, series.buckets.count > 1, series.buckets.count + 12 <= width else { return [] }
        return [
            ("requests", \OfferSeries.Bucket.requests), ("issued", \.issued), ("redeemed", \.redeemed),
        ].compactMap { name, count in
            let numbers = series.buckets.map { $0[keyPath: count] }
            guard numbers.contains(where: { $0 > 0 }) else { return nil }
            let line = Sparkline.text(numbers.map { ChartNumber($0) })
            return "  \(name)\(String(repeating: " ", count: max(0, 10 - name.count)))\(line)"
        }
    }

    private func refusals(_ series: OfferSeries) -> [String] {
        var counts: [String: Int] = [:]
        for refused in series.buckets.flatMap(\.refused) {
            counts[refused.rule] = counts[refused.rule, default: 0].saturatingAdding(refused.count)
        }
        let table = TextTable(
            ["REFUSED BY", "REFUSALS"], alignedRight: [1],
            rows: counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { [$0.key, String($0.value)] })
        return table.isEmpty ? [] : table.lines(palette, indent: 2)
    }

    /// What ended in the whole range, by product.
    private func products(_ series: OfferSeries) -> [[String]] {
        let trials = series.buckets.flatMap { $0.trials ?? [] }
            .map { ($0.productId, [$0.ended, $0.converted, $0.undecided]) }
        let churn = series.buckets.flatMap { $0.churn ?? [] }.map { ($0.productId, [$0.due, $0.lost, $0.undecided]) }
        return [
            products(["TRIALS OF", "ENDED", "CONVERTED", "UNDECIDED"], trials),
            products(["PERIODS OF", "DUE", "LOST", "UNDECIDED"], churn),
        ]
    }

    private func products(_ header: [String], _ counts: [(ProductId, [Int])]) -> [String] {
        var sums: [ProductId: [Int]] = [:]
        for (product, numbers) in counts {
            sums[product] = zip(sums[product] ?? [0, 0, 0], numbers).map { $0.saturatingAdding($1) }
        }
        let rows = sums.sorted { $0.key < $1.key }.map { [$0.key.rawValue] + $0.value.map { String($0) } }
        return rows.isEmpty ? [] : TextTable(header, alignedRight: [1, 2, 3], rows: rows).lines(palette, indent: 2)
    }

    private func notes(_ series: OfferSeries) -> [String] {
        let removed = series.buckets.reduce(0) { $0.saturatingAdding($1.removed) }
        let unpriced = series.buckets.reduce(0) { $0.saturatingAdding($1.redeemedWithoutCost) }
        let granted = series.buckets.reduce(0) { $0.saturatingAdding($1.granted) }
        return [
            granted > 0 ? "  issued by grants of support, in none of these numbers: \(granted)" : nil,
            "  spend: the nominal discount of the redeemed; revenue: paid at full price after them",
            series.buckets.contains { $0.trials != nil }
                ? "  trials and other periods: of all customers of its products, by the date of the end" : nil,
            unpriced > 0 ? "  redeemed, but the catalog does not say the discount: \(unpriced)" : nil,
            removed > 0 ? "  refusals whose reasons are no longer recorded: \(removed)" : nil,
        ].compactMap(\.self)
    }
}
