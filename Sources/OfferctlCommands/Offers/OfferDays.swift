import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

/// The last days of an offer by its series.
enum OfferDays {
    static func lines(_ series: OfferSeries, _ palette: Palette) -> [String] {
        let days = SeriesWords.lastDays(series)
        guard !days.isEmpty else { return [] }
        let table = TextTable(
            SeriesWords.dayColumns.map { $0.uppercased() }, alignedRight: [1, 2], endsInDetail: true, rows: days)
        return ["", palette.paint("last \(days.count.counted("day")), in UTC", .heading)]
            + table.lines(palette, indent: 2)
    }
}
