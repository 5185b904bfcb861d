import Foundation
import LocalAppStore
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import Testing

@Suite("POST /v1/customers/reset over a real socket")
struct TesterResetTests {
    private func reset(_ service: ServiceFixture, _ customer: String, role: Role = .support) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/customers/reset", token: try await service.token(role),
            body: #"{"customer":{\#(customer)},"reason":"trial again"}"#)
    }

    @Test(
        "a forgotten tester is a new customer: used offers and limits begin again, and the ledger still holds (invariant 2)"
    )
    func forgets() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("100"))
            let first = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(first.status == 201, "\(first.text)")
            #expect(try await service.ask("POST", "/v1/issued-offers", token: client, body: body).status == 200)
            let trial = #"{"offerId":"trial","customer":{"appTransactionId":"app-100"}"#
            let used = try await service.ask("POST", "/v1/issued-offers", token: client, body: trial + "}")
            #expect(used.code == "not-eligible", "\(used.text)")

            let answer = try await reset(service, #""originalTransactionId":"100""#)
            #expect(answer.status == 200 && answer.text == #"{"customers":1}"#, "\(answer.text)")
            for table in [
                "customer_identifier", "customer_alias", "coverage", "history_transaction", "history_renewal_info",
                "history_app_transaction", "history_facts", "kept_evidence", "erased_identifier", "redemption",
            ] {
                #expect(try service.rows("SELECT 1 FROM \(table)").isEmpty, "\(table)")
            }
            #expect(try await reset(service, #""originalTransactionId":"100""#).code == "unknown-customer")
            _ = try await service.database.read {
                try LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil).verify($0)
            }

            let installed = Scenario(
                bundleId: "com.example.pro", environment: .localTesting,
                customer: ScenarioCustomer(appTransactionId: "app-100"),
                steps: [.appTransaction(at: .fixed(service.clock.now))])
            let app = try #require(
                try service.appStore.sign(installed, now: service.clock.now).signedAppTransaction)
            let again = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: trial + #","historyComplete":true,"signedAppTransaction":"\#(app)"}"#)
            #expect(again.status == 201, "\(again.text)")
            let second = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(
                second.status == 201, "the limit of one does not count what the forgotten tester had: \(second.text)")
            #expect(second.json["issuedOfferId"] as? String != first.json["issuedOfferId"] as? String)
        }
    }

    @Test("marketing may forget a tester too, in Sandbox as well, and the reason is in the audit")
    func roles() async throws {
        try await ServiceFixture.run { service in
            for scope in [ServiceFixture.scope, ServiceFixture.otherEnvironment] {
                let client = try await service.token(.client, scope: scope)
                _ = try await service.ask(
                    "PUT", "/v1/customers/attributes", token: client,
                    body: #"{"customer":{"customerId":"tester"},"attributes":{"seats":1}}"#)
                let answer = try await service.ask(
                    "POST", "/v1/customers/reset", token: try await service.token(.marketing, scope: scope),
                    body: #"{"customer":{"customerId":"tester"},"reason":"trial again"}"#)
                #expect(answer.text == #"{"customers":1}"#)
            }
            #expect(try service.rows("SELECT 1 FROM customer_attribute").isEmpty)
            #expect(try service.rows("SELECT reason FROM erasure") == [["trial again"], ["trial again"]])
            #expect(try service.rows("SELECT 1 FROM audit_event WHERE kind = 'erasure'").count == 2)
        }
    }

    @Test("customers of Production are never forgotten so", arguments: [AppStoreEnvironment.production, .xcode])
    func production(environment: AppStoreEnvironment) async throws {
        try await ServiceFixture.run { service in
            let scope = Scope(bundleId: "com.example.pro", environment: environment)
            let token = try await service.token(.admin, scope: scope)
            let answer = try await service.ask(
                "POST", "/v1/customers/reset", token: token,
                body: #"{"customer":{"customerId":"tester"},"reason":"trial again"}"#)
            #expect(answer.status == 403 && answer.code == "forbidden", "\(answer.text)")
            #expect(answer.text.contains(environment.rawValue))
        }
    }

    @Test(
        "a request names a tester and a reason",
        arguments: [
            ("{}", "/customer"), (#"{"customer":{},"reason":"x"}"#, "/customer"),
            (#"{"customer":{"customerId":"a"}}"#, "/reason"),
            (#"{"customer":{"customerId":"a"},"reason":""}"#, "/reason"),
        ])
    func malformed(_ body: String, _ pointer: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.ask(
                "POST", "/v1/customers/reset", token: try await service.token(.support), body: body)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.errors.first?["pointer"] as? String == pointer, "\(answer.text)")
        }
    }
}
