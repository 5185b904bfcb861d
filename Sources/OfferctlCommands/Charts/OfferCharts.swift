import Charts
import CommandLineSupport
import OfferAPI
import OfferModel

/// The charts of an offer's reports, from plain arrays as the API has them.
enum OfferCharts {
    /// The stages of each offer, as the text has them.
    static func funnel(_ report: FunnelReport) -> [Chart] {
        let range = "\(TimeText.absolute(report.from)) until \(TimeText.absolute(report.to))"
        let when = "first evaluated from \(range), as of \(TimeText.absolute(report.asOf))"
        let charts = report.offers.map { funnel in
            let stages = funnel.stages.evaluated > 0 ? FunnelWords.stages : []
            return Chart.waterfall(
                "Funnel of \(funnel.offerId.rawValue)", subtitle: when, unit: "customers",
                steps: stages.map { ($0.name, $0.value(funnel)) })
        }
        return charts.isEmpty ? [.waterfall("Funnel", subtitle: when, unit: "customers", steps: [])] : charts
    }

    /// One chart of the counts, then one for each currency, whose amounts are decimals.
    static func series(
        offer: String, subtitle: String, by bucket: String, labels: [String], counts: [(name: String, values: [Int])],
        money: [(currency: String, measures: [(name: String, amounts: [String?])])]
    ) -> [Chart] {
        let numbers = Chart.series(
            "Numbers of \(offer)", subtitle: subtitle, unit: "number", bucket: bucket, labels: labels,
            measures: counts.map { ($0.name, $0.values.map { ChartNumber($0) }) })
        return [numbers]
            + money.map { currency, measures in
                .series(
                    "Money of \(offer) in \(currency)", subtitle: subtitle, unit: currency, bucket: bucket,
                    labels: labels,
                    measures: measures.map { ($0.name, $0.amounts.map { $0.flatMap(ChartNumber.init(decimal:)) }) },
                    bars: true)
            }
    }

    /// The waterfall of a simulation, and the curve of the days after it.
    static func simulation(
        offer: String, subtitle: String, waterfall: [(label: String, count: Int)],
        days: [(label: String, eligible: Int)]
    ) -> [Chart] {
        [
            .waterfall("Simulation of \(offer)", subtitle: subtitle, unit: "customers", steps: waterfall),
            .series(
                "Eligible for \(offer) in the next \(days.count) days", unit: "customers", bucket: "day",
                labels: days.map(\.label), measures: [("eligible", days.map { ChartNumber($0.eligible) })]),
        ]
    }
}
