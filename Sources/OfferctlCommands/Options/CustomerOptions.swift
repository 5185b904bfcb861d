import ArgumentParser
import OfferAPI
import OfferModel

/// Which customer is meant, by any of their identifiers.
struct CustomerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A subscription of the customer, by its first transaction.", valueName: "id"))
    var originalTransactionId: String?

    @Option(help: ArgumentHelp("The customer's Apple Account in this app.", valueName: "id"))
    var appTransactionId: String?

    @Option(help: ArgumentHelp("The account UUID the app gave StoreKit.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("The app's own name of the customer.", valueName: "id"))
    var customerId: String?

    mutating func validate() throws {
        let given = [originalTransactionId, appTransactionId, appAccountToken, customerId].compactMap { $0 }
        guard given.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("an identifier of a customer cannot be empty")
        }
        if let appAccountToken, LowercaseUUID(appAccountToken) == nil {
            throw ValidationError("`\(appAccountToken)` is not a UUID, which `--app-account-token` must be")
        }
    }

    /// - Throws: `ValidationError` if no identifier is given.
    func checkGiven() throws {
        guard reference.isEmpty else { return }
        throw ValidationError(
            "name the customer: `--original-transaction-id`, `--app-transaction-id`, `--app-account-token` or "
                + "`--customer-id`")
    }

    /// The customer as requests name them.
    var reference: CustomerReference {
        CustomerReference(
            originalTransactionId: originalTransactionId.map { TransactionId($0) },
            appTransactionId: appTransactionId.map { AppTransactionId($0) },
            appAccountToken: appAccountToken.flatMap { AppAccountToken($0) },
            customerId: customerId.map { CustomerId($0) })
    }

    /// The customer as query items.
    var query: [(String, String)] { reference.query }
}

extension CustomerReference {
    /// The customer as query items.
    var query: [(String, String)] {
        let items: [(String, String?)] = [
            ("originalTransactionId", originalTransactionId?.rawValue),
            ("appTransactionId", appTransactionId?.rawValue),
            ("appAccountToken", appAccountToken?.description),
            ("customerId", customerId?.rawValue),
        ]
        return items.compactMap { name, value in value.map { (name, $0) } }
    }
}
