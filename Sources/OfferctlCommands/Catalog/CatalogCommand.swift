import ArgumentParser
import CommandLineSupport
import Foundation
import OfferAPI
import OfferDocuments

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Check, compare, apply and roll back the catalog of offers.",
        discussion: """
            Example:
              offerctl catalog validate catalog.yaml
              offerctl catalog plan catalog.yaml
              offerctl catalog apply catalog.yaml --message "spring offers"
            """,
        subcommands: [
            CatalogValidate.self, CatalogPlanCommand.self, CatalogApply.self, CatalogExport.self,
            CatalogRevisionsCommand.self, CatalogRollback.self,
        ])
}

struct CatalogArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The catalog, YAML or, if its name ends in .json, JSON.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String
}

struct CatalogValidate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a catalog file, without a server.",
        discussion: """
            Finds every error in one pass, with its line. Exit status: 0 if the file is valid, 1 if it is not, 2 if it \
            cannot be read.

            Example:
              offerctl catalog validate Examples/catalog.yaml
            """)

    @OptionGroup var catalog: CatalogArgument

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let bytes = try InputFile.bytes(catalog.file)
        let validation = ReadDocument(catalog.file) { try CatalogReader.read(bytes) }
        if json {
            Console.write(try validation.json())
            if validation.value == nil { throw CommandFailure.answeredNo }
            return
        }
        guard let summary = validation.summary else { throw CommandFailure(.failed, lines: validation.messages) }
        validation.messages.forEach(Console.note)
        Console.write(summary)
    }
}

struct CatalogPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what applying a file would change, for which customers, and what may be lost.",
        discussion: """
            Compares the file with the catalog in force and writes nothing. + widens what customers may have, - takes \
            something away, ± does either, · does neither. Needs a key with the role marketing.

            Example:
              offerctl catalog plan catalog.yaml
              offerctl catalog plan catalog.yaml --exit-code --json
            """)

    @OptionGroup var catalog: CatalogArgument

    @Flag(help: "End with status 1 if an offer or product would change.")
    var exitCode = false

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.connect(role: "marketing", files: SentFiles(catalog: catalog.file)) { client in
            let document = try CatalogFile(reading: catalog.file)
            document.noteWarnings(file: catalog.file)
            let inForce = try await client.catalogInForce(as: document.mediaType)
            let reply = try await client.put(document, from: inForce.tag, isPlan: true)
            let plan = CatalogPlan(reply.body, of: document, inForce: inForce)
            answer.show(reply, text: plan.text(Console.palette))
            if exitCode && plan.hasChanges { throw CommandFailure.answeredNo }
        }
    }
}

/// The server judges the document, and only the server: a second opinion here could differ by version, and would not know
/// what is frozen because it was issued.
struct CatalogApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make a file the catalog in force and show what that changed.",
        discussion: """
            The server checks the whole file first and applies all of it or nothing. If another catalog was applied \
            in between, nothing is applied either. Where the file takes something away from customers or widens what they \
            may have, nothing is applied without --confirm and the plan is shown. Needs a key with the role marketing.

            With --from-revision the file is applied only if that revision is still in force: name the one that you \
            exported and changed, and you cannot undo what a colleague applied since.

            Example:
              offerctl catalog apply catalog.yaml --message "spring offers"
              offerctl catalog apply catalog.yaml --from-revision 7 --confirm
            """)

    @OptionGroup var catalog: CatalogArgument

    @Option(help: ArgumentHelp("The reason, for the list of revisions.", valueName: "text"))
    var message: String?

    @Option(help: ArgumentHelp("The revision that the file was made from; 0 before the first.", valueName: "revision"))
    var fromRevision: Int?

    @Flag(help: "Agree to changes that take something away or widen it.")
    var confirm = false

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard let fromRevision, fromRevision < 0 else { return }
        throw ValidationError(
            "revisions start at 1; `\(fromRevision)` is not one; 0 means that there was no catalog")
    }

    func run() async throws {
        let file = catalog.file
        try await answer.connect(role: "marketing", files: SentFiles(catalog: file)) { client in
            let document = try CatalogFile(reading: file)
            document.noteWarnings(file: file)
            let base =
                if let fromRevision {
                    CatalogInForce(tag: "\"\(fromRevision)\"", document: [])
                } else {
                    try await client.catalogInForce(as: document.mediaType)
                }
            do {
                if !confirm { try await checkHarmless(document, base, client) }
                let reply = try await client.put(document, from: base.tag, message: message)
                answer.show(
                    reply, text: CatalogText.applied(reply.body, after: base.revision, palette: Console.palette))
            } catch let refusal as ServerRefusal where refusal.problem.code == "catalog-changed" && !answer.json {
                let hints = await CatalogConflict(client: client, base: base).hints(file: file)
                throw CommandFailure(.failed, refusal.problem.detail, hints: hints)
            }
        }
    }

    private func checkHarmless(_ document: CatalogFile, _ base: CatalogInForce, _ client: OfferdClient) async throws {
        let reply = try await client.put(document, from: base.tag, isPlan: true)
        let plan = CatalogPlan(reply.body, of: document, inForce: base)
        guard plan.needsConfirmation else { return }
        answer.show(reply, text: plan.text(Console.palette))
        throw CommandFailure(
            .failed, "not applied: with `\(catalog.file)` customers would gain or lose offers",
            hints: ["read the plan; if all of it is intended, add `--confirm`"])
    }
}

