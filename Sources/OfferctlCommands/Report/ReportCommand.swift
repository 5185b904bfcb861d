import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel
import OfferWords

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report how offers do: a funnel of customers, or a series by date.",
        discussion: """
            Example:
              offerctl report funnel --offer comeback-half-price
              offerctl report series --offer comeback-half-price --by week
            """,
        subcommands: [ReportFunnel.self, ReportSeries.self])
}

struct ReportFunnel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel",
        abstract: "Show how many customers were evaluated, issued an offer, used it, and stayed.",
        discussion: """
            Counts the customers whose first issue request was made from --from on and before --to, each once, and follows \
            them until now. Each stage counts members of the one before:

            \(FunnelWords.stages.map { "  \($0.name): \($0.meaning)." }.joined(separator: "\n"))

            The holdout's lift is the share of the offered minus the share of the held out whose own subscription gives \
            access now, with Newcombe's 95 % interval. The save rate is the share of those who redeemed the offer after \
            cancelling whose subscription runs and renews 30 days later. Discounts are nominal, by catalog prices. \
            docs/reports.md has every definition.

            A large report takes a while: see --timeout. Needs a key with the role marketing.

            Example:
              offerctl report funnel --offer comeback-half-price
              offerctl report funnel --from 2026-11-01T00:00:00Z --csv > funnel.csv
              offerctl report funnel --offer comeback-half-price --chart funnel.svg
            """)

    @Option(help: ArgumentHelp("Only this offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Option(
        help: ArgumentHelp(
            "Customers first evaluated from then on. (default: 30 days before the end)", valueName: "moment"),
        transform: Instant.argument)
    var from: Instant?

    @Option(
        help: ArgumentHelp("Customers first evaluated before. (default: now)", valueName: "moment"),
        transform: Instant.argument)
    var to: Instant?

    @Flag(help: "Print comma-separated values for a spreadsheet: one number a row.")
    var csv = false

    @OptionGroup var chart: ChartOptions
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws { try chart.checkAlone(csv: csv, answer.output) }

    func run() async throws {
        let picture = try chart.open()
        let reply = try await answer.connect { client in
            let query = queryItems(
                ("offerId", offer), ("from", from.map { String($0.milliseconds) }),
                ("to", to.map { String($0.milliseconds) }))
            return try await client.call(.GET, "/v1/reports/funnel", query: query, as: FunnelReport.self)
        }
        try picture?.write(OfferCharts.funnel(reply.body))
        if chart.isPrinted { return }
        if csv { return Console.write(FunnelCSV.text(reply.body)) }
        try answer.show(reply, text: FunnelText(palette: answer.output.palette).report(reply.body))
    }
}
