import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Query plans of requests")
struct RequestPlanTests {
    @Test("no statement that any call runs reads a whole table, a whole index or all that an app has")
    func everyCall() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("100")),
                headers: [("Idempotency-Key", "a"), ("Content-Type", "application/json")])
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            for call in AnsweredCall.all { _ = try await call.ask(service, issuedOfferId: id) }
            try await otherQuestions(service)
            let plans = try await RequestStatements.plans(of: service.statements.all, in: service.database)
            #expect(plans.count > 50)
            for plan in plans {
                #expect(plan.faults.isEmpty, "\(plan.sql)\n\(plan.steps.joined(separator: "\n"))")
            }
            for table in ["issued_offer", "signing", "refusal", "history_transaction", "pause", "kept_answer"] {
                #expect(plans.contains { $0.sql.hasPrefix("INSERT INTO \(table)") }, "\(table) was not written")
            }
        }
    }

    /// What the calls do besides when they are asked otherwise: at an earlier instant, page by page, of two who are
    /// one.
    private func otherQuestions(_ service: ServiceFixture) async throws {
        let instant = service.clock.now.milliseconds
        let earlier = try await service.decide(
            #"{"customer":{"originalTransactionId":"100"},"asOf":\#(instant)}"#)
        #expect(earlier.status == 200, "\(earlier.text)")
        let support = try await service.token(.support)
        for query in ["offerId=comeback", "customerId=somebody&offerId=comeback", "limit=1"] {
            let page = try await service.ask("GET", "/v1/issued-offers?\(query)", token: support)
            #expect(page.status == 200, "\(page.text)")
        }
        let client = try await service.token(.client)
        let second = try await service.ask(
            "POST", "/v1/issued-offers", token: client,
            body: service.issueBody("comeback", try service.lapsedCustomer("200"), more: #","fresh":true"#))
        #expect(second.status == 201, "\(second.text)")
        let again = try await service.ask(
            "POST", "/v1/issued-offers", token: client,
            body: service.issueBody("comeback", try service.lapsedCustomer("200"), more: #","fresh":true"#))
        #expect(again.status == 201, "\(again.text)")
        let refused = try await service.ask(
            "POST", "/v1/issued-offers", token: client,
            body: service.issueBody("trial", try service.lapsedCustomer("100")))
        #expect(refused.status == 403, "\(refused.text)")
    }

    @Test(
        "a statement that reads a whole table, or puts a whole table in order, is found",
        arguments: [
            "SELECT id FROM refusal WHERE record = ?1",
            "SELECT record FROM refusal WHERE scope_id = 1 AND outcome = ?1",
            "SELECT count(*) FROM signing", "SELECT nonce FROM signature WHERE nonce = ?1",
            "DELETE FROM issued_offer WHERE tags = ?1",
            "SELECT id FROM issued_offer WHERE customer_id = ?1 ORDER BY product_id",
            "SELECT id FROM issued_offer WHERE scope_id = ?1 AND customer_id IN (1, 2) ORDER BY sequence DESC LIMIT 1",
        ])
    func found(_ sql: String) async throws {
        try await ServiceFixture.run { service in
            let plans = try await RequestStatements.plans(of: [Statement(sql, "x")], in: service.database)
            #expect(plans.first?.faults.isEmpty == false)
        }
    }
}
