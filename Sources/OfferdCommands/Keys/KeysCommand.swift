import ArgumentParser
import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel
import OpenSSLCrypto

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Create, check and list signing keys.",
        discussion: """
            Example:
              offerd keys generate --out keys/SubscriptionKey_LOCALTEST1.p8 \\
                --key-id LOCALTEST1
              offerd keys check --config offerd.yaml
            """,
        subcommands: [KeysGenerate.self, KeysCheck.self, KeysList.self])
}

struct KeysGenerate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Create a throwaway P-256 key for tests.",
        discussion: """
            The App Store knows only keys that were created in App Store Connect (Users and Access, Integrations, In-App \
            Purchase). A key created here is for the LocalTesting environment.

            Example:
              offerd keys generate --out keys/SubscriptionKey_LOCALTEST1.p8 \\
                --key-id LOCALTEST1
            """)

    @Option(help: "The new private key file (PKCS#8 PEM, readable by its owner only).")
    var out: String

    @Option(help: "The key's id, as keys.yaml will name it.")
    var keyId: String

    @Option(help: "Also write the public key (PEM) to this file.")
    var publicKey: String?

    func validate() throws {
        guard KeyIdText.isValid(keyId) else {
            throw ValidationError("`\(keyId)` cannot be a key id: it has 1 to 32 letters and digits")
        }
    }

    func run() throws {
        let key = try OpenSSLSigningKey.generate(toNewFile: out, keyId: KeyId(keyId))
        if let publicKey {
            do {
                try key.publicKey.pem.write(toFile: publicKey, atomically: true, encoding: .utf8)
            } catch {
                throw CommandFailure(
                    .failed, "`\(publicKey)` cannot be written",
                    hints: ["check that the directory exists and may be written to"])
            }
        }
        try Console.output("made key \(keyId) in \(out)")
        try Console.output("public key SHA-256 \(key.publicKey.fingerprint)")
    }
}

/// The form of a key id; App Store Connect's have ten characters.
enum KeyIdText {
    static func isValid(_ text: String) -> Bool {
        text.isMade(upTo: 32)
    }
}

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

    @Option(
        help: "The configuration whose keys are checked. (default: offerd.yaml here, or /etc/offerd/offerd.yaml)",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    func validate() throws {
        guard file == nil || config == nil else { throw ValidationError("name either a key file or `--config`") }
    }

    func run() throws {
        if let file {
            let keyId = DownloadedKeyName(file).id ?? "unnamed"
            try show(try OpenSSLSigningKey(file: file, keyId: KeyId(keyId)), of: file)
        } else {
            let setup = try ServerSetup.read(config: try ConfigurationFile.path(config))
            _ = try setup.apps()
            for app in setup.keys.apps {
                for entry in app.keys {
                    let key = try setup.load(entry)
                    let environments = entry.environments.map(\.rawValue).joined(separator: ", ")
                    try Console.output("\(app.bundleId) \(entry.use.rawValue) \(environments)")
                    try show(key, of: entry.privateKey.text)
                }
            }
            if let audit = setup.keys.audit, let keys = try setup.auditKeys() {
                try Console.output("audit")
                try show(keys.signing, of: audit.privateKey.text)
                try Console.output("ok: \(audit.digestKey.text) is a digest key, \(keys.digestKey.name)")
            }
        }
    }

    private func show(_ key: OpenSSLSigningKey, of source: String) throws {
        try Console.output("ok: \(source) is a P-256 key, key id \(key.keyId)")
        try Console.output("public key SHA-256 \(key.publicKey.fingerprint)")
    }
}

extension PrivateKeySource {
    var text: String {
        switch self {
        case .path(let path): path
        case .environment(let name): "env:\(name)"
        case .token(let token): token.uri
        }
    }

    /// The path of the file that the key needs.
    var file: String? {
        switch self {
        case .path(let path): path
        case .token(let token): if case .file(let path) = token.pin { path } else { nil }
        case .environment: nil
        }
    }
}

struct KeysList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys that keys.yaml names.",
        discussion: """
            Reads no private key, so it also works where one is missing; `offerd keys check` tries them.

            Example:
              offerd keys list --config offerd.yaml
            """)

    @Option(
        help: "The configuration file. (default: offerd.yaml here, or /etc/offerd/offerd.yaml)",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    func run() throws {
        let setup = try ServerSetup.read(config: try ConfigurationFile.path(config))
        let rows = setup.keys.apps.flatMap { app in
            app.keys.map { key in
                [
                    app.bundleId.rawValue, key.keyId.rawValue, key.use.rawValue,
                    key.environments.map(\.rawValue).joined(separator: ", "), key.privateKey.text,
                ]
            }
        }
        let table = TextTable(["APP", "KEY ID", "USE", "ENVIRONMENTS", "PRIVATE KEY"], rows: rows)
        for line in table.lines(.plain) { try Console.output(line) }
    }
}
