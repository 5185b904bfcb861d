import ArgumentParser
import Foundation

/// `offerctl catalog export`: the catalog in force as a file.
struct CatalogExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the catalog in force to stdout or a file.",
        discussion: """
            In the notation it was applied in, the document is as it was, comments included. Needs a key with the role \
            marketing or support.

            Example:
              offerctl catalog export --output catalog.yaml
            """)

    /// A notation of the document.
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

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await connection.ask(role: "marketing or support", json: false) { client, console in
            let catalog = try await client.catalogInForce(as: mediaType)
            guard catalog.revision != 0 else {
                throw CommandFailure(
                    .no, "no catalog has been applied yet", hints: ["`offerctl catalog apply` makes a file the first"])
            }
            guard let output else {
                console.write(String(decoding: catalog.document, as: UTF8.self))
                return
            }
            do {
                try Data(catalog.document).write(to: URL(filePath: output), options: .atomic)
            } catch {
                throw CommandFailure(
                    .usage, "`\(output)` cannot be written",
                    hints: ["check that its folder exists and that you may write to it"])
            }
            console.note("revision \(catalog.tag.dropFirst().dropLast()) is in `\(output)`".printable)
        }
    }

    private var mediaType: String {
        switch format {
        case .yaml?: CatalogFile.yaml
        case .json?: CatalogFile.json
        case nil: output.map(CatalogFile.mediaType) ?? CatalogFile.yaml
        }
    }
}
