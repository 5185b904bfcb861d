import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// `offerctl customers unlink`: takes an alias from a customer.
struct CustomersUnlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Detach an alias that a backend or an import gave the wrong customer.",
        discussion: """
            The customer is named by an identifier of Apple's. An alias that signed data names stays. A backend that states \
            the alias again attaches it again. The audit keeps the reason, also when the customer is erased: name no person in \
            it. Needs a key with the role support.

            Example:
              offerctl customers unlink --original-transaction-id 2000000123456789 \\
                --customer-id user-17 --reason mistake
            """)

    @Option(help: ArgumentHelp("A subscription of the customer.", valueName: "id"))
    var originalTransactionId: String?

    @Option(help: ArgumentHelp("The customer's Apple Account in this app.", valueName: "id"))
    var appTransactionId: String?

    @Option(help: ArgumentHelp("The app's account UUID to detach.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("The app's own name to detach.", valueName: "id"))
    var customerId: String?

    @Option(help: ArgumentHelp("Why, for the audit. It must not name a person.", valueName: "text"))
    var reason: String

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        guard originalTransactionId != nil || appTransactionId != nil else {
            throw ValidationError("name the customer: `--original-transaction-id` or `--app-transaction-id`")
        }
        guard appAccountToken != nil || customerId != nil else {
            throw ValidationError("name what to detach: `--app-account-token` or `--customer-id`")
        }
        if let appAccountToken, AppAccountToken(appAccountToken) == nil {
            throw ValidationError("`\(appAccountToken)` is not a UUID")
        }
        guard !reason.isEmpty else { throw ValidationError("`--reason` must say something") }
    }

    func run() async throws {
        try await connection.ask(role: "support", json: json) { client, console in
            let request = UnlinkRequestBody(
                customer: CustomerReference(
                    originalTransactionId: originalTransactionId.map { TransactionId($0) },
                    appTransactionId: appTransactionId.map { AppTransactionId($0) }),
                aliases: CustomerAliases(
                    appAccountToken: appAccountToken.flatMap { AppAccountToken($0) },
                    customerId: customerId.map { CustomerId($0) }),
                reason: reason)
            let reply = try await client.call(
                .POST, "/v1/customers/unlink", headers: [("Content-Type", "application/json")],
                body: try WireJSON.encode(request), as: UnlinkBody.self)
            if json {
                console.write(json: reply.json)
            } else if reply.body.unlinked.isEmpty {
                console.write("nothing to detach: the customer does not have it")
            } else {
                console.write("detached \(reply.body.unlinked.joined(separator: " and "))")
            }
        }
    }
}
