import ArgumentParser
import OfferApplication
import OfferCatalog
import OfferModel
import OfferStore

/// Whose data a command is about.
struct PersonOptions: ParsableArguments {
    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Production, Sandbox or LocalTesting.")
    var environment: AppStoreEnvironment

    @Option(help: "A subscription of the customer.")
    var originalTransactionId: String?

    @Option(help: "The customer's Apple account in this app.")
    var appTransactionId: String?

    @Option(help: "The account UUID that the app gave StoreKit.")
    var appAccountToken: String?

    @Option(help: "The app's own name of the customer.")
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

    /// The app and environment.
    ///
    /// - Throws: ``CommandFailure`` if keys.yaml does not have them.
    func scope(_ setup: ServerSetup) throws -> Scope {
        guard let known = setup.keys.app(BundleId(app)) else {
            throw CommandFailure.configuration(
                "keys.yaml has no app `\(app)`",
                hints: ["it has \(setup.keys.apps.map { "`\($0.bundleId)`" }.joined(separator: ", "))"])
        }
        guard known.environments.contains(environment) else {
            throw CommandFailure.configuration(
                "app `\(app)` has no environment `\(environment.rawValue)` in keys.yaml",
                hints: ["it has \(known.environments.map { "`\($0.rawValue)`" }.joined(separator: ", "))"])
        }
        return Scope(bundleId: BundleId(app), environment: environment)
    }
}

extension CommandFailure {
    /// What keeps a command from being about one person, in words.
    init?(person error: any Error) {
        switch error {
        case RequestError.unknownCustomer:
            self = .failed(
                "no customer of this app and environment has that identifier",
                hints: ["an identifier that was erased names nobody"])
        case RequestError.ambiguousCustomer(let detail):
            self = .failed(detail, hints: ["name one customer, by a signed identifier"])
        case ErasureRefusal.noDigestKey:
            self = .configuration(
                "keys.yaml has no `audit`: what stays of an erased customer would tell who it was",
                hints: ["docs/ledger.md, \"Keys\", tells how to make the two keys"])
        case ErasureRefusal.otherDigestKey(let name):
            self = .configuration(
                "the ledger, or customers erased before, were recorded under the digest key `\(name)`, which keys.yaml does not "
                    + "name",
                hints: ["name that key as `digestKey` under `audit:`"])
        case ErasureRefusal.changing:
            self = .failed("data about the customer went on arriving, and nothing was erased", hints: ["do it again"])
        default: return nil
        }
    }
}
