import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel

struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract:
            "Show or list customers, fetch what Apple knows, grant an offer, detach a wrong alias, and reset a tester.",
        discussion: """
            Example:
              offerctl customers show --customer-id user-17
              offerctl customers refresh --customer-id user-17
            """,
        subcommands: [
            CustomersShow.self, CustomersList.self, CustomersRefresh.self, CustomersGrant.self, CustomersGrants.self,
            CustomersRevokeGrant.self, CustomersUnlink.self, CustomersReset.self,
        ])
}

struct CustomersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a customer's identifiers, subscriptions, transactions, issued offers and timeline.",
        discussion: """
            Any identifier finds the customer, also the id of a transaction, and without an option that says what it is. \
            The id of an order, as on the customer's receipt, is looked up at Apple, which fetches the customer's purchases \
            on the way. The timeline begins with the newest; use `--limit` and `--cursor` to page through it. Needs a key \
            with the role support.

            Example:
              offerctl customers show 2000000123456789
              offerctl customers show --order-id MK5TTTVWJH
              offerctl customers show --customer-id user-17 --limit 200
              offerctl customers show --customer-id user-17 --json
            """)

    @Argument(help: "An identifier of any kind, instead of an option.")
    var identifier: String?

    @OptionGroup var customer: CustomerOrOrder
    @OptionGroup var page: PageOptions
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard let identifier else {
            guard customer.isGiven else {
                throw ValidationError("name the customer by any identifier, or by `--order-id`")
            }
            return
        }
        guard !identifier.isEmpty else { throw ValidationError("an identifier of a customer cannot be empty") }
        guard !customer.isGiven else {
            throw ValidationError("`\(identifier)` names the customer by itself: leave it or the option out")
        }
    }

    func run() async throws {
        let body = try await answer.show { client in
            let name =
                if let identifier { [("identifier", identifier)] } else { try await customer.found(client).query }
            do {
                return try await client.call(.GET, "/v1/customers", query: name + page.query, as: CustomerDetails.self)
            } catch let refusal as ServerRefusal
                where refusal.problem.code == "unknown-customer" && isLikeOrder && !answer.output.isData
            {
                throw CommandFailure(
                    .failed, refusal.problem.detail,
                    hints: ["if it is the id of an order: `--order-id \(identifier ?? "")`"])
            }
        } text: { body in
            CustomerText(palette: answer.output.palette, now: .wallClock).story(body)
        }
        answer.noteNext(body.next)
    }

    /// Whether the identifier looks like `MK5TTTVWJH`, which only Apple knows.
    private var isLikeOrder: Bool { identifier?.wholeMatch(of: /M[0-9A-Z]{7,15}/) != nil }
}

struct CustomersRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Fetch a customer's purchases, renewals and app transaction from Apple.",
        discussion: """
            Any identifier finds the customer. A customer unknown here is found by an identifier of Apple's, or by the id \
            of an order as on the customer's receipt. Apple's data is verified and kept; if none of it is rejected, \
            the history counts as complete. Needs a key with the role support.

            Example:
              offerctl customers refresh --original-transaction-id 2000000123456789
              offerctl customers refresh --order-id MK5TTTVWJH
            """)

    @OptionGroup var customer: CustomerOrOrder
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        if !customer.isGiven { try customer.customer.checkGiven() }
    }

    func run() async throws {
        let text = RefreshText(palette: answer.output.palette, now: .wallClock)
        let body = try await answer.show { client in
            try await client.post("/v1/customers/refresh", customer.refreshRequest, as: RefreshReport.self)
        } text: { body in
            text.story(body)
        }
        if !answer.output.isData { text.warnings(body).forEach(Console.note) }
    }
}

