import ArgumentParser
import Foundation
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct VerifyLedger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-ledger",
        abstract: "Prove that nobody edited the ledger: events, checkpoints, rows and the state of every slot.",
        discussion: """
            Recomputes the chain of events, checks the signature of every checkpoint, compares every row of the ledger \
            with what its event tells, and derives the state of every slot from the events. Names the first row that \
            is not as it should be. May run beside the server: it reads one snapshot.

            It cannot find that everything after the last checkpoint was cut off, and without `audit:` in keys.yaml it \
            cannot find that the whole chain was made anew.

            Exit status: 0 proven, 1 a row is broken, 2 wrong use or configuration.

            Example:
              offerd verify-ledger --config offerd.yaml
              offerd verify-ledger --config offerd.yaml --json
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .customLong("public-key"),
        help: "A public key (PEM) that signed earlier checkpoints; may be given several times.",
        completion: .file(extensions: ["pem"]))
    var publicKeys: [String] = []

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let setup = try options.setup()
        let check = try LedgerCheck(
            setup, publicKeys: publicKeys.map { try OpenSSLPublicKey(pem: try TextFile.read($0, what: "public key")) })
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        let outcome = try await database.read { try check.outcome($0) }
        if json {
            try Terminal.output(try outcome.json())
        } else {
            for line in outcome.lines() { try Terminal.output(line) }
        }
        guard case .broken(let row) = outcome else { return }
        throw LedgerOutcome.failure(row)
    }
}
