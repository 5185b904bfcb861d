import CommandLineSupport
import Foundation
import OfferModel
import OfferStore
import OpenSSLCrypto

/// The verification of a ledger with the keys that a configuration names.
struct LedgerCheck: Sendable {
    private let verification: LedgerVerification
    private let isSigned: Bool
    private let keys: CheckpointKeys
    private let audit: AuditKeys?

    /// - Parameter publicKeys: further keys that checkpoints may be signed by.
    init(_ setup: ServerSetup, publicKeys: [OpenSSLPublicKey] = []) throws {
        let audit = try setup.auditKeys()
        let keys = publicKeys + (audit.map { [$0.signing.publicKey] } ?? [])
        isSigned = !keys.isEmpty
        self.keys = CheckpointKeys(keys)
        self.audit = audit
        verification = LedgerVerification(
            digest: OpenSSLDigest(), key: audit?.digestKey, judge: keys.isEmpty ? nil : self.keys.verdict)
    }

    func outcome(_ transaction: any StoreTransaction) throws -> LedgerOutcome {
        let progress = ProgressLine()
        defer { progress.end() }
        do {
            let report = try verification.verify(transaction) { progress.show(thousandths: $0) }
            return .proven(report, isSigned: isSigned)
        } catch let broken as BrokenRow {
            return .broken(broken)
        } catch let unknown as UnknownDigestKey {
            throw CommandFailure(
                .usage, "rows were recorded under the digest key `\(unknown.name)`, which keys.yaml does not name",
                hints: ["name that key as `digestKey` under `audit:`"])
        }
    }

    /// The same, compared with the witness too.
    ///
    /// - Parameter end: how long the witness was before the transaction began; see ``witnessSize()``.
    func outcomeWithWitness(_ transaction: any StoreTransaction, through end: UInt64?) throws -> LedgerOutcome {
        let outcome = try outcome(transaction)
        guard let witness = audit?.witness, let end, case .proven(let report, let isSigned, _) = outcome else {
            return outcome
        }
        let (count, difference) = try WitnessCheck(transaction, judge: keys.isSigned).run {
            try witness.records(through: end, $0)
        }
        if let difference { return .broken(difference.broken) }
        return .proven(report, isSigned: isSigned, witnessed: count)
    }

    func witnessSize() throws -> UInt64? { try audit?.witness?.size() }

    /// Signs into the witness that the database was put back to an older copy on purpose, and what it has since.
    ///
    /// - Returns: the checkpoint that the witness goes on from; `nil` if the two agree.
    func acceptRestore(because reason: String, _ database: any DatabaseDriver) async throws -> Int64? {
        guard let audit, let witness = audit.witness else {
            throw CommandFailure(
                .usage, "keys.yaml names no `witness`", hints: ["without one there is nothing to accept"])
        }
        let end = try witness.size()
        // By the present key alone, as `serve` judges: an acceptance signed by a former key has to be given again.
        let judge = audit.keys.isSigned
        let difference = try await database.read { transaction in
            try WitnessCheck(transaction, judge: judge).run { try witness.records(through: end, $0) }.difference
        }
        guard let difference else { return nil }
        var record = RestoredRecord(
            number: difference.agreed, replaced: difference.newest, reason: reason, signedAt: .wallClock,
            keyFingerprint: audit.signing.publicKey.fingerprint)
        record.signature = try audit.signing.derSignature(of: record.message)
        try witness.append { [record] _ in [.restored(record)] }
        try await witness.catchUp { last in try await database.read { try CheckpointStore($0).following(last) } }
        return difference.agreed
    }
}

struct CheckpointKeys: Sendable {
    private let keys: [String: OpenSSLPublicKey]

    init(_ keys: [OpenSSLPublicKey]) {
        self.keys = Dictionary(keys.map { ($0.fingerprint, $0) }) { first, _ in first }
    }

    @Sendable
    func isSigned(_ fingerprint: String, _ message: [UInt8], _ signature: [UInt8]) -> Bool {
        keys[fingerprint]?.isValid(derSignature: signature, of: message) ?? false
    }

    @Sendable
    func verdict(on checkpoint: AuditCheckpoint) -> LedgerVerification.CheckpointVerdict {
        guard keys[checkpoint.keyFingerprint] != nil else { return .unknownKey }
        return isSigned(checkpoint.keyFingerprint, checkpoint.message, checkpoint.signature) ? .valid : .invalid
    }
}

enum LedgerOutcome {
    /// - Parameter witnessed: how many checkpoints of the witness the database has; `nil` without a witness.
    case proven(LedgerReport, isSigned: Bool, witnessed: Int64? = nil)
    case broken(BrokenRow)

    static func failure(_ row: BrokenRow) -> CommandFailure {
        CommandFailure(
            .failed, "the ledger is broken: \(row.table) \(row.key): \(row.detail)",
            hints: ["keep a copy of the file as it is; docs/ledger.md tells what to look at"]
                + (row.table == "witness"
                    ? ["if you restored the copy on purpose: `offerd verify-ledger --accept-restore REASON`"] : []))
    }

    /// For people; a broken row is reported as the command's failure.
    func lines() -> [String] {
        guard case .proven(let report, let isSigned, let witnessed) = self else { return [] }
        var lines = ["proven: \(report.events) events, newest hash \(Hexadecimal.lowercase(report.head))"]
        lines += report.rows.sorted { $0.key < $1.key }.map { "  \($0): \($1) rows" }
        let newest = report.newestCheckpoint.map {
            "\(report.checkpoints), the newest signs \($0.eventSequence) events at \(TimeText.absolute($0.signedAt))"
        }
        lines.append("checkpoints: \(newest ?? "none")")
        if let witnessed { lines.append("witness: \(witnessed) checkpoints, as in the database") }
        if report.saltedEvents > 0 {
            lines.append(
                "\(report.saltedEvents) events took their digests with the random bytes in the file although the "
                    + "service had a digest key by then: anyone who can write the file could have computed them")
        }
        lines.append(
            isSigned
                ? "not provable: that nothing was cut off after the newest checkpoint; \(report.unsignedEvents) events "
                    + "follow it"
                : "not provable: that the whole chain was not rewritten; signatures were not checked, because keys.yaml "
                    + "has no `audit`")
        return lines
    }

    func json() throws -> String { try body.jsonText(isPretty: false) }

    private var body: Body {
        switch self {
        case .broken(let row):
            Body(isProven: false, broken: row)
        case .proven(let report, let isSigned, let witnessed):
            Body(
                isProven: true, events: report.events, head: Hexadecimal.lowercase(report.head), rows: report.rows,
                checkpoints: report.checkpoints,
                newestCheckpoint: report.newestCheckpoint.map {
                    Body.Checkpoint(number: $0.number, eventSequence: $0.eventSequence, signedAt: $0.signedAt)
                }, signaturesChecked: isSigned, unsignedEvents: report.unsignedEvents,
                saltedEvents: report.saltedEvents,
                witnessedCheckpoints: witnessed)
        }
    }

    private struct Body: Encodable {
        struct Checkpoint: Encodable {
            var number: Int64
            var eventSequence: Int64
            var signedAt: Instant
        }

        var isProven: Bool
        var broken: BrokenRow?
        var events: Int64?
        var head: String?
        var rows: [String: Int64]?
        var checkpoints: Int64?
        var newestCheckpoint: Checkpoint?
        var signaturesChecked: Bool?
        var unsignedEvents: Int64?
        var saltedEvents: Int64?
        var witnessedCheckpoints: Int64?
    }
}
