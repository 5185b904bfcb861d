import AppStoreData
import ArgumentParser
import CommandLineSupport
import Foundation
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore
import OpenSSLCrypto

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring in purchase history from elsewhere.",
        discussion: """
            Imported data is not signed by Apple: it is kept as the operator's statement, never merges customers, and is \
            replaced by signed data of the same purchase. docs/import.md has the formats.

            Example:
              offerd import transactions export.csv --app com.example.pro \\
                --environment Production --config offerd.yaml --dry-run
            """,
        subcommands: [ImportTransactions.self, ImportReceipts.self])
}

struct ImportTransactions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "Import transactions exported from elsewhere, as JSON Lines or CSV.",
        discussion: """
            Each line is one purchase or one renewal: Apple's decoded transaction, with the app's own customerId beside \
            it. The file may be compressed with gzip, and CSV may be separated by commas, semicolons or tabs. Begin with --dry-run, which reads everything and writes nothing. The same command continues an \
            interrupted import where it stopped. May run beside the server. docs/import.md has the columns.

            Exit status: 0 done, also if some lines were refused; 1 failed, or every line was refused; 2 wrong use or \
            configuration.

            Example:
              offerd import transactions export.csv --app com.example.pro \\
                --environment Production --config offerd.yaml --dry-run \\
                --refused refused.jsonl
              offerd import transactions revenuecat.csv --mapping revenuecat \\
                --app com.example.pro --environment Production --config offerd.yaml
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv
        case jsonl
    }

    @Argument(help: "The file.", completion: .file(extensions: ["jsonl", "csv"]))
    var file: String

    @OptionGroup var importing: ImportOptions

    @OptionGroup var export: ExportOptions

    @Option(help: "csv or jsonl. (default: by the end of the file's name, or else by how it begins)")
    var format: Format?

    @Option(help: "What a CSV file's columns mean: apple, revenuecat or subscriptions.")
    var mapping: ColumnMappingName = .apple

    @Option(
        name: .customLong("ignore-column"), help: "A column of a CSV file to ignore; may be given several times.")
    var ignoredColumns: [String] = []

    func run() async throws {
        guard mapping != .subscriptions || !export.complete else {
            throw CommandFailure(
                .usage,
                "`--mapping subscriptions` has the latest period of a subscription alone, so it is never complete",
                hints: ["leave out `--complete`"])
        }
        let setup = try importing.configuration.setup()
        let scope = try importing.owner.scope(setup)
        let lines = try LineFile(path: file, what: "file of transactions", longestLine: Self.longestLine)
        let form = try format(of: lines)
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
            source.notices.forEach(Console.note)
            try await runner.run(source, of: [file], terms)
        }
    }

    private func reader(in scope: Scope) throws -> PurchaseReader {
        PurchaseReader(scope: scope, exportedAt: try export.exportDate())
    }

    /// Covers the file and how it is read: with other options the same file is another source.
    private func digest(of lines: LineFile, _ format: Format) throws -> [UInt8] {
        let ignored = Set(ignoredColumns).sorted().joined(separator: "\n")
        return try lines.digest(with: [
            importing.owner.app, importing.owner.environment.rawValue, format.rawValue, mapping.rawValue,
            export.exportedAt ?? "", ignored,
        ])
    }

    private func format(of lines: LineFile) throws -> Format {
        if let format { return format }
        switch FileName.ending(of: file) {
        case "csv", "tsv", "tab": return .csv
        case "jsonl", "ndjson", "json": return .jsonl
        default:
            let first = try lines.next()?.bytes.first { $0 != 0x20 && $0 != 0x09 }
            try lines.seek(to: 0, after: 0)
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .jsonl : .csv
        }
    }

    /// A payload has 64 KiB at most, and escapes can make a text of it longer.
    private static let longestLine = 262_144
}

struct ImportReceipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts",
        abstract: "Import stored answers of Apple's verifyReceipt, and version-1 notifications.",
        discussion: """
            Each answer or notification belongs to one customer and is as Apple sent it: one per file, or one per line. \
            A folder means the files in it. Files may be compressed with gzip. An answer is imported whole or refused \
            with its reasons. Begin with --dry-run, which reads everything and writes nothing. The same command continues \
            an interrupted import where it stopped. May run beside the server. docs/import.md lists what is read.

            Exit status: 0 done, also if some answers were refused; 1 failed, or every answer was refused; 2 wrong use or \
            configuration.

            Example:
              offerd import receipts receipts/ --app com.example.pro \\
                --environment Production --config offerd.yaml --dry-run \\
                --refused refused.jsonl
            """)

    @Argument(
        help: "Files with answers or notifications, or folders of such files.",
        completion: .file(extensions: ["json", "jsonl", "ndjson"]))
    var paths: [String]

    @OptionGroup var importing: ImportOptions

    func run() async throws {
        let setup = try importing.configuration.setup()
        let scope = try importing.owner.scope(setup)
        let files = try ReceiptFile.all(at: paths)
        let source = ReceiptSource(files, reader: ReceiptReader(scope: scope), now: .wallClock)
        let terms = ImportTerms(source: "receipts", provenance: .receipt, digest: try digest(of: files))
        let runner = ImportRunner(setup: setup, scope: scope, options: importing, command: "offerd import receipts")
        try await runner.run(source, of: files.map(\.path), terms)
        if source.leftOut > 0 {
            try Console.output("skipped: \(source.leftOut.counted("purchase")) of other products than subscriptions")
        }
    }

    private func digest(of files: [ReceiptFile]) throws -> [UInt8] {
        let texts = [importing.owner.app, importing.owner.environment.rawValue]
        return OpenSSLDigest().sha256(try files.flatMap { try $0.open().digest(with: texts) })
    }
}

struct ImportOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var owner: ScopeOptions

    @Flag(help: "Read everything, report what an import would change, and write nothing.")
    var dryRun = false

    @Option(
        help: "Where to write the refused lines with their reasons; as CSV if the name ends in .csv, else JSON Lines.",
        completion: .file())
    var refused: String?

    @Option(
        help: """
            Where to write the ids of the customers who cannot be decided or signed for until Apple's data arrives, one per \
            line, for offerd backfill --ids.
            """,
        completion: .file())
    var ids: String?

    @Flag(help: "Drop what an interrupted import of another file staged and did not apply.")
    var discard = false
}

/// The operator's statements about an export as a whole: its date, and whether it is complete.
struct ExportOptions: ParsableArguments {
    @Option(
        name: .customLong("exported-at"),
        help: "When the export was made, such as 2026-11-20T08:00:00Z: the date of what has no date of signing.")
    var exportedAt: String?

    @Flag(
        help: """
            You state that the file has everything that these customers ever bought in the app, as of --exported-at. \
            Rules about what a customer never did rely on it for 24 hours from then.
            """)
    var complete = false

    func exportDate() throws -> Instant? {
        guard let exportedAt else { return nil }
        guard let instant = Instant(iso8601: exportedAt) else {
            throw CommandFailure(
                .usage, "`\(exportedAt)` is not a moment",
                hints: ["write it with `Z` or an offset from UTC, such as 2026-11-20T08:00:00Z"])
        }
        guard instant <= .wallClock else {
            throw CommandFailure(.usage, "`--exported-at \(exportedAt)` is to come")
        }
        return instant
    }

    /// Up to when nothing is missing, by the operator's word.
    func completeAsOf() throws -> Instant? {
        guard complete else { return nil }
        guard let date = try exportDate() else {
            throw CommandFailure(
                .usage, "`--complete` needs `--exported-at`",
                hints: ["an export knows nothing of what was bought after it"])
        }
        return date
    }
}

extension ColumnMappingName: ExpressibleByArgument {}

enum FileName {
    /// The extension of a name, in lower case, without one that says that the file is compressed.
    static func ending(of path: String) -> String {
        let url = URL(filePath: path)
        let ending = url.pathExtension.lowercased()
        return ["gz", "gzip"].contains(ending)
            ? url.deletingPathExtension().pathExtension.lowercased() : ending
    }
}
