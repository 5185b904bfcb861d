import ArgumentParser
import CommandLineSupport
import Foundation
import OfferAPI
import OfferDocuments
import OfferWords

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

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let bytes = try InputFile.bytes(catalog.file)
        let validation = ReadDocument(catalog.file) {
            try CatalogReader.read(bytes, isJSON: CatalogFile.isJSON(catalog.file), at: .wallClock)
        }
        if let data = try output.data(validation.json()) {
            Console.write(data)
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
            Compares the file with the catalog in force and writes nothing. + gives more, - takes away, ± both, · neither, \
            ? unknown. Says what the file would undo of later revisions than the one it was exported from, and of the last \
            ten if it was exported from another environment. \
            With --audience the server counts for each changed offer how many customers gain it and how many lose it, as \
            `offerctl simulate` does. Needs a key with the role marketing.

            Example:
              offerctl catalog plan catalog.yaml
              offerctl catalog plan catalog.yaml --audience
              offerctl catalog plan catalog.yaml --exit-code --json
            """)

    @OptionGroup var catalog: CatalogArgument

    @Flag(help: "End with status 1 if an offer or product would change.")
    var exitCode = false

    @Flag(help: "Count for each changed offer who gains it and who loses it.")
    var audience = false

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        if audience, answer.output.isGiven {
            throw ValidationError("`--audience` is for people: leave it, or `--json` and `--output`, out")
        }
    }

    func run() async throws {
        try await answer.connect(files: SentFiles(catalog: catalog.file)) { client in
            let document = try CatalogFile(reading: catalog.file)
            let inForce = try await client.catalogInForce(as: document.mediaType)
            document.noteWarnings(file: catalog.file)
            let (reply, plan) = try await client.plan(document, from: inForce)
            try answer.show(reply, text: plan.text(answer.output.palette))
            if audience {
                let planned = try await PlannedAudience(
                    of: reply.body.changes, in: document, asking: client)
                Console.write(answer.output.palette.wrap("\n" + planned.text(answer.output.palette)))
            }
            if exitCode && plan.hasChanges { throw CommandFailure.answeredNo }
        }
    }
}

/// The server judges the document, and only the server: a second opinion here could differ by version, and would not
/// know what is frozen because it was issued.
struct CatalogApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make a file the catalog in force and show what that changed.",
        discussion: """
            The server checks the whole file first and applies all of it or nothing. If another catalog was applied \
            in between, nothing is applied either. Where the file takes something away from customers or widens what they \
            may have, as a new active offer does, nothing is applied without --confirm and the plan is shown. Needs a key \
            with the role marketing.

            A file that `catalog export` wrote names its revision. If it would undo what was applied since, it needs \
            --confirm as well. With --from-revision the file is applied only if that revision is still in force.

            At a terminal, a change in Production shows its plan and asks, with --confirm too.

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
        try await answer.connect(files: SentFiles(catalog: file)) { client in
            let document = try CatalogFile(reading: file)
            let base =
                if let fromRevision {
                    CatalogInForce(tag: "\"\(fromRevision)\"", document: [])
                } else {
                    try await client.catalogInForce(as: document.mediaType)
                }
            document.noteWarnings(file: file)
            do {
                try await agree(to: document, base, client)
                let reply = try await client.put(document, from: base, message: message)
                try answer.show(
                    reply,
                    text: CatalogText.applied(reply.body, after: base.revision, palette: answer.output.palette))
            } catch let refusal as ServerRefusal
                where refusal.problem.code == "catalog-changed" && !answer.output.isData
            {
                let hints = await CatalogConflict(client: client, base: base).hints(file: file)
                throw CommandFailure(.failed, refusal.problem.detail, hints: hints)
            }
        }
    }

    /// Shows the plan where the user has not agreed yet, or is asked.
    private func agree(to document: CatalogFile, _ base: CatalogInForce, _ client: OfferdClient) async throws {
        guard !confirm || client.asks else { return }
        var base = base
        if fromRevision != nil {
            // Another one than was named is not compared: the server refuses the plan.
            let inForce = try await client.catalogInForce(as: document.mediaType)
            if inForce.tag == base.tag { base = inForce }
        }
        let (reply, plan) = try await client.plan(document, from: base)
        if !confirm, let refusal = plan.refusal(catalog.file) {
            try answer.show(reply, text: plan.text(answer.output.palette))
            throw refusal
        }
        try await plan.confirm("apply `\(catalog.file)`", isAgreed: true, client, answer)
    }
}

