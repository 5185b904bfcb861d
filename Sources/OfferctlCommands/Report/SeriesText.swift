import Charts
import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

struct SeriesText {
    let palette: Palette

    func report(_ series: OfferSeries) -> String {
        let range = "\(TimeText.absolute(series.from)) until \(TimeText.absolute(series.to))"
        let head = [
            palette.paint(series.offer.rawValue.printable, .heading),
            "  each event by its own date, from \(range)",
            "  by \(series.by.rawValue) in \(series.timeZone.printable)",
        ]
        let parts = [
            head, table(series), lines(series), refusals(series),
            products(SeriesWords.trialColumns, SeriesWords.trials(series)),
            products(SeriesWords.churnColumns, SeriesWords.churn(series)),
            SeriesWords.notes(series).map { "  " + $0 },
        ]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func table(_ series: OfferSeries) -> [String] {
        TextTable(
            SeriesWords.columns.map { $0.uppercased() }, alignedRight: Set(1...6), rows: SeriesWords.rows(series)
        ).lines(palette, indent: 2)
    }

    private func refusals(_ series: OfferSeries) -> [String] {
        let table = TextTable(
            ["REFUSED BY", "REFUSALS"], alignedRight: [1],
            rows: SeriesWords.refusals(series).map { [$0.rule, String($0.count)] })
        return table.isEmpty ? [] : table.lines(palette, indent: 2)
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

    private func products(_ columns: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        return TextTable(columns.map { $0.uppercased() }, alignedRight: [1, 2, 3], rows: rows).lines(palette, indent: 2)
    }
}
