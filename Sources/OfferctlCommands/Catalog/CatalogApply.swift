import ArgumentParser
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
            in between, nothing is applied either. Where the file takes something away from customers or widens what they \
            may have, nothing is applied without --confirm and the plan is shown. Needs a key with the role marketing.

            With --from-revision the file is applied only if that revision is still in force: say the one that you \
            exported and changed, then you cannot undo what a colleague applied since.

            Example:
              offerctl catalog apply catalog.yaml --message "spring offers"
              offerctl catalog apply catalog.yaml --from-revision 7 --confirm
            """)

    @Argument(
        help: ArgumentHelp("The catalog, YAML or, if its name ends in .json, JSON.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String

    @Option(help: ArgumentHelp("Why, for the list of revisions.", valueName: "text"))
    var message: String?

    @Option(help: ArgumentHelp("The revision that the file was made from; 0 before the first.", valueName: "revision"))
    var fromRevision: Int?

    @Flag(help: "Agree to changes that take something away or widen it.")
    var confirm = false

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        guard let fromRevision, fromRevision < 0 else { return }
        throw ValidationError(
            "revisions are counted from 1, `\(fromRevision)` is none; 0 means that there was no catalog")
    }

    func run() async throws {
        try await connection.ask(role: "marketing", files: SentFiles(catalog: file), json: json) { client, console in
            let document = try CatalogFile(reading: file)
            document.noteWarnings(file: file, console)
            let base = try await base(of: document, client)
            do {
                if !confirm { try await checkHarmless(document, base, client, console) }
                let reply = try await client.apply(document, from: base.tag, message: message)
                if json {
                    console.write(json: reply.json)
                } else {
                    console.write(CatalogText.applied(reply.body, after: base.revision, palette: console.palette))
                }
            } catch let refusal as OfferdClient.Refusal where refusal.problem.code == "catalog-changed" && !json {
                let hints = await CatalogConflict(client: client, base: base).hints(file: file)
                throw CommandFailure(.no, refusal.problem.detail, hints: hints)
            }
        }
    }

    private func base(of document: CatalogFile, _ client: OfferdClient) async throws -> CatalogInForce {
        if let fromRevision { return CatalogInForce(tag: "\"\(fromRevision)\"", document: []) }
        return try await client.catalogInForce(as: document.mediaType)
    }

    private func checkHarmless(
        _ document: CatalogFile, _ base: CatalogInForce, _ client: OfferdClient, _ console: Console
    ) async throws {
        let reply = try await client.plan(document, from: base.tag)
        let plan = CatalogPlan(reply.body, of: document, inForce: base)
        guard plan.needsConfirmation else { return }
        if json { console.write(json: reply.json) } else { console.write(plan.text(console.palette)) }
        throw CommandFailure(
            .no, "`\(file)` takes something away or widens it, so nothing was applied",
            hints: ["read the plan; if all of it is meant, say so with `--confirm`"])
    }
}