struct CatalogExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the catalog in force to stdout or a file.",
        discussion: """
            In the format it was applied in, the document comes back unchanged, comments included. The first line of YAML is \
            a comment with the revision, so that `catalog apply` can tell what the file would undo. Needs a key with the role \
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

    @Flag(help: "Overwrite the file if it exists.")
    var force = false

    @OptionGroup var server: ServerOptions

    mutating func validate() throws {
        guard !force || output != nil else { throw ValidationError("`--force` is for `--output`") }
        guard output.flatMap(Format.init) == nil else {
            throw ValidationError("`--output` names a file; use `--format` for yaml or json")
        }
    }

    func run() async throws {
        try checkFree()
        let mediaType =
            switch format {
            case .yaml?: CatalogFile.yaml
            case .json?: CatalogFile.json
            case nil: CatalogFile.mediaType(output ?? "")
            }
        let (catalog, scope) = try await server.connect { client in
            (try await client.catalogInForce(as: mediaType), client.scope.value)
        }
        guard let revision = catalog.revision, revision != 0 else {
            throw CommandFailure(
                .failed, "no catalog has been applied yet", hints: ["`offerctl catalog apply` applies the first"])
        }
        var document = CatalogOrigin.removed(from: catalog.document)
        if mediaType == CatalogFile.yaml {
            document = Array("\(CatalogOrigin(revision: revision, scope: scope).comment)\n".utf8) + document
        }
        guard let output else { return Console.write(String(decoding: document, as: UTF8.self)) }
        do {
            // Another program may have made the file since.
            try Data(document).write(to: URL(filePath: output), options: force ? .atomic : .withoutOverwriting)
        } catch {
            try checkFree()
            throw CommandFailure(
                .usage, "`\(output)` cannot be written",
                hints: ["check that its folder exists and that you may write to it"])
        }
        Console.note("revision \(revision) is in `\(output)`".printable)
    }

    private func checkFree() throws(CommandFailure) {
        guard let output, !force, FileManager.default.fileExists(atPath: URL(filePath: output).path) else { return }
        throw CommandFailure(
            .failed, "`\(output)` exists, and nothing was written",
            hints: ["choose another name, or add `--force` to overwrite it"])
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
                "/v1/catalog/revisions", page.query, empty: "no catalog has been applied yet",
                table: CatalogText.revisions)
        }
        let reply = try await answer.connect { try await $0.revision(revision) }
        let headline = Console.palette.paint(CatalogWords.headline(reply.body).printable, .heading)
        Console.write(try answer.output.data(reply.json) ?? headline + "\n\n" + (reply.body.document ?? ""))
    }
}

struct CatalogRollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Put the document of an earlier revision in force again.",
        discussion: """
            Shows what that changes and asks; without a terminal it needs --confirm. The old document becomes a new \
            revision, so nothing is lost and a rollback can be rolled back. Pauses stay as they are. Needs a key with the \
            role marketing.

            Example:
              offerctl catalog revisions
              offerctl catalog rollback 3 --message "the new limits were a mistake" \\
                --confirm
            """)

    @Argument(help: ArgumentHelp("The revision whose document to apply.", valueName: "revision"))
    var revision: Int

    @Option(
        help: ArgumentHelp(
            "The reason, for the list of revisions. (default: rollback to revision N)", valueName: "text"))
    var message: String?

    @Flag(help: "Agree to what the rollback changes.")
    var confirm = false

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        try checkRevision(revision)
    }

    func run() async throws {
        try await answer.connect(files: SentFiles(catalog: "revision \(revision)")) { client in
            let inForce = try await client.catalogInForce()
            let document = try await client.revision(revision).body.file
            if !confirm || client.asks {
                let (reply, plan) = try await client.plan(document, from: inForce, isRollback: true)
                if !confirm, plan.hasChanges, !Console.canAsk {
                    try answer.show(reply, text: plan.text(answer.output.palette))
                }
                try await plan.confirm(
                    "roll back to revision \(revision)", isAgreed: confirm || !plan.hasChanges, client, answer)
            }
            let reply = try await client.put(
                document, from: inForce, message: message ?? "rollback to revision \(revision)")
            try answer.show(
                reply,
                text: CatalogText.applied(reply.body, after: inForce.revision, palette: answer.output.palette))
        }
    }
}

extension CatalogPlan {
    /// Shows the plan and asks, where the user can be asked and something would change.
    fileprivate func confirm(
        _ change: String, isAgreed: Bool, _ client: OfferdClient, _ answer: AnswerOptions
    ) async throws {
        if hasChanges, Console.canAsk, !isAgreed || client.asks {
            answer.showPreview { text($0, isPending: true) }
        }
        try await client.confirm(change, isAgreed: isAgreed)
    }
}

func checkRevision(_ revision: Int?) throws {
    guard let revision, revision < 1 else { return }
    throw ValidationError("revisions start at 1; `\(revision)` is not one")
}
