import ArgumentParser
import Foundation
import OfferModel
import OpenSSLCrypto

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make, check and list signing keys.",
        discussion: """
            Example:
              offerd keys generate --out keys/SubscriptionKey_LOCALTEST1.p8 --key-id LOCALTEST1
              offerd keys check --config offerd.yaml
            """,
        subcommands: [KeysGenerate.self, KeysCheck.self, KeysList.self])
}

struct KeysGenerate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make a throwaway P-256 key for tests.",
        discussion: """
            The App Store knows only keys that were made in App Store Connect (Users and Access, Integrations, In-App \
            Purchase). A key made here is for the LocalTesting environment.

            Example:
              offerd keys generate --out keys/SubscriptionKey_LOCALTEST1.p8 --key-id LOCALTEST1
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
        if let publicKey { try TextFile.write(key.publicKey.pem, to: publicKey) }
        try Terminal.output("made key \(keyId) in \(out)")
        try Terminal.output("public key SHA-256 \(key.publicKey.fingerprint)")
    }
}

/// The form of a key id; App Store Connect's have ten characters.
enum KeyIdText {
    static func isValid(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
    }
}
