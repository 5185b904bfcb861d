import OfferModel
import OfferStore
import OpenSSLCrypto

/// The verification of a ledger with the keys that a configuration names.
struct LedgerCheck: Sendable {
    private let verification: LedgerVerification
    private let isSigned: Bool

    /// - Parameter publicKeys: further keys that checkpoints may be signed by.
    init(_ setup: ServerSetup, publicKeys: [OpenSSLPublicKey] = []) throws {
        let audit = try setup.auditKeys()
        let keys = publicKeys + (audit.map { [$0.signing.publicKey] } ?? [])
        isSigned = !keys.isEmpty
        verification = LedgerVerification(digest: OpenSSLDigest(), key: audit?.digestKey, judge: Self.judge(keys))
    }

    /// Verifies what a transaction sees.
    ///
    /// - Throws: ``CommandFailure`` if rows were recorded under a key that the configuration does not name.
    func outcome(_ transaction: any StoreTransaction) throws -> LedgerOutcome {
        let progress = ProgressLine()
        defer { progress.end() }
        do {
            let report = try verification.verify(transaction) { progress.show(thousandths: $0) }
            return .proven(report, isSigned: isSigned)
        } catch let broken as BrokenRow {
            return .broken(broken)
        } catch let unknown as UnknownDigestKey {
            throw CommandFailure.configuration(
                "rows were recorded under the digest key `\(unknown.name)`, which keys.yaml does not name",
                hints: ["name that key as `digestKey` under `audit:`"])
        }
    }

    /// A judge of checkpoints; none without a key.
    private static func judge(_ keys: [OpenSSLPublicKey]) -> LedgerVerification.CheckpointJudge? {
        guard !keys.isEmpty else { return nil }
        let keys = CheckpointKeys(keys)
        return { checkpoint in keys.verdict(on: checkpoint) }
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
