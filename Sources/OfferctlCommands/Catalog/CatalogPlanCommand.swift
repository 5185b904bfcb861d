import ArgumentParser
import OfferAPI

/// `offerctl catalog plan`: what applying a file would do, in words.
struct CatalogPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what applying a file would change, for whom, and what may be lost.",
        discussion: """
            Compares the file with the catalog in force and writes nothing. + widens what customers may have, - takes \
            something away, ± does either, · does neither. Needs a key with the role marketing.

            Example:
              offerctl catalog plan catalog.yaml
              offerctl catalog plan catalog.yaml --exit-code --json
            """)

    @Argument(
        help: ArgumentHelp("The catalog, YAML or, if its name ends in .json, JSON.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String

    @Flag(help: "End with status 1 if an offer or product would change.")
    var exitCode = false

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await connection.ask(role: "marketing", files: SentFiles(catalog: file), json: json) { client, console in
            let document = try CatalogFile(reading: file)
            document.noteWarnings(file: file, console)
            let inForce = try await client.catalogInForce(as: document.mediaType)
            let reply = try await client.plan(document, from: inForce.tag)
            let plan = CatalogPlan(reply.body, of: document, inForce: inForce)
            if json { console.write(json: reply.json) } else { console.write(plan.text(console.palette)) }
            if exitCode && plan.hasChanges { throw CommandFailure.answeredNo }
        }
    }
}
