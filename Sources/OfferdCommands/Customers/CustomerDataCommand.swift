import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferCatalog
import OfferModel
import OfferStore

struct CustomerDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "Export everything held about a customer, or erase it.",
        discussion: """
            Example:
              offerd customers export --app com.example.pro --environment Production --original-transaction-id 2000000123 \
            --config offerd.yaml
            """,
        subcommands: [CustomersExport.self, CustomersErase.self])
}

/// The customer whose data a command is about.
struct PersonOptions: ParsableArguments {
    @OptionGroup var owner: ScopeOptions

    @Option(help: "A subscription of the customer.")
    var originalTransactionId: String?

    @Option(help: "The customer's Apple account in this app.")
    var appTransactionId: String?

    @Option(help: "The account UUID that the app gave StoreKit.")
    var appAccountToken: String?

    @Option(help: "Your app's customer ID.")
    var customerId: String?

    func validate() throws {
        let given = [originalTransactionId, appTransactionId, appAccountToken, customerId].compactMap(\.self)
        guard !given.isEmpty else {
            throw ValidationError(
                "name the customer: `--original-transaction-id`, `--app-transaction-id`, `--app-account-token` or "
                    + "`--customer-id`")
        }
        guard given.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(Redacted.prefix) }) else {
            throw ValidationError("an identifier is not empty and does not begin with `\(Redacted.prefix)`")
        }
        if let appAccountToken, AppAccountToken(appAccountToken) == nil {
            throw ValidationError("`\(appAccountToken)` is not a UUID, which an `appAccountToken` is")
        }
    }

    var identifiers: CustomerIdentifiers {
        CustomerIdentifiers(
            originalTransactionId: originalTransactionId.map { TransactionId(rawValue: $0) },
            appTransactionId: appTransactionId.map { AppTransactionId(rawValue: $0) },
            appAccountToken: appAccountToken.flatMap { AppAccountToken($0) },
            customerId: customerId.map { CustomerId(rawValue: $0) })
    }
}

extension CommandFailure {
    /// Why a command found no single customer, or may not erase one.
    init?(person error: any Error) {
        switch error {
        case RequestError.unknownCustomer:
            self = CommandFailure(
                .failed, "no customer of this app and environment has that identifier",
                hints: ["an erased identifier no longer finds a customer"])
        case RequestError.ambiguousCustomer(let detail):
            self = CommandFailure(.failed, detail, hints: ["name one customer, by a signed identifier"])
        case ErasureRefusal.noDigestKey:
            self = CommandFailure(
                .usage, "keys.yaml has no `audit`: what remains of an erased customer would identify them",
                hints: ["docs/ledger.md, \"Keys\", explains how to create the two keys"])
        case ErasureRefusal.otherDigestKey(let name):
            self = CommandFailure(
                .usage,
                "the ledger, or customers erased before, were recorded under the digest key `\(name)`, which keys.yaml does not "
                    + "name",
                hints: ["name that key as `digestKey` under `audit:`"])
        case ErasureRefusal.changing:
            self = CommandFailure(
                .failed, "data about the customer kept arriving, so nothing was erased", hints: ["do it again"])
        default: return nil
        }
    }
}
