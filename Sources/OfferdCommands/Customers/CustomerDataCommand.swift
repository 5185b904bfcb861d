import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore

struct CustomerDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "Export everything held about a customer, or erase it.",
        discussion: """
            Example:
              offerd customers export --app com.example.pro --environment Production \\
                --original-transaction-id 2000000123 --config offerd.yaml
            """,
        subcommands: [CustomersExport.self, CustomersErase.self])
}

struct PersonOptions: ParsableArguments {
    @OptionGroup var owner: ScopeOptions
    @OptionGroup var customer: CustomerOptions

    func validate() throws {
        try customer.checkGiven()
        guard customer.given.allSatisfy({ !$0.hasPrefix(Redacted.prefix) }) else {
            throw ValidationError("an identifier does not begin with `\(Redacted.prefix)`")
        }
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
