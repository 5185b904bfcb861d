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
        let audit = try setup.auditKeys()
        var keys = try publicKeys.map { try OpenSSLPublicKey(pem: try TextFile.read($0, what: "public key")) }
        if let audit { keys.append(audit.signing.publicKey) }
        let verification = LedgerVerification(
            digest: OpenSSLDigest(), key: audit?.digestKey, judge: Self.judge(keys))
        let outcome = try await result(of: verification, in: setup, isSigned: !keys.isEmpty)
        if json {
            try Terminal.output(try outcome.json())
        } else {
            for line in outcome.lines() { try Terminal.output(line) }
        }
        guard case .broken(let row) = outcome else { return }
        throw CommandFailure.failed(
            "the ledger is broken: \(row.table) \(row.key): \(row.detail)",
            hints: ["keep a copy of the file as it is; docs/ledger.md tells what to look at"])
    }

    /// A judge of checkpoints; none without a key.
    private static func judge(_ keys: [OpenSSLPublicKey]) -> LedgerVerification.CheckpointJudge? {
        guard !keys.isEmpty else { return nil }
        let keys = CheckpointKeys(keys)
        return { checkpoint in keys.verdict(on: checkpoint) }
    }

    private func result(
        of verification: LedgerVerification, in setup: ServerSetup, isSigned: Bool
    ) async throws -> LedgerOutcome {
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        do {
            let report = try await database.read { transaction in
                let progress = ProgressLine()
                defer { progress.end() }
                return try verification.verify(transaction) { progress.show(thousandths: $0) }
            }
            return .proven(report, isSigned: isSigned)
        } catch let broken as BrokenRow {
            return .broken(broken)
        } catch let unknown as UnknownDigestKey {
            throw CommandFailure.configuration(
                "rows were recorded under the digest key `\(unknown.name)`, which keys.yaml does not name",
                hints: ["name that key as `digestKey` under `audit:`"])
        }
    }
}

/// The public keys that checkpoints may be signed by.
private struct CheckpointKeys: Sendable {
    let keys: [String: OpenSSLPublicKey]

    init(_ keys: [OpenSSLPublicKey]) {
        self.keys = Dictionary(keys.map { ($0.fingerprint, $0) }) { first, _ in first }
    }

    func verdict(on checkpoint: AuditCheckpoint) -> LedgerVerification.CheckpointVerdict {
        guard let key = keys[checkpoint.keyFingerprint] else { return .unknownKey }
        return key.isValid(derSignature: checkpoint.signature, of: checkpoint.message) ? .valid : .invalid
    }
}
