import Foundation
import LocalAppStore
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

/// Signed data can be a copy. Who holds a part of a customer's data must not learn the rest of the names that Apple and
/// the app have for them.
@Suite("Identifiers in answers to an app")
struct AppIdentifierTests {
    /// Members of Apple's payloads that name a customer, a purchase or an order.
    private static let naming = [
        "transactionId", "originalTransactionId", "appTransactionId", "appAccountToken", "webOrderLineItemId",
        "orderId",
    ]

    /// Two subscriptions of one Apple Account in one group, the second of which decides its state, and the account.
    private struct Customer {
        static let (first, second, account) = ("7100000000100", "7100000000200", "app-7100000000100")
        static let (firstToken, secondToken, customerId) = (
            "11111111-4c5d-4e6f-8a9b-0c1d2e3f4a5b", "22222222-4c5d-4e6f-8a9b-0c1d2e3f4a5b", "carol-of-the-backend"
        )

        /// Of the first subscription.
        let transactions: [String]
        let renewalInfos: [String]
        let appTransaction: String
        /// Of the second.
        let others: [String]
        /// A transaction of the first subscription as it was signed before Apple added `appTransactionId`.
        let unlinked: String

        init(_ world: AppWorld) throws {
            let service = world.service
            let signed = try service.lapsedCustomer(Self.first)
            var order = 0
            func named(_ jws: [String], token: String) throws -> [String] {
                try jws.map {
                    try service.edited($0) { payload in
                        order += 1
                        payload["appAccountToken"] = token
                        payload["webOrderLineItemId"] = "93000000\(order)00"
                    }
                }
            }
            transactions = try named(signed.signedTransactions, token: Self.firstToken)
            renewalInfos = signed.signedRenewalInfo
            unlinked = try service.edited(try #require(transactions.last)) { $0["appTransactionId"] = nil }
            // Bought later, so it governs the group.
            let purchase = service.clock.now.adding(milliseconds: -10 * Instant.Duration.day)
            let later = try service.subscriber(Self.second, boughtAt: purchase)
            others =
                try named(
                    later.signedTransactions.map { try service.edited($0) { $0["appTransactionId"] = Self.account } },
                    token: Self.secondToken) + later.signedRenewalInfo
            appTransaction = try service.root.sign(
                payload: Array(
                    """
                    {"appTransactionId":"\(Self.account)","bundleId":"com.example.pro",\
                    "receiptCreationDate":\(service.clock.now.milliseconds),"receiptType":"LocalTesting"}
                    """.utf8))
        }

        var all: [String] { transactions + renewalInfos + others + [appTransaction, unlinked] }
    }

    /// The proof of a request's customer: JWS of transactions, of renewal info, and of the app transaction.
    private struct Proof {
        let transactions: [String]
        var renewalInfos: [String] = []
        var appTransaction: String?

        var jws: [String] { transactions + renewalInfos + (appTransaction.map { [$0] } ?? []) }

        var members: String {
            func list(_ jws: [String]) -> String { jws.map { "\"\($0)\"" }.joined(separator: ",") }
            return #""signedTransactions":[\#(list(transactions))],"signedRenewalInfo":[\#(list(renewalInfos))]"#
                + (appTransaction.map { #","signedAppTransaction":"\#($0)""# } ?? "")
        }
    }

    private static func claims(_ jws: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(try CompactJWS(parsing: jws).payload))
    }

    /// The identifiers in some signed data.
    private static func identifiers(in jws: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for jws in jws {
            let payload = try #require(try claims(jws) as? [String: Any])
            found.formUnion(naming.compactMap { payload[$0] as? String })
        }
        return found
    }

    /// Every text in a JSON value and in what is signed in it.
    private static func texts(_ value: Any) -> [String] {
        switch value {
        case let text as String:
            let signed = text.split(separator: ".").count == 3 ? try? claims(text) : nil
            return [text] + (signed.map(texts) ?? [])
        case let list as [Any]: return list.flatMap(texts)
        case let object as [String: Any]: return object.flatMap { [$0] + texts($1) }
        default: return ["\(value)"]
        }
    }

