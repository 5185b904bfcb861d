import ArgumentParser
import Foundation
import OfferCatalog
import OfferModel
import OpenSSLCrypto

struct KeysCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check one key file, or every key of keys.yaml.",
        discussion: """
            Checks the file's permissions, its form, its curve, and that what it signs verifies. Nothing secret is shown.

            Example:
              offerd keys check keys/SubscriptionKey_2X9R4HXF34.p8
              offerd keys check --config offerd.yaml
            """)

    @Argument(help: "A private key file (PKCS#8 PEM).")
    var file: String?

    @Option(help: "Check every key that this configuration names.")
    var config: String?

    func validate() throws {
        guard (file == nil) != (config == nil) else {
            throw ValidationError("name either a key file or `--config`")
        }
    }

    func run() throws {
        if let file {
            let keyId = KeyFileName.keyId(file) ?? "unnamed"
            try show(try OpenSSLSigningKey(file: file, keyId: KeyId(keyId)), of: file)
        }
        if let config {
            let setup = try ServerSetup.read(config: config)
            _ = try setup.registry()
            for app in setup.keys.apps {
                for entry in app.keys {
                    let key = try setup.load(entry)
                    let environments = entry.environments.map(\.rawValue).joined(separator: ", ")
                    try Terminal.output("\(app.bundleId) \(entry.use.rawValue) \(environments)")
                    try show(key, of: entry.privateKey.text)
                }
            }
            if let audit = setup.keys.audit, let keys = try setup.auditKeys() {
                try Terminal.output("audit")
                try show(keys.signing, of: audit.privateKey.text)
                try Terminal.output("ok: \(audit.digestKey.text) is a digest key, \(keys.digestKey.name)")
            }
        }
    }

    private func show(_ key: OpenSSLSigningKey, of source: String) throws {
        try Terminal.output("ok: \(source) is a P-256 key, key id \(key.keyId)")
        try Terminal.output("public key SHA-256 \(key.publicKey.fingerprint)")
    }
}

/// The naming of keys downloaded from App Store Connect: `SubscriptionKey_<id>.p8`.
enum KeyFileName {
    static func keyId(_ path: String) -> String? {
        let name = URL(filePath: path).lastPathComponent
        guard name.hasPrefix("SubscriptionKey_"), name.hasSuffix(".p8") else { return nil }
        let id = name.dropFirst("SubscriptionKey_".count).dropLast(".p8".count)
        return KeyIdText.isValid(String(id)) ? String(id) : nil
    }
}

extension PrivateKeySource {
    /// As keys.yaml names it.
    var text: String {
        switch self {
        case .path(let path): path
        case .environment(let name): "env:\(name)"
        }
    }
}
