import ArgumentParser
import CommandLineSupport
import Foundation
import LocalAppStore
import OfferDocuments
import OfferModel
import OpenSSLCrypto

struct DevelopmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Try offers without Apple: in Xcode, or with a local App Store.",
        discussion: """
            Without a subcommand it is `offerd dev serve`.

            Example:
              offerd dev --storekit Store.storekit --app com.example.pro \\
                --certificate StoreKitTestCertificate.cer
              offerd dev root --out .local/root
              offerd dev sign --root .local/root --scenario Examples/scenarios/lapsed.yaml
            """,
        subcommands: [DevelopmentServe.self, DevelopmentRoot.self, DevelopmentSign.self],
        defaultSubcommand: DevelopmentServe.self)
}

struct DevelopmentRoot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root",
        abstract: "Create a local root certificate and the keys that sign under it.",
        discussion: """
            Name DIR/root.der under `trustedRoots` in keys.yaml, for LocalTesting or Sandbox. Production never trusts it.

            Example:
              offerd dev root --out .local/root
            """)

    @Option(help: "The directory to create it in.")
    var out: String

    func run() throws {
        let root = try LocalRoot.make(now: .wallClock)
        try root.write(to: out)
        let fingerprint = Hexadecimal.lowercase(OpenSSLDigest().sha256(root.rootDER))
        try Console.output("made a local App Store root in \(out)")
        try Console.output("root certificate SHA-256 \(fingerprint)")
    }
}

struct DevelopmentSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Play a scenario and sign what the App Store would send.",
        discussion: """
            Prints JSON: signedTransactions, signedRenewalInfo, signedAppTransaction, notifications. The first three are \
            what POST /v1/transactions takes; each of notifications is a signedPayload of the App Store.

            Example:
              offerd dev sign --root .local/root --scenario Examples/scenarios/lapsed.yaml
            """)

    @Option(help: "A directory made by `offerd dev root`.")
    var root: String

    @Option(help: "The scenario (see docs/scenarios.md).")
    var scenario: String

    func run() throws {
        let text = try InputFile.text(scenario, "scenario")
        let document: Scenario
        do throws(InvalidDocument) {
            document = try ScenarioReader.read(Array(text.utf8)).value
        } catch {
            throw CommandFailure(.failed, lines: IssueText.lines(error.errors, file: scenario))
        }
        let store = LocalAppStore(root: try LocalRoot(directory: root))
        let signed = try store.sign(document, now: .wallClock)
        try Console.output(try signed.jsonText())
    }
}
