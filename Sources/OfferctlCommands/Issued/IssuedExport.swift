import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// `offerctl issued export`: every issued offer with the proof that the audit holds of it.
struct IssuedExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write issued offers with the audit's proof, as CSV or JSON Lines.",
        discussion: """
            All of them in the order they were issued, without signatures. The proof is the event that told of the offer, \
            the digest of its row, and the signed checkpoint that covers it; docs/ledger.md tells how to check it. Needs \
            a key with the role support.

            Example:
              offerctl issued export --from 2026-12-01T00:00:00Z --csv > offers.csv
            """)

    @Option(help: ArgumentHelp("Only this offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Option(
        help: ArgumentHelp("Only those issued then or later.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var from: MomentArgument?

    @Option(
        help: ArgumentHelp("Only those issued before.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var to: MomentArgument?

    @Flag(help: "One line of commas an offer, with a line of names first.")
    var csv = false

    @Flag(help: "One JSON object a line (the usual form).")
    var jsonLines = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        guard !(csv && jsonLines) else { throw ValidationError("choose one of `--csv` and `--json-lines`") }
    }

    func run() async throws {
        try await connection.ask(role: "support", json: false) { client, console in
            var cursor: String?
            var needsHeader = csv
            repeat {
                let page = try await client.call(
                    .GET, "/v1/issued-offers/export", query: query(cursor), as: PageBody<ExportedOfferBody>.self
                ).body
                if needsHeader { console.write(ExportText.header) }
                needsHeader = false
                for item in page.items {
                    console.write(csv ? ExportText.line(item) : try ExportText.json(item))
                }
                cursor = page.next
            } while cursor != nil
        }
    }

    private func query(_ cursor: String?) -> [(String, String)] {
        [
            ("offerId", offer), ("from", from.map { String($0.instant.milliseconds) }),
            ("to", to.map { String($0.instant.milliseconds) }), ("limit", "200"), ("cursor", cursor),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}
