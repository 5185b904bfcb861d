import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("A customer found by an identifier of any kind")
struct AnyIdentifierTests {
    private static let account = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"

    /// Sends the purchases of a customer, and what the backend calls them.
    private func deliver(_ id: String, called customer: String, to service: ServiceFixture) async throws {
        let signed = try service.lapsedCustomer(id)
        let transactions = signed.signedTransactions.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = try await service.ask(
            "POST", "/v1/transactions", token: try await service.token(.client),
            body: #"{"signedTransactions":[\#(transactions)],"customer":{\#(customer)}}"#)
        try #require(answer.status == 200, "\(answer.text)")
    }

    private func found(_ query: String, by service: ServiceFixture) async throws -> RawAnswer {
        try await service.ask("GET", "/v1/customers?\(query)", token: try await service.token(.support))
    }

    private func subscriptions(_ answer: RawAnswer) -> [String]? {
        (answer.json["customers"] as? [[String: Any]])?.first?["originalTransactionIds"] as? [String]
    }

    /// The id of a later transaction of a customer.
    private func renewal(of id: String, at service: ServiceFixture) async throws -> String {
        let story = try await found("originalTransactionId=\(id)", by: service)
        let all = (story.json["transactions"] as? [[String: Any]] ?? []).compactMap { $0["transactionId"] as? String }
        return try #require(all.first { $0 != id }, "\(story.text)")
    }

    @Test("each identifier that a ticket may have finds the same customer, and a transaction its buyer")
    func everyKind() async throws {
        try await ServiceFixture.run { service in
            try await deliver(
                "100", called: #""customerId":"user 17","appAccountToken":"\#(Self.account)""#, to: service)
            try await deliver("200", called: #""customerId":"200""#, to: service)
            let renewal = try await renewal(of: "100", at: service)
            for text in ["100", renewal, "app-100", "user%2017", Self.account, Self.account.uppercased()] {
                let answer = try await found("identifier=\(text)", by: service)
                #expect(answer.status == 200 && subscriptions(answer) == ["100"], "\(text): \(answer.text)")
            }
            let page = try await found("identifier=100&limit=1", by: service)
            #expect((page.json["timeline"] as? [Any])?.count == 1 && page.json["next"] != nil, "\(page.text)")
            // Both of its meanings are the same customer's.
            let same = try await found("identifier=200", by: service)
            #expect(subscriptions(same) == ["200"], "\(same.text)")
        }
    }

    @Test("one that names two customers is refused with what it is of each, and said to be one kind it finds one")
    func ambiguous() async throws {
        try await ServiceFixture.run { service in
            try await deliver("100", called: "", to: service)
            let renewal = try await renewal(of: "100", at: service)
            try await deliver("200", called: #""customerId":"100""#, to: service)
            try await deliver("300", called: #""customerId":"\#(renewal)""#, to: service)
            for (text, kinds, hint) in [
                ("100", "as `originalTransactionId`, as `customerId`", "`originalTransactionId` or `customerId`"),
                (
                    renewal, "as `customerId`, as `transactionId`",
                    "`customerId` or the transaction's `originalTransactionId`"
                ),
            ] {
                let answer = try await found("identifier=\(text)", by: service)
                #expect(answer.status == 409 && answer.code == "ambiguous-customer", "\(answer.text)")
                #expect(answer.json["detail"] as? String == "`\(text)` names different customers: \(kinds)")
                #expect(answer.json["hint"] as? String == "say which it is: \(hint)")
            }
            #expect(subscriptions(try await found("customerId=100", by: service)) == ["200"])
            #expect(subscriptions(try await found("originalTransactionId=100", by: service)) == ["100"])
        }
    }

    @Test("what names no customer of the app and environment, or is no identifier, is refused")
    func refused() async throws {
        try await ServiceFixture.run { service in
            try await deliver("100", called: #""customerId":"user-17""#, to: service)
            let long = String(repeating: "9", count: 256)
            for (query, status, code) in [
                ("identifier=101010", 404, "unknown-customer"), ("identifier=%F0%9F%99%82", 404, "unknown-customer"),
                ("identifier=USER-17", 404, "unknown-customer"), ("identifier='%20OR%201=1", 404, "unknown-customer"),
                ("identifier=\(long.dropLast())", 404, "unknown-customer"),
                ("identifier=", 400, "invalid-request"), ("identifier=\(long)", 400, "invalid-request"),
                ("identifier=a%00b", 400, "invalid-request"), ("identifier=%FF", 400, "invalid-request"),
                ("identifier=100&identifier=100", 400, "invalid-request"),
                ("identifier=100&customerId=user-17", 400, "invalid-request"), ("limit=1", 400, "invalid-request"),
            ] {
                let answer = try await found(query, by: service)
                #expect(answer.status == status && answer.code == code, "\(query): \(answer.text)")
            }
            for scope in [ServiceFixture.otherApp, ServiceFixture.otherEnvironment] {
                let other = try await service.token(.support, scope: scope)
                let answer = try await service.ask("GET", "/v1/customers?identifier=100", token: other)
                #expect(answer.code == "unknown-customer", "\(answer.text)")
            }
            let client = try await service.token(.client)
            #expect(try await service.ask("GET", "/v1/customers?identifier=100", token: client).status == 403)
        }
    }
}
