import ArgumentParser
import OfferAPI

/// `offerctl catalog rollback N`: puts an earlier document in force again, as a new revision.
///
/// It asks for no `--confirm`: it names a catalog that was in force once, and it is used in a hurry.
struct CatalogRollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Put the document of an earlier revision in force again.",
        discussion: """
            The old document becomes a new revision, so nothing is lost and a rollback can be rolled back. Pauses stay as \
            they are. Needs a key with the role marketing.

            Example:
              offerctl catalog revisions
              offerctl catalog rollback 3 --message "the new limits were a mistake"
            """)

    @Argument(help: ArgumentHelp("The revision whose document to apply.", valueName: "revision"))
    var revision: Int

    @Option(help: ArgumentHelp("Why, for the list of revisions. (default: rollback to revision N)", valueName: "text"))
    var message: String?

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        try Optional(revision).checkRevision()
    }

    func run() async throws {
        try await connection.ask(role: "marketing", files: SentFiles(catalog: "revision \(revision)"), json: json) {
            client, console in
            let inForce = try await client.catalogInForce()
            let old = try await client.revision(revision).body
            let reply = try await client.apply(
                old.file, from: inForce.tag, message: message ?? "rollback to revision \(revision)")
            if json {
                console.write(json: reply.json)
            } else {
                console.write(CatalogText.applied(reply.body, after: inForce.revision, palette: console.palette))
            }
        }
    }
}
