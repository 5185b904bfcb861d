import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// `offerctl report funnel`: from those asked about to those who stayed.
struct ReportFunnel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel",
        abstract: "Show how many customers were evaluated, issued an offer, used it, and stayed.",
        discussion: """
            It is about the customers whom issue requests first asked about from --from on and before --to, each counted \
            once, and what became of them until now. Each stage counts members of the one before:

            \(FunnelWords.stages.map { "  \($0.name): who \($0.meaning)." }.joined(separator: "\n"))

            The holdout's lift is the share of the offered minus the share of the held out whose own subscription gives \
            access now, with Newcombe's 95 % interval. The save rate is the share of those who redeemed the offer after \
            cancelling whose subscription runs and renews 30 days later. Discounts are nominal, by catalog prices. \
            docs/reports.md has every definition.

            A large report takes a while: see --timeout. Needs a key with the role marketing.

            Example:
              offerctl report funnel --offer comeback-half-price
              offerctl report funnel --from 2026-11-01T00:00:00Z --csv > funnel.csv
            """)

    @Option(help: ArgumentHelp("Only this offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Option(
        help: ArgumentHelp(
            "Customers first evaluated from then on. (default: 30 days before the end)", valueName: "moment"),
        transform: MomentArgument.init)
    var from: MomentArgument?

    @Option(
        help: ArgumentHelp("Customers first evaluated before. (default: now)", valueName: "moment"),
        transform: MomentArgument.init)
    var to: MomentArgument?

    @Flag(help: "Print comma-separated values for a spreadsheet: one number a row.")
    var csv = false

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        if csv, json { throw ValidationError("use either `--csv` or `--json`") }
    }

    func run() async throws {
        try await connection.ask(role: "marketing", json: json) { client, console in
            let query = [
                ("offerId", offer), ("from", from.map { String($0.instant.milliseconds) }),
                ("to", to.map { String($0.instant.milliseconds) }),
            ].compactMap { name, value in value.map { (name, $0) } }
            let reply = try await client.call(.GET, "/v1/reports/funnel", query: query, as: FunnelReportBody.self)
            if json {
                console.write(json: reply.json)
            } else if csv {
                console.write(FunnelCSV.table(reply.body).text)
            } else {
                console.write(FunnelText(palette: console.palette).report(reply.body))
            }
        }
    }
}
