import ArgumentParser
import OfferModel

/// What a dry-run supposes in place of what is so: another moment, another history, another catalog.
struct SuppositionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Decide as of this moment, such as 2026-12-24T00:00:00Z.", valueName: "time"),
        transform: MomentArgument.init(parsing:))
    var asOf: MomentArgument?

    @Option(
        help: ArgumentHelp("Decide on this history instead of the stored one.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var history: String?

    @Option(
        help: ArgumentHelp("Decide by this catalog instead of the one in force.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var catalog: String?

    @Option(help: ArgumentHelp("Decide by this revision of the catalog.", valueName: "revision"))
    var catalogRevision: Int?

    mutating func validate() throws {
        guard catalog == nil || catalogRevision == nil else {
            throw ValidationError("say either `--catalog` or `--catalog-revision`")
        }
        try catalogRevision.checkRevision()
    }

    /// What is supposed, in a line; `nil` if nothing is.
    var line: String? {
        let parts = [
            asOf.map { "at " + TimeText.absolute($0.instant) },
            history.map { "on the history in `\($0)`" },
            catalog.map { "by the catalog in `\($0)`" },
            catalogRevision.map { "by revision \($0) of the catalog" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : "what if: " + parts.joined(separator: ", ").printable
    }

    /// Adds what is supposed. The files are checked first: a mistake in one needs no server to be found.
    ///
    /// - Throws: `CommandFailure` with status 2 for a file that cannot be used, 1 for an invalid catalog.
    func add(to request: inout DryRunRequest, _ console: Console) throws {
        let history = try self.history.map { try HistoryFile(reading: $0) }
        let document = try catalog.map { try CatalogFile(checking: $0, console).text }
        try request.add("asOf", asOf?.instant)
        request.add("history", history)
        try request.add("catalog", document)
        try request.add("catalogRevision", catalogRevision)
    }
}