    @Test(
        "attack: no answer shows an identifier of the customer that the signed data of the request does not have",
        arguments: ["an old transaction", "a transaction", "a subscription", "the app transaction", "both"])
    func unproven(_ name: String) async throws {
        try await AppWorld.run { world in
            let customer = try Customer(world)
            let known = try await world.ask(
                "/v1/transactions",
                """
                "signedTransactions":[\((customer.transactions + customer.others.dropLast()).map { "\"\($0)\"" }
                    .joined(separator: ","))],
                "signedRenewalInfo":[\((customer.renewalInfos + customer.others.suffix(1)).map { "\"\($0)\"" }
                    .joined(separator: ","))],
                "signedAppTransaction":"\(customer.appTransaction)","historyComplete":true,
                "customer":{"customerId":"\(Customer.customerId)"}
                """, token: try await world.service.token(.client))
            try #require(known.status == 200, "\(known.text)")
            // A backend is shown all of it, so there is something to leave out.
            for identifier in [Customer.first, Customer.second, Customer.account, Customer.customerId] {
                #expect(known.text.contains(identifier), "\(known.text)")
            }
            let proof =
                switch name {
                case "an old transaction": Proof(transactions: [customer.unlinked])
                case "a transaction": Proof(transactions: [try #require(customer.transactions.first)])
                case "a subscription":
                    Proof(transactions: customer.transactions, renewalInfos: customer.renewalInfos)
                case "the app transaction": Proof(transactions: [], appTransaction: customer.appTransaction)
                default:
                    Proof(
                        transactions: customer.transactions, renewalInfos: customer.renewalInfos,
                        appTransaction: customer.appTransaction)
                }
            let proven = try Self.identifiers(in: proof.jws)
            let secret = try Self.identifiers(in: customer.all).union([Customer.customerId]).subtracting(proven)
            #expect(secret.count > 3)

            var answers = [(String, RawAnswer)]()
            func ask(_ path: String, _ members: String) async throws {
                answers.append((path, try await world.ask(path, "\(proof.members)\(members)")))
            }
            for path in ["/v1/customers/status", "/v1/transactions", "/v1/decisions"] { try await ask(path, "") }
            for offer in ["comeback", "trial", "either", "regular", "family", "unbound", "no-such-offer"] {
                for more in [#","productId":"monthly""#, "", #","fresh":true"#, #","signals":{"sessions":3}"#] {
                    try await ask("/v1/issued-offers", #","offerId":"\#(offer)"\#(more)"#)
                }
                try await ask("/v1/decisions", #","offerIds":["\#(offer)"]"#)
            }
            // Named by what the data has, by what it lacks, and by what no customer has.
            for identifier in [
                #"{"originalTransactionId":"\#(Customer.first)"}"#, #"{"appTransactionId":"\#(Customer.account)"}"#,
                #"{"appAccountToken":"\#(Customer.firstToken)"}"#, #"{"originalTransactionId":"1"}"#,
            ] {
                try await ask("/v1/customers/status", #","customers":[\#(identifier)]"#)
                try await ask("/v1/decisions", #","customer":\#(identifier)"#)
                let order = #","offerId":"either","productId":"yearly""#
                try await ask("/v1/issued-offers", #"\#(order),"customer":\#(identifier)"#)
            }
            #expect(answers.contains { $0.1.status == 201 }, "something was signed")
            #expect(answers.contains { $0.1.text.contains("introductoryEligibility") }, "a `false` was signed")
            #expect(answers.contains { $0.1.text.contains(#""groups":[{"#) }, "a group was shown")
            for (path, answer) in answers {
                // An identifier that the request names by itself is no news to its sender.
                let isNamed = { (text: String) in answer.status == 403 && answer.text.contains("`\(text)`") }
                for text in Self.texts(answer.json) where !isNamed(text) {
                    // One identifier may be part of another.
                    let rest = proven.sorted { $0.count > $1.count }.reduce(text) { $0.replacing($1, with: "") }
                    let shown = secret.filter { rest.contains($0) && !isNamed($0) }
                    #expect(shown.isEmpty, "\(path) shows \(shown.sorted()) in \(answer.text)")
                }
            }
        }
    }

    @Test("the id of a subscription that the data names is shown with its state, and that of another one is absent")
    func groups() async throws {
        try await AppWorld.run { world in
            let customer = try Customer(world)
            let client = try await world.service.token(.client)
            let stored = Proof(
                transactions: customer.transactions + customer.others.dropLast(),
                renewalInfos: customer.renewalInfos + customer.others.suffix(1))
            #expect(try await world.ask("/v1/transactions", stored.members, token: client).status == 200)
            func shown(_ proof: Proof, _ path: String, token: String? = nil) async throws -> [String?] {
                let answer = try await world.ask(path, proof.members, token: token)
                let items = (answer.json["items"] ?? answer.json["customers"]) as? [[String: Any]] ?? []
                let statuses = items.map { $0["status"] as? [String: Any] ?? $0 }
                return statuses.flatMap { $0["groups"] as? [[String: Any]] ?? [] }
                    .map { $0["originalTransactionId"] as? String }
            }
            let first = Proof(transactions: customer.transactions)
            let second = Proof(transactions: Array(customer.others.dropLast()))
            for path in ["/v1/customers/status", "/v1/transactions"] {
                #expect(try await shown(first, path) == [nil], "\(path)")
                #expect(try await shown(second, path) == [Customer.second], "\(path)")
                #expect(try await shown(first, path, token: client) == [Customer.second], "\(path)")
            }
        }
    }
}
