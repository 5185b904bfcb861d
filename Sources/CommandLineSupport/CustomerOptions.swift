package import ArgumentParser
package import OfferAPI
import OfferModel

package struct CustomerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A subscription of the customer, by its first transaction.", valueName: "id"))
    package var originalTransactionId: String?

    @Option(help: ArgumentHelp("The customer's Apple Account in this app.", valueName: "id"))
    package var appTransactionId: String?

    @Option(help: ArgumentHelp("The account UUID the app gave StoreKit.", valueName: "uuid"))
    package var appAccountToken: String?

    @Option(help: ArgumentHelp("Your app's customer ID.", valueName: "id"))
    package var customerId: String?

    package init() {}

    package var given: [String] {
        [originalTransactionId, appTransactionId, appAccountToken, customerId].compactMap(\.self)
    }

    package var reference: CustomerIdentifiers {
        CustomerIdentifiers(
            originalTransactionId: originalTransactionId.map { TransactionId($0) },
            appTransactionId: appTransactionId.map { AppTransactionId($0) },
            appAccountToken: appAccountToken.flatMap { AppAccountToken($0) },
            customerId: customerId.map { CustomerId($0) })
    }

    package mutating func validate() throws {
        guard given.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("an identifier of a customer cannot be empty")
        }
        if let appAccountToken, AppAccountToken(appAccountToken) == nil {
            throw ValidationError("`\(appAccountToken)` is not a UUID, which `--app-account-token` must be")
        }
    }

    package func checkGiven() throws {
        guard given.isEmpty else { return }
        throw ValidationError(
            "name the customer: `--original-transaction-id`, `--app-transaction-id`, `--app-account-token` or "
                + "`--customer-id`")
    }
}
