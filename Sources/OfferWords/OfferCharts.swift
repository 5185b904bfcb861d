package import Charts
package import OfferAPI
import OfferModel

/// The charts of the answers of the API.
package enum OfferCharts {
    /// The stages of each offer, as the text has them.
    package static func funnel(_ report: FunnelReport) -> [Chart] {
        let range = "\(TimeText.absolute(report.from)) until \(TimeText.absolute(report.to))"
        let when = "first evaluated from \(range), as of \(TimeText.absolute(report.asOf))"
        let charts = report.offers.map { funnel in
            let stages = funnel.stages.evaluated > 0 ? FunnelWords.stages : []
            return Chart.waterfall(
                "Funnel of \(funnel.offerId.rawValue)", subtitle: when, unit: "customers",
                steps: stages.map { ($0.name, ChartNumber($0.value(funnel))) })
        }
        return charts.isEmpty ? [.waterfall("Funnel", subtitle: when, unit: "customers", steps: [])] : charts
    }

    /// One chart of the counts, then one of the money in each currency.
    package static func series(_ series: OfferSeries) -> [Chart] {
        let buckets = series.buckets
        let range = "\(TimeText.absolute(series.from)) until \(TimeText.absolute(series.to))"
        let subtitle = "from \(range), by \(series.by.rawValue) in \(series.timeZone)"
        func chart(_ title: String, _ unit: String, _ measures: [(String, [ChartNumber?])], bars: Bool) -> Chart {
            .series(
                title, subtitle: subtitle, unit: unit, bucket: series.by.rawValue, labels: buckets.map(\.date),
                measures: measures, bars: bars)
        }
        let counts: [(String, KeyPath<OfferSeries.Bucket, Int>)] = [
            ("requests", \.requests), ("eligible", \.eligible), ("issued", \.issued), ("redeemed", \.redeemed),
        ]
        let numbers = chart(
            "Numbers of \(series.offer.rawValue)", "number",
            counts.map { name, count in (name, buckets.map { ChartNumber($0[keyPath: count]) }) }, bars: false)
        let currencies = Set(buckets.flatMap { $0.spend + $0.revenue }.map(\.currency)).sorted()
        return [numbers]
            + currencies.map { currency in
                func amounts(_ prices: KeyPath<OfferSeries.Bucket, [Price]>) -> [ChartNumber?] {
                    buckets.map { bucket in
                        let price = bucket[keyPath: prices].first { $0.currency == currency }
                        return price.map { ChartNumber(decimal: NumberWords.rounded($0.amount, currency)) }
                            ?? ChartNumber(0)
                    }
                }
                return chart(
                    "Money of \(series.offer.rawValue) in \(currency)", currency,
                    [("spend", amounts(\.spend)), ("revenue", amounts(\.revenue))], bars: true)
            }
    }

    /// What each offer used of its totals and budgets; none where no offer has one.
    ///
    /// - Parameter most: how many are drawn.
    package static func budgets(_ offers: [OfferSummary], most: Int) -> [Chart] {
        let rows = offers.flatMap { offer in
            (offer.limits ?? []).compactMap { limit -> (String, ChartNumber?, ChartNumber?, String)? in
                let id = offer.offerId.rawValue
                if let used = limit.used, let count = limit.count {
                    return (id, ChartNumber(used), ChartNumber(count), "uses")
                }
                guard let spent = limit.spent, let spend = limit.spend else { return nil }
                let currency = limit.currency ?? ""
                let (used, all) = (NumberWords.rounded(spent, currency), NumberWords.rounded(spend, currency))
                return (id, ChartNumber(decimal: used), ChartNumber(decimal: all), currency)
            }
        }
        return rows.isEmpty ? [] : [.budgets("Used of totals and budgets", rows: Array(rows.prefix(most)))]
    }

    /// The waterfall of a simulation, and who becomes eligible in the days after it if anyone does.
    package static func simulation(_ result: SimulationResult, of offer: String) -> [Chart] {
        let waterfall = Chart.waterfall(
            "Audience of \(offer)", subtitle: "as of \(TimeText.absolute(result.asOf))", unit: "customers",
            steps: result.waterfall.map { ($0.step, ChartNumber($0.customers)) })
        guard result.next30Days.contains(where: \.eligible.isTold) else { return [waterfall] }
        return [
            waterfall,
            .series(
                "Customers who become eligible for \(offer)", unit: "customers", bucket: "day in UTC",
                labels: result.next30Days.map(\.day),
                measures: [("become eligible", result.next30Days.map { ChartNumber($0.eligible) })], bars: true),
        ]
    }
}

extension ChartNumber {
    fileprivate init(_ count: AudienceCount) {
        switch count {
        case .exactly(let number): self.init(number)
        case .fewerThan(let number): self.init(fewerThan: number)
        }
    }
}
