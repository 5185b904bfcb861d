import Foundation
import LocalAppStore
import OfferModel
import Testing

@Suite("Rows with numbers that the service never writes (invariant 10)")
struct ImpossibleRowTests {
    @Test(
        "the largest number in a row that a request reads is answered with 500 and logged as corrupt; the process goes on",
        arguments: [
            ("UPDATE store_state SET sequence = MAX", "store_state"),
            ("UPDATE store_state SET last_instant = MAX", "store_state"),
            ("UPDATE offer_counter SET amount = MAX", "offer_counter"),
            ("UPDATE issued_offer SET signings = MAX", "issued_offer"),
            ("INSERT INTO event VALUES (1000, 1, 'subscription.renewed', 1, '900', 'x', '{')", "event"),
            ("UPDATE issued_offer SET cost = MAX, cost_currency = 'USD'", "issued_offer"),
            ("UPDATE issued_offer SET expires_at = MAX, counts_until = MAX", "issued_offer"),
            ("UPDATE catalog_revision SET revision = MAX", "catalog_revision"),
            ("UPDATE history_transaction SET signed_date = MAX, purchase_date = MIN", "history_transaction"),
            ("UPDATE history_transaction SET facts = substr(facts, 1, length(facts) - 1)", "history_transaction"),
            ("UPDATE history_renewal_info SET facts = x'02'", "history_renewal_info"),
            ("UPDATE history_facts SET facts = substr(facts, 1, length(facts) - 1)", "history_facts"),
            ("UPDATE history_facts SET facts = x'010101FEFFFFFFFFFFFFFFFF010000'", "history_facts"),
            ("UPDATE history_facts SET facts = x'02'", "history_facts"),
            ("UPDATE customer SET version = MAX", "customer"), ("UPDATE scope SET generation = MAX", "scope"),
            (
                """
                INSERT INTO audit_event SELECT MAX, kind, actor, at, request_id, scope_id, issued_offer, digest_key, \
                before_change, after_change, ledger_rows, previous_hash, hash FROM audit_event WHERE sequence = 1
                """, "audit_event"
            ),
        ])
    func atRunTime(_ edit: String, table: String) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, admin) = (try await service.token(.client), try await service.token(.admin))
            func issue(_ id: String) async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody("comeback", try service.lapsedCustomer(id)))
            }
            let issued = try await issue("900")
            #expect(issued.status == 201)
            let issuedOffer = try #require(issued.json["issuedOfferId"] as? String)
            try service.sql(
                edit.replacing("MAX", with: "9223372036854775807").replacing("MIN", with: "-9223372036854775807"))
            var statuses: Set<Int> = []
            statuses.insert(try await issue("900").status)
            statuses.insert(try await issue("901").status)
            let targets = [
                "/v1/customers?originalTransactionId=900", "/v1/issued-offers", "/v1/catalog/revisions", "/v1/events",
            ]
            for target in targets {
                statuses.insert(try await service.ask("GET", target, token: admin).status)
            }
            let decided = try await service.ask(
                "POST", "/v1/decisions", token: admin, body: #"{"customer":{"originalTransactionId":"900"}}"#)
            statuses.insert(decided.status)
            let void = try await service.ask(
                "POST", "/v1/issued-offers/\(issuedOffer)/void", token: admin, body: #"{"reason":"x"}"#)
            statuses.insert(void.status)
            #expect(statuses.isSubset(of: [200, 201, 409, 422, 500, 503]), "\(statuses)")
            #expect(try await service.ask("GET", "/healthz").status == 200)
            #expect(service.log.lines.contains { $0.contains("the database is corrupt") }, "\(service.log.lines)")
        }
    }
}
