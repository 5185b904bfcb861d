import AppStoreData
import ArgumentParser
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto

struct ImportReceipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts",
        abstract: "Import answers of Apple's verifyReceipt that were kept.",
        discussion: """
            Each answer is one customer's, as Apple gave it: a file each, or a line each of files whose names end in .jsonl \
            or .ndjson. A folder stands for such files in it. An answer is taken whole or refused with its reasons. Begin \
            with --dry-run, which reads everything and writes nothing. An import that was interrupted goes on where it was \
            when the same command is given again. May run beside the server. docs/import.md tells what is read.

            Exit status: 0 done, also if some answers were refused; 1 failed, or every answer was refused; 2 wrong use or \
            configuration.

            Example:
              offerd import receipts receipts/ --app com.example.pro --environment Production \
            --config offerd.yaml --dry-run --refused refused.jsonl
            """)

    @Argument(
        help: "Files with answers, or folders of such files.",
        completion: .file(extensions: ["json", "jsonl", "ndjson"]))
    var paths: [String]

    @OptionGroup var importing: ImportOptions

    func run() async throws {
        let (setup, scope) = try importing.setup()
        let files = try ReceiptFile.all(at: paths)
        let source = ReceiptSource(files, reader: ReceiptReader(scope: scope), now: .wallClock())
        let terms = ImportTerms(source: "receipts", provenance: .receipt, digest: try digest(of: files))
        let runner = ImportRunner(setup: setup, scope: scope, options: importing, command: "offerd import receipts")
        try await runner.run(source, of: files.map(\.path), terms)
        if source.leftOut > 0 {
            try Terminal.output("left out: \(source.leftOut) purchases that are no subscriptions")
        }
    }

    private func digest(of files: [ReceiptFile]) throws -> [UInt8] {
        let texts = [importing.app, importing.environment.rawValue]
        return OpenSSLDigest().sha256(try files.flatMap { try $0.open().digest(with: texts) })
    }
}
