import OfferApplication
import OfferCatalog
import OfferModel
import OfferStore
import OpenSSLCrypto

/// The keys of the audit, loaded and checked.
struct AuditKeys {
    let signing: OpenSSLSigningKey
    let digestKey: OpenSSLDigestKey
    /// The file that each checkpoint is also written to.
    let witness: WitnessFile?

    /// Whether a signature of a record is the audit key's.
    @Sendable
    func isSigned(_ fingerprint: String, _ message: [UInt8], _ signature: [UInt8]) -> Bool {
        fingerprint == signing.publicKey.fingerprint
            && signing.publicKey.isValid(derSignature: signature, of: message)
    }

    var signer: CheckpointSigner { CheckpointSigner(fingerprint: signing.publicKey.fingerprint, key: signing) }
}

extension ServerSetup {
    /// Loads the keys of `audit:`; `nil` if there is none.
    ///
    /// - Throws: `SigningKeyError`, or ``CommandFailure`` for a key that is an app's or an environment variable that is
    ///   not set.
    func auditKeys() throws -> AuditKeys? {
        guard let audit = keys.audit else { return nil }
        let signing = try load(
            KeyConfiguration(keyId: "AUDIT", privateKey: audit.privateKey, use: .signing, environments: []))
        let keys = AuditKeys(
            signing: signing, digestKey: try loadDigestKey(audit.digestKey),
            witness: audit.witness.map { WitnessFile(path: absolute($0)) })
        for app in self.keys.apps {
            for entry in app.keys where try load(entry).publicKey.fingerprint == signing.publicKey.fingerprint {
                throw CommandFailure.configuration(
                    "the audit's key is the key `\(entry.keyId)` of app `\(app.bundleId)`",
                    hints: ["make one of its own: `offerd keys generate --out keys/audit.p8 --key-id AUDIT`"])
            }
        }
        return keys
    }

    /// Every key with what may be shown of it, as the audit tells of them.
    ///
    /// - Throws: what is wrong with the first key that is not usable.
    func shownKeys(audit: AuditKeys?) throws -> [String: String] {
        var shown: [String: String] = [:]
        for app in keys.apps {
            for entry in app.keys {
                let environments = entry.environments.map(\.rawValue).joined(separator: ",")
                shown["\(app.bundleId) \(entry.keyId)"] =
                    "\(entry.use.rawValue) \(environments) \(try load(entry).publicKey.fingerprint)"
            }
        }
        shown["audit"] = audit?.signing.publicKey.fingerprint
        shown[SigningKeyLog.digestMember] = audit?.digestKey.name
        return shown
    }

    private func loadDigestKey(_ source: PrivateKeySource) throws -> OpenSSLDigestKey {
        switch source {
        case .path(let path): try OpenSSLDigestKey(file: absolute(path))
        case .environment(let name):
            try OpenSSLDigestKey(
                hexadecimal: Array(try text(ofVariable: name, for: "the audit's digest key").utf8),
                source: "environment variable `\(name)`")
        }
    }
}
