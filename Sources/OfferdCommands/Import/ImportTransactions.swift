import ArgumentParser
import Foundation
import OfferApplication
import OfferModel
import OfferStore

struct ImportTransactions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "Import transactions exported from elsewhere, as JSON Lines or CSV.",
        discussion: """
            Each line is one purchase or one renewal: Apple's decoded transaction, with the app's own customerId beside \
            it. Begin with --dry-run, which reads everything and writes nothing. An import that was interrupted goes on \
            where it was when the same command is given again. May run beside the server. docs/import.md has the columns.

            Exit status: 0 done, also if some lines were refused; 1 failed, or every line was refused; 2 wrong use or \
            configuration.

            Example:
              offerd import transactions export.csv --app com.example.pro --environment Production \
            --config offerd.yaml --dry-run --refused refused.jsonl
              offerd import transactions revenuecat.csv --mapping revenuecat --app com.example.pro \
            --environment Production --config offerd.yaml
            """)

    /// How lines are written.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv
        case jsonl
    }

    @Argument(help: "The file.", completion: .file(extensions: ["jsonl", "csv"]))
    var file: String

    @OptionGroup var importing: ImportOptions

    @OptionGroup var export: ExportOptions

    @Option(help: "csv or jsonl; told by the end of the file's name if left out.")
    var format: Format?

    @Option(help: "What a CSV file's columns mean: apple, revenuecat or subscriptions.")
    var mapping: ColumnMappingName = .apple

    @Option(
        name: .customLong("ignore-column"), help: "A column of a CSV file to pass over; may be given several times.")
    var ignoredColumns: [String] = []

    func run() async throws {
        guard mapping != .subscriptions || !export.complete else {
            throw CommandFailure.configuration(
                "`--mapping subscriptions` has the latest period of a subscription alone, so it is never complete",
                hints: ["leave out `--complete`"])
        }
        let (setup, scope) = try importing.setup()
        let lines = try LineFile(path: file, what: "file of transactions", longestLine: Self.longestLine)
        let form = try resolvedFormat()
        let terms = ImportTerms(
            source: "transactions", provenance: .operator, digest: try digest(of: lines, form),
            completeAsOf: try export.completeAsOf())
        let runner = ImportRunner(setup: setup, scope: scope, options: importing, command: "offerd import transactions")
        switch form {
        case .jsonl:
            try await runner.run(try JSONLinesSource(lines, reader: reader(in: scope)), of: [file], terms)
        case .csv:
            let source = try CSVSource(
                lines, mapping: mapping.columns(in: scope), reader: reader(in: scope), ignored: Set(ignoredColumns))
            try await runner.run(source, of: [file], terms)
        }
    }

    private func reader(in scope: Scope) throws -> PurchaseReader {
        PurchaseReader(scope: scope, exportedAt: try export.exportDate())
    }

    /// Of the file and of how it is read: with other options the same file is another source.
    private func digest(of lines: LineFile, _ format: Format) throws -> [UInt8] {
        let ignored = Set(ignoredColumns).sorted().joined(separator: "\n")
        return try lines.digest(with: [
            importing.app, importing.environment.rawValue, format.rawValue, mapping.rawValue,
            export.exportedAt ?? "", ignored,
        ])
    }

    private func resolvedFormat() throws -> Format {
        if let format { return format }
        switch URL(filePath: file).pathExtension.lowercased() {
        case "csv": return .csv
        case "jsonl", "ndjson", "json": return .jsonl
        default:
            throw CommandFailure.configuration(
                "the name of `\(file)` does not tell its format", hints: ["say `--format csv` or `--format jsonl`"])
        }
    }

    /// A payload has 64 KiB at most, and escapes can make a text of it longer.
    private static let longestLine = 262_144
}
