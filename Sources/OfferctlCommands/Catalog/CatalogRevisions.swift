import ArgumentParser
import NIOHTTP1
import OfferAPI

/// `offerctl catalog revisions [N]`: who applied what, and when; or one of them with its document.
struct CatalogRevisions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revisions",
        abstract: "List who applied which catalog when, or show one revision with its document.",
        discussion: """
            Needs a key with the role marketing.

            Example:
              offerctl catalog revisions
              offerctl catalog revisions 3
            """)

    @Argument(help: ArgumentHelp("Show this revision.", valueName: "revision"))
    var revision: Int?

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var page: PageOptions

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        try revision.checkRevision()
        guard revision == nil || page.query.isEmpty else {
            throw ValidationError("`--limit` and `--cursor` are for the list, not for one revision")
        }
    }

    func run() async throws {
        try await connection.ask(role: "marketing", json: json) { client, console in
            if let revision {
                let reply = try await client.revision(revision)
                let title = console.palette.paint(CatalogText.headline(reply.body), .heading)
                let text = "\(title)\n\n\(reply.body.document ?? "")"
                if json { console.write(json: reply.json) } else { console.write(text) }
            } else {
                let reply = try await client.call(
                    .GET, "/v1/catalog/revisions", query: page.query, as: PageBody<CatalogRevisionBody>.self)
                guard !json else { return console.write(json: reply.json) }
                console.write(
                    reply.body, CatalogText.revisions(reply.body.items), empty: "no catalog has been applied yet")
            }
        }
    }
}

extension Int? {
    /// - Throws: `ValidationError` if it is given and cannot be a revision.
    func checkRevision() throws {
        guard let self, self < 1 else { return }
        throw ValidationError("revisions are counted from 1, `\(self)` is none")
    }
}
