import ArgumentParser
import CommandLineSupport
import Foundation
import LocalAppStore
import OfferAPI
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
        subcommands: [
            DevelopmentServe.self, DevelopmentRoot.self, DevelopmentSign.self, DevelopmentConsoleLink.self,
        ],
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
            Prints the body of POST /v1/transactions: the customer's whole history, with the account token of the scenario.

            With --notifications it prints the App Store's notifications instead, one a line, each the body of POST \
            /v1/app-store/BUNDLE-ID/ENVIRONMENT/notifications.

            Example:
              offerd dev sign --root .local/root --scenario lapsed.yaml \\
                | curl -sS http://127.0.0.1:8080/v1/transactions --data-binary @- \\
                  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'
            """)

    @Option(help: "A directory made by `offerd dev root`.")
    var root: String

    @Option(help: "The scenario (see docs/scenarios.md).")
    var scenario: String

    @Flag(help: "Print the notifications instead of the history.")
    var notifications = false

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
        guard !notifications else {
            return try signed.notifications.forEach { jws in
                try Console.output(try NotificationRequestBody { $0.signedPayload = jws }.jsonText(isPretty: false))
            }
        }
        let body = TransactionsRequestBody { body in
            body.delivery = SignedDelivery(
                signedTransactions: signed.signedTransactions, signedRenewalInfo: signed.signedRenewalInfo,
                signedAppTransaction: signed.signedAppTransaction, historyComplete: true)
            guard let token = document.customer.appAccountToken else { return }
            body.customer = CustomerAliases { $0.appAccountToken = token }
        }
        try Console.output(try body.jsonText())
    }
}
