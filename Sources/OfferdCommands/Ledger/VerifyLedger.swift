import ArgumentParser
import CommandLineSupport
import Foundation
import OfferModel
import OfferStore
import OpenSSLCrypto

struct VerifyLedger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-ledger",
        abstract:
            "Prove that the ledger was not edited: events, checkpoints, rows and the state of every issued offer.",
        discussion: """
            Recomputes the chain of events, checks the signature of every checkpoint, compares every row of the ledger \
            with its event, and derives the state of every issued offer from the events. Names the first row that is \
            wrong. May run beside the server: it reads one snapshot.

            With a `witness` in keys.yaml it also detects that the database was replaced by an older copy. If an \
            operator did so on purpose, --accept-restore signs that into the witness once the ledger is proven, pauses \
            offers with a limit as `offerd restore` does unless they are paused, and `offerd serve` starts again.

            It cannot detect that everything after the last checkpoint was cut off, and without `audit:` in keys.yaml it \
            cannot detect that the whole chain was rewritten.

            The time of a proof is noted in the database, and `/metrics` shows it.

            Exit status: 0 proven, 1 a row is broken, 2 wrong use or configuration.

            Example:
              offerd verify-ledger --config offerd.yaml
              offerd verify-ledger --config offerd.yaml --json
              offerd verify-ledger --config offerd.yaml --accept-restore "disk lost"
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .customLong("public-key"),
        help: "A public key (PEM) that signed earlier checkpoints; may be given several times.",
        completion: .file(extensions: ["pem"]))
    var publicKeys: [String] = []

    @Option(
        help: ArgumentHelp(
            "Continue from an older copy that was restored on purpose; the reason is kept in the witness.",
            valueName: "reason"))
    var acceptRestore: String?

    @Option(
        help:
            "With --accept-restore, the last moment at which the former database may have issued an offer. (default: now)",
        transform: Instant.argument)
    var issuedUntil: Instant?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let acceptRestore else {
            guard issuedUntil == nil else { throw ValidationError("`--issued-until` is for `--accept-restore`") }
            return
        }
        guard !acceptRestore.isEmpty, acceptRestore.utf8.count <= 1_000 else {
            throw ValidationError("`--accept-restore` takes a reason of 1 to 1000 bytes")
        }
    }

    func run() async throws {
        let setup = try options.setup()
        let begin = Instant.wallClock
        let check = try LedgerCheck(
            setup, publicKeys: publicKeys.map { try OpenSSLPublicKey(pem: try InputFile.text($0, "public key")) })
        let database = try setup.database.open()
        defer { try? database.close() }
        if let acceptRestore {
            // Only a ledger that is proven by itself may be continued.
            let alone = try await database.read { try check.outcome($0) }
            if case .broken(let row) = alone { throw LedgerOutcome.failure(row) }
            // Before the witness agrees: `serve` starts once it does.
            let paused = try await LimitsPause.pause(
                setup, database, issuedUntil: issuedUntil, unlessPaused: true,
                by: "offerd verify-ledger --accept-restore")
            let number = try await check.acceptRestore(because: acceptRestore, database)
            try Console.output(
                number.map { "the witness goes on from checkpoint \($0)" }
                    ?? "the witness needs no change: it and the database agree")
            for line in paused { try Console.output(line) }
            return
        }
        let end = try check.witnessSize()
        let outcome = try await database.read { try check.outcomeWithWitness($0, through: end) }
        let lines = try output.data(outcome.json()).map { [$0] } ?? outcome.lines()
        for line in lines { try Console.output(line) }
        guard case .broken(let row) = outcome else { return await setup.database.note(.proof, at: begin) }
        throw LedgerOutcome.failure(row)
    }
}
