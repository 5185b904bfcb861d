import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("A request that mixes two customers, over HTTP")
struct MixedRequestTests {
    private static let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"

    /// A owns the token through signed data; B has bought, too.
    private struct Shop {
        let service: ServiceFixture
        let client: String
        let support: String
        let renewalOfA: [String]
        let purchasesOfB: [String]

        init(_ service: ServiceFixture) async throws {
            self.service = service
            try await service.applyCatalog()
            client = try await service.token(.client)
            support = try await service.token(.support)
            let a = try service.lapsedCustomer("100")
            let signed = try a.signedTransactions.map { jws in
                try service.edited(jws) { $0["appAccountToken"] = MixedRequestTests.token }
            }
            renewalOfA = a.signedRenewalInfo
            let b = try service.lapsedCustomer("900")
            purchasesOfB = b.signedTransactions
            for jws in [signed, Array(b.signedTransactions.dropLast())] {
                let answer = try await deliver(jws)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let renewals = try await deliver([], renewalInfo: a.signedRenewalInfo, customer: "")
            #expect(renewals.status == 200, "\(renewals.text)")
            let others = try await deliver([], renewalInfo: b.signedRenewalInfo, customer: "")
            #expect(others.status == 200, "\(others.text)")
        }

        func deliver(_ jws: [String], renewalInfo: [String] = [], customer: String = "") async throws -> RawAnswer {
            try await service.ask(
                "POST", "/v1/transactions", token: client,
                body: """
                    {"signedTransactions":[\(jws.map { "\"\($0)\"" }.joined(separator: ","))],\
                    "signedRenewalInfo":[\(renewalInfo.map { "\"\($0)\"" }.joined(separator: ","))],\
                    "customer":{\(customer)}}
                    """)
        }

        func issue(_ customer: String, more: String = "") async throws -> RawAnswer {
            try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: #"{"offerId":"comeback","customer":{\#(customer)}\#(more)}"#)
        }

        func unlink(_ body: String, role: Role = .support) async throws -> RawAnswer {
            try await service.ask(
                "POST", "/v1/customers/unlink", token: try await service.token(role), body: body)
        }

        /// Every row that a request could write but for the keys.
        func written() throws -> [[String]] {
            try ["customer", "customer_alias", "customer_identifier", "history_transaction", "decision", "audit_event"]
                .flatMap { try service.rows("SELECT '\($0)', COUNT(*) FROM \($0)") }
        }

        var aliases: [[String]] {
            get throws {
                try service.rows(
                    """
                    SELECT i.value, a.value, a.provenance FROM customer_alias a
                    JOIN customer_identifier i ON i.customer_id = a.customer_id AND i.kind = 'originalTransactionId'
                    ORDER BY 1, 2
                    """)
            }
        }
    }

    private static func run(_ body: @escaping @Sendable (Shop) async throws -> Void) async throws {
        try await ServiceFixture.run { service in try await body(try await Shop(service)) }
    }