struct CustomersUnlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Detach an alias that a backend or an import gave the wrong customer.",
        discussion: """
            The customer is named by an identifier of Apple's. An alias that signed data names stays. A backend that states \
            the alias again attaches it again. The audit keeps the reason, also when the customer is erased: do not name a \
            person in it. Needs a key with the role support.

            Example:
              offerctl customers unlink --original-transaction-id 2000000123456789 \\
                --customer-id user-17 --reason mistake
            """)

    @Option(help: ArgumentHelp("A subscription of the customer.", valueName: "id"))
    var originalTransactionId: String?

    @Option(help: ArgumentHelp("The customer's Apple Account in this app.", valueName: "id"))
    var appTransactionId: String?

    @Option(help: ArgumentHelp("The app account UUID to detach.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("Your app's customer ID to detach.", valueName: "id"))
    var customerId: String?

    @Option(help: ArgumentHelp("The reason, for the audit. It must not name a person.", valueName: "text"))
    var reason: String

    @OptionGroup var answer: AnswerOptions

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
        guard !reason.isEmpty else { throw ValidationError("`--reason` must not be empty") }
    }

    func run() async throws {
        let request = UnlinkRequestBody { body in
            body.customer.originalTransactionId = originalTransactionId.map { TransactionId($0) }
            body.customer.appTransactionId = appTransactionId.map { AppTransactionId($0) }
            body.aliases.appAccountToken = appAccountToken.flatMap { AppAccountToken($0) }
            body.aliases.customerId = customerId.map { CustomerId($0) }
            body.reason = reason
        }
        try await answer.show { client in
            let names = [appAccountToken.map { _ in "`appAccountToken`" }, customerId.map { _ in "`customerId`" }]
            try await client.confirm("detach \(names.compactMap(\.self).joined(separator: " and ")) from the customer")
            return try await client.post("/v1/customers/unlink", request, as: UnlinkBody.self)
        } text: { body in
            body.unlinked.isEmpty
                ? "nothing to detach: the customer does not have it"
                : "detached " + body.unlinked.map { "`\($0)`" }.joined(separator: " and ")
        }
    }
}

struct CustomersReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Reset a tester, in Sandbox and LocalTesting only.",
        discussion: """
            Erases the tester's purchases, issued offers and identifiers, so that their next purchase is a new customer's. Clear \
            the purchase history at Apple first, or the app's next request brings it back. The audit keeps the reason: do not \
            name a person in it. Needs a key with the role support or marketing.

            Example:
              offerctl customers reset --customer-id tester-3 --reason "trial again"
            """)

    @OptionGroup var customer: CustomerOptions

    @Option(help: ArgumentHelp("The reason, for the audit. It must not name a person.", valueName: "text"))
    var reason: String

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        try customer.checkGiven()
        guard !reason.isEmpty else { throw ValidationError("`--reason` must not be empty") }
    }

    func run() async throws {
        let request = ResetRequestBody { ($0.customer, $0.reason) = (customer.reference, reason) }
        try await answer.show { client in
            try await client.post("/v1/customers/reset", request, as: ResetBody.self)
        } text: { body in
            body.customers == 1 ? "the tester was reset" : "\(body.customers) customers were reset"
        }
    }
}

/// A customer by an identifier or by the id of an order, which only Apple can look up.
struct CustomerOrOrder: ParsableArguments {
    @OptionGroup var customer: CustomerOptions

    @Option(help: ArgumentHelp("The id of an order on the customer's receipt.", valueName: "id"))
    var orderId: String?

    mutating func validate() throws {
        guard let orderId else { return }
        guard !orderId.isEmpty else { throw ValidationError("`--order-id` must not be empty") }
        guard customer.reference.isEmpty else {
            throw ValidationError("an order names its customer by itself: leave `--order-id` or the identifier out")
        }
    }

    var isGiven: Bool { orderId != nil || !customer.given.isEmpty }

    var refreshRequest: RefreshRequestBody {
        RefreshRequestBody { ($0.customer, $0.orderId) = (orderId == nil ? customer.reference : nil, orderId) }
    }

    /// The customer; the server looks an order up and fetches its customer.
    func found(_ client: OfferdClient) async throws -> CustomerIdentifiers {
        guard orderId != nil else { return customer.reference }
        let reply = try await client.post("/v1/customers/refresh", refreshRequest, as: RefreshReport.self)
        let found = reply.body.customers.first
        return CustomerIdentifiers(
            originalTransactionId: found?.originalTransactionIds.first, appTransactionId: found?.appTransactionId)
    }
}

extension CustomerIdentifiers {
    var query: [(String, String)] {
        queryItems(
            ("originalTransactionId", originalTransactionId?.rawValue),
            ("appTransactionId", appTransactionId?.rawValue),
            ("appAccountToken", appAccountToken?.description), ("customerId", customerId?.rawValue))
    }
}