struct CatalogExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the catalog in force to stdout or a file.",
        discussion: """
            In the format it was applied in, the document comes back unchanged, comments included. Needs a key with the role \
            marketing or support.

            Example:
              offerctl catalog export --output catalog.yaml
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case yaml
        case json
    }

    @Option(
        name: [.short, .long], help: ArgumentHelp("Where to write it instead of stdout.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(help: "yaml or json. (default: yaml, or json if the file's name ends in .json)")
    var format: Format?

    @OptionGroup var server: ServerOptions

    func run() async throws {
        let mediaType =
            switch format {
            case .yaml?: CatalogFile.yaml
            case .json?: CatalogFile.json
            case nil: CatalogFile.mediaType(output ?? "")
            }
        let catalog = try await server.connect(role: "marketing or support") { client in
            try await client.catalogInForce(as: mediaType)
        }
        guard catalog.revision != 0 else {
            throw CommandFailure(
                .failed, "no catalog has been applied yet", hints: ["`offerctl catalog apply` applies the first"])
        }
        guard let output else { return Console.write(String(decoding: catalog.document, as: UTF8.self)) }
        do {
            try Data(catalog.document).write(to: URL(filePath: output), options: .atomic)
        } catch {
            throw CommandFailure(
                .usage, "`\(output)` cannot be written",
                hints: ["check that its folder exists and that you may write to it"])
        }
        Console.note("revision \(catalog.tag.dropFirst().dropLast()) is in `\(output)`".printable)
    }
}

struct CatalogRevisionsCommand: AsyncParsableCommand {
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

    @OptionGroup var page: PageOptions
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        try checkRevision(revision)
        guard revision == nil || page.query.isEmpty else {
            throw ValidationError("`--limit` and `--cursor` are for the list, not for one revision")
        }
    }

    func run() async throws {
        guard let revision else {
            return try await answer.list(
                role: "marketing", "/v1/catalog/revisions", page.query, empty: "no catalog has been applied yet",
                table: CatalogText.revisions)
        }
        try await answer.show(role: "marketing") { client in
            try await client.revision(revision)
        } text: { body in
            Console.palette.paint(CatalogText.headline(body), .heading) + "\n\n" + (body.document ?? "")
        }
    }
}

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

    @Option(
        help: ArgumentHelp(
            "The reason, for the list of revisions. (default: rollback to revision N)", valueName: "text"))
    var message: String?

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        try checkRevision(revision)
    }

    func run() async throws {
        try await answer.connect(role: "marketing", files: SentFiles(catalog: "revision \(revision)")) { client in
            let inForce = try await client.catalogInForce()
            let reply = try await client.put(
                client.revision(revision).body.file, from: inForce.tag,
                message: message ?? "rollback to revision \(revision)")
            answer.show(
                reply, text: CatalogText.applied(reply.body, after: inForce.revision, palette: Console.palette))
        }
    }
}

func checkRevision(_ revision: Int?) throws {
    guard let revision, revision < 1 else { return }
    throw ValidationError("revisions start at 1; `\(revision)` is not one")
}
