import OfferAPI
import OfferModel

/// A series for a spreadsheet: one number a row, so that columns never change and rows can be pivoted.
enum SeriesCSV {
    static let columns = [
        "offerId", "by", "timeZone", "bucketFrom", "bucketDate", "measure", "rule", "value", "currency",
    ]

    static func text(_ series: OfferSeries) -> String {
        let head: [CSVTable.Cell] = [.text(series.offer), .text(series.by.rawValue), .text(series.timeZone)]
        let lines = series.buckets.flatMap { bucket in
            rows(bucket).map { CSVTable.line(head + [.text(bucket.from), .text(bucket.date)] + $0) }
        }
        return CSVTable.line(columns.map { .text($0) }) + lines.joined()
    }

    private static func rows(_ bucket: OfferSeries.Bucket) -> [[CSVTable.Cell]] {
        let counts = [
            ("requests", bucket.requests), ("eligible", bucket.eligible), ("issued", bucket.issued),
            ("granted", bucket.granted),
            ("redeemed", bucket.redeemed), ("redeemedWithoutCost", bucket.redeemedWithoutCost),
            ("removed", bucket.removed),
        ].map { measure, count -> [CSVTable.Cell] in [.text(measure), .empty, .number(count), .empty] }
        let refused = bucket.refused.map { refused -> [CSVTable.Cell] in
            [.text("refused"), .text(refused.rule), .number(refused.count), .empty]
        }
        return counts + refused + amounts("spend", bucket.spend) + amounts("revenue", bucket.revenue)
            + products(bucket)
    }

    /// With the product in the column of rules: columns never change.
    private static func products(_ bucket: OfferSeries.Bucket) -> [[CSVTable.Cell]] {
        let trials = (bucket.trials ?? []).flatMap { trials in
            [
                (trials.productId, "trialsEnded", trials.ended),
                (trials.productId, "trialsConverted", trials.converted),
                (trials.productId, "trialsUndecided", trials.undecided),
            ]
        }
        let churn = (bucket.churn ?? []).flatMap { churn in
            [
                (churn.productId, "periodsDue", churn.due), (churn.productId, "periodsLost", churn.lost),
                (churn.productId, "periodsUndecided", churn.undecided),
            ]
        }
        return (trials + churn).map { product, measure, count in
            [.text(measure), .text(product), .number(count), .empty]
        }
    }

    private static func amounts(_ measure: String, _ prices: [Price]) -> [[CSVTable.Cell]] {
        prices.map { [.text(measure), .empty, .number($0.amount), .text($0.currency)] }
    }
}
