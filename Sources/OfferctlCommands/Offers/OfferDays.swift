import CommandLineSupport
import OfferAPI
import OfferModel

/// The last days of an offer by its series.
enum OfferDays {
    /// A line for each of the last two weeks' days. A refusal with several rules is in the count of each, so the rules are
    /// named and not added up.
    static func lines(_ series: OfferSeries, _ palette: Palette) -> [String] {
        let days = series.buckets.suffix(14)
        guard !days.isEmpty else { return [] }
        let table = TextTable(
            ["DAY", "ISSUED", "REDEEMED", "REFUSED BY"], alignedRight: [1, 2], endsInDetail: true,
            rows: days.map { day in
                let refused = day.refused.map { "\($0.rule) \($0.count)" }.joined(separator: ", ")
                return [day.date, String(day.issued), String(day.redeemed), refused.isEmpty ? nil : refused]
            })
        return ["", palette.paint("last \(days.count.counted("day")), in UTC", .heading)]
            + table.lines(palette, indent: 2)
    }
}
