import ArgumentParser
import OfferApplication
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Remove what is no longer needed, as `serve` does by itself.",
        discussion: """
            The terms are those of `retention` in the configuration. May run beside the server.

            Example:
              offerd retention --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let setup = try options.setup()
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        let retention = Retention(
            ledger: Ledger(database, digest: OpenSSLDigest(), key: try setup.auditKeys()?.digestKey),
            terms: setup.retention, author: AuditAuthor(actor: "offerd retention"), clock: { .wallClock() })
        let sum = try await retention.sweep()
        try Terminal.output(
            "removed: the text of \(sum.signatures) signatures, the record of \(sum.refusals) refusals, "
                + "\(sum.answers) kept answers, the text of \(sum.notifications) notifications")
        if sum.isHeld {
            try Terminal.output(
                "texts stay: the audit's digest key has changed, and without them rows could not be proven")
        }
    }
}