    @Test("attack: a mixed request locks a customer out; it is refused, writes nothing, and the customer is served")
    func mixed() async throws {
        try await Self.run { shop in
            let before = try shop.written()
            let mixed = try await shop.issue(#""appAccountToken":"\#(Self.token)","originalTransactionId":"900""#)
            #expect(mixed.status == 409, "\(mixed.text)")
            #expect(mixed.code == "ambiguous-customer")
            #expect(try shop.written() == before)
            let byToken = try await shop.issue(#""appAccountToken":"\#(Self.token)""#)
            #expect([201, 422].contains(byToken.status), "\(byToken.text)")
            let other = try await shop.issue(#""originalTransactionId":"900""#)
            #expect([201, 422].contains(other.status), "\(other.text)")
        }
    }

    @Test(
        "a mixed request keeps none of the signed data it brings, and a dry-run is refused as issuing is (invariant 4)")
    func signedData() async throws {
        try await Self.run { shop in
            let before = try shop.written()
            let last = try #require(shop.purchasesOfB.last)
            let issued = try await shop.issue(
                #""appAccountToken":"\#(Self.token)""#, more: #","signedTransactions":["\#(last)"]"#)
            #expect(issued.status == 409, "\(issued.text)")
            let delivered = try await shop.deliver([last], customer: #""appAccountToken":"\#(Self.token)""#)
            #expect(delivered.status == 409, "\(delivered.text)")
            #expect(delivered.code == "ambiguous-customer")
            #expect(try shop.written() == before)
            let dryRun = try await shop.service.decide(
                #"{"customer":{"appAccountToken":"\#(Self.token)","originalTransactionId":"900"}}"#)
            #expect(dryRun.status == 409, "\(dryRun.text)")
        }
    }

    @Test("attributes of a mixed request are not set")
    func attributes() async throws {
        try await Self.run { shop in
            let answer = try await shop.service.ask(
                "PUT", "/v1/customers/attributes", token: shop.client,
                body: """
                    {"customer":{"appAccountToken":"\(Self.token)","originalTransactionId":"900"},\
                    "attributes":{"seats":12}}
                    """)
            #expect(answer.status == 409, "\(answer.text)")
            #expect(answer.code == "ambiguous-customer")
            #expect(try shop.service.rows("SELECT COUNT(*) FROM customer_attribute") == [["0"]])
        }
    }

    @Test("signed data that later gives a stated token to another customer wins, and neither is locked out")
    func signedLater() async throws {
        try await ServiceFixture.run { service in
            let shop = try await Shop(service)
            let new = "aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
            let stated = try await shop.deliver(
                [try #require(shop.purchasesOfB.first)], customer: #""appAccountToken":"\#(new)""#)
            #expect(stated.status == 200, "\(stated.text)")
            let now = service.clock.now.milliseconds
            let signed = try service.edited(try #require(try service.lapsedCustomer("100").signedTransactions.last)) {
                $0["appAccountToken"] = new
                $0["signedDate"] = now
            }
            #expect(try await shop.deliver([signed]).status == 200)
            let page = try await service.ask("GET", "/v1/customers?appAccountToken=\(new)", token: shop.support)
            let customers = try #require(page.json["customers"] as? [[String: Any]], "\(page.text)")
            #expect(customers.count == 1)
            #expect(customers.first?["originalTransactionIds"] as? [String] == ["100"])
            for customer in [
                #""appAccountToken":"\#(new)""#, #""appAccountToken":"\#(new)","originalTransactionId":"100""#,
                #""appAccountToken":"\#(new)","originalTransactionId":"900""#,
            ] {
                let answer = try await shop.issue(customer)
                #expect([201, 200, 422].contains(answer.status), "\(customer): \(answer.text)")
            }
        }
    }

    @Test("support detaches a stated alias, the audit tells of it, and what it named is served again")
    func unlink() async throws {
        try await Self.run { shop in
            let stated = try await shop.deliver(
                [try #require(shop.purchasesOfB.first)], customer: #""customerId":"wrong""#)
            #expect(stated.status == 200, "\(stated.text)")
            #expect(try shop.aliases.contains(["900", "wrong", "caller"]))
            let body = """
                {"customer":{"originalTransactionId":"900"},"aliases":{"customerId":"wrong"},\
                "reason":"stated for the wrong account"}
                """
            let refused = try await shop.unlink(body, role: .client)
            #expect(refused.status == 403)
            let answer = try await shop.unlink(body)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["unlinked"] as? [String] == ["customerId"])
            #expect(try !shop.aliases.contains(["900", "wrong", "caller"]))
            let events = try shop.service.rows("SELECT actor, after_change FROM audit_event WHERE kind = 'unlink'")
            #expect(events.count == 1)
            #expect(events.first?.last?.contains("stated for the wrong account") == true)
            // What was detached names a person, and is not kept.
            #expect(events.first?.last?.contains("\"wrong\"") == false)
            let again = try await shop.unlink(body)
            #expect(again.status == 200)
            #expect(again.json["unlinked"] as? [String] == [])
            #expect(try shop.service.rows("SELECT COUNT(*) FROM audit_event WHERE kind = 'unlink'") == [["1"]])
        }
    }

    @Test("the only identifier of a customer cannot be detached: the customer could be neither found nor erased")
    func unlinkLastIdentifier() async throws {
        try await Self.run { shop in
            let set = try await shop.service.ask(
                "PUT", "/v1/customers/attributes", token: shop.client,
                body: #"{"customer":{"customerId":"only"},"attributes":{"vip":true}}"#)
            #expect(set.status == 200, "\(set.text)")
            let before = try shop.aliases
            let refused = try await shop.unlink(
                #"{"customer":{"customerId":"only"},"aliases":{"customerId":"only"},"reason":"x"}"#)
            #expect(refused.status == 400, "\(refused.text)")
            #expect(refused.text.contains("has no other identifier"))
            #expect(try shop.aliases == before && !before.isEmpty)
            #expect(try shop.service.rows("SELECT COUNT(*) FROM audit_event WHERE kind = 'unlink'") == [["0"]])
        }
    }

    @Test("an alias that signed data names stays, and an unknown customer is told")
    func unlinkRefused() async throws {
        try await Self.run { shop in
            let proven = try await shop.unlink(
                """
                {"customer":{"originalTransactionId":"100"},"aliases":{"appAccountToken":"\(Self.token)"},"reason":"x"}
                """)
            #expect(proven.status == 409, "\(proven.text)")
            #expect(proven.code == "proven-alias")
            #expect(try shop.aliases.contains { $0.prefix(2) == ["100", Self.token] })
            let unknown = try await shop.unlink(
                #"{"customer":{"originalTransactionId":"1"},"aliases":{"customerId":"a"},"reason":"x"}"#)
            #expect(unknown.status == 404, "\(unknown.text)")
            for body in [
                #"{"customer":{"originalTransactionId":"900"},"aliases":{},"reason":"x"}"#,
                #"{"customer":{},"aliases":{"customerId":"a"},"reason":"x"}"#,
                #"{"customer":{"originalTransactionId":"900"},"aliases":{"customerId":"a"},"reason":""}"#,
                #"{"customer":{"originalTransactionId":"900"},"aliases":{"customerId":"a"}}"#,
            ] {
                #expect(try await shop.unlink(body).status == 400, "\(body)")
            }
        }
    }
}
