import ArgumentParser
import NIOHTTP1
import OfferAPI

/// `offerctl catalog apply`: makes a file the catalog in force.
///
/// The server judges the document, and only the server: a second opinion here could differ by version, and would not know
/// what is frozen because it was issued. `catalog validate` is there for checking without a server.
struct CatalogApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make a file the catalog in force and show what that changed.",
        discussion: """
            The server checks the whole file first and applies all of it or nothing. If somebody else applied a catalog \
            in between, nothing is applied either. Needs a key with the role marketing.

            Example:
              offerctl catalog apply catalog.yaml --message "spring offers"
            """)

    @Argument(help: ArgumentHelp("The catalog, YAML or, if its name ends in .json, JSON.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Why, for the list of revisions.", valueName: "text"))
    var message: String?

    @Flag(help: "Agree to changes that take something away or widen it; no change asks for it yet.")
    var confirm = false

    @Flag(help: "Show what would change and apply nothing.")
    var dryRun = false

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        let console = Console.process
        let client = try connection.client(console.environment)
        let document = try FileDocument.read(file)
        do {
            let tag = try await client.catalogTag()
            let reply = try await client.call(
                .PUT, "/v1/catalog", query: query, headers: [("If-Match", tag), ("Content-Type", mediaType)],
                body: document, as: CatalogAppliedBody.self)
            if json {
                console.write(json: reply.json)
            } else {
                console.write(CatalogText.applied(reply.body, isDryRun: dryRun, palette: console.palette))
            }
        } catch let refusal as OfferdClient.Refusal {
            if json { console.write(json: refusal.body) }
            throw refusal.commandFailure(file: file, role: "marketing")
        }
    }

    private var mediaType: String {
        file.lowercased().hasSuffix(".json") ? "application/json" : "application/yaml"
    }

    private var query: [(String, String)] {
        (dryRun ? [("dryRun", "true")] : []) + (message.map { [("message", $0)] } ?? [])
    }
}
