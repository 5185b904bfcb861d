import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel
import OfferWords

struct ReportSeries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series",
        abstract: "Show what happened to an offer by day, week or month.",
        discussion: """
            Counts each event by its own date: requests that were recorded, those that met every rule but the rollout, \
            offers issued and redeemed, the nominal discount of the redeemed, and what was paid at full price after \
            them. `report funnel` follows customers by the date of their first request instead. docs/reports.md has \
            every definition.

            --products also counts trials that ended and were converted, and periods that came due and were lost, of \
            all customers of the offer's products. It reads every customer, so increase --timeout for many.

            Days begin at midnight in --time-zone, weeks on Monday. Needs a key with the role marketing or support.

            Example:
              offerctl report series --offer comeback --by week --time-zone Europe/Berlin
              offerctl report series --offer comeback --from 2026-11-01T00:00:00Z --csv
              offerctl report series --offer comeback --by month --products
              offerctl report series --offer comeback --chart series.svg
            """)

    @Option(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "id"))
    var offer: String

    @Option(
        help: ArgumentHelp("Events from then on. (default: 30 days before the end)", valueName: "moment"),
        transform: Instant.argument)
    var from: Instant?

    @Option(help: ArgumentHelp("Events before. (default: now)", valueName: "moment"), transform: Instant.argument)
    var to: Instant?

    @Option(help: ArgumentHelp("The length of a bucket: day, week or month. (default: day)", valueName: "unit"))
    var by: String?

    @Option(
        help: ArgumentHelp(
            "The time zone of the days, such as `Europe/Berlin`. (default: UTC)", valueName: "name"))
    var timeZone: String?

    @Flag(help: "Also count trials and churn of the offer's products, for all customers.")
    var products = false

    @Flag(help: "Print comma-separated values for a spreadsheet: one number a row.")
    var csv = false

    @OptionGroup var chart: ChartOptions
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws { try chart.checkAlone(csv: csv, answer.output) }

    func run() async throws {
        let picture = try chart.open()
        let reply = try await answer.connect { client in
            let query = queryItems(
                ("offer", offer), ("from", from.map { String($0.milliseconds) }),
                ("to", to.map { String($0.milliseconds) }), ("by", by), ("timeZone", timeZone),
                ("products", products ? "true" : nil))
            return try await client.call(.GET, "/v1/reports/series", query: query, as: OfferSeries.self)
        }
        try picture?.write(OfferCharts.series(reply.body))
        if chart.isPrinted { return }
        if csv { return Console.write(SeriesCSV.text(reply.body)) }
        try answer.show(reply, text: SeriesText(palette: answer.output.palette).report(reply.body))
    }
}
