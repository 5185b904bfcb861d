import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Traces of an erased customer elsewhere")
struct ErasedTraceTests {
    @Test("records about others that tell of the customer's sign-up are blanked, and no others")
    func records() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        // Letters that a record writes in another way than the identifier has them.
        let odd = CustomerIdentifiers(customerId: "Zoë \"Z\" \\ Über/all\u{1}\n😀")
        let shared = CustomerIdentifiers(customerId: "family")
        _ = try await erasing.ask(IssueRequest(offerId: "comeback", customer: odd))
        let (zoe, other) = (try bench.shop.anonymous("100"), try bench.shop.anonymous("200"))
        // What is decided about both belongs to the other one, who was stored first.
        try await bench.deliver(other, aliases: shared)
        try await bench.deliver(zoe, aliases: shared)
        try await bench.deliver(zoe, aliases: odd)
        let zoeAlone = CustomerIdentifiers(customerId: "zoe")
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: zoeAlone, delivery: zoe))
        bench.clock.advance(hours: 1)
        let use = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(zoe.signedTransactions.first), at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        bench.clock.advance(hours: 24 * 40)
        _ = try await bench.refused(IssueRequest(offerId: "comeback", customer: shared))
        // A word that is also somebody's name says nothing of them.
        _ = try await bench.refused(
            IssueRequest(
                offerId: "engaged", customer: named("200"), signals: ["interactions": .number(1), "word": .text("zoe")])
        )
        let before = try await erasing.records()
        try #require(before.count == 4)
        #expect(try before[0].record.order.customerId == odd.customerId)
        #expect(try before[2].record.customers.map(\.rawValue) == [1, 2])
        #expect(try before[3].record.signals["word"] == .text("zoe"))
        let owners = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT customer_id FROM decision ORDER BY sequence")).map {
                try $0.value(0, as: Int64?.self)
            }
        }
        #expect(owners == [nil, 2, 1, 1])

        try await erasing.erase(named("100"))
        let after = try await erasing.records()
        for place in 0..<3 { #expect(after[place].isRemoved, "\(place): \(after[place])") }
        #expect(after[3] == before[3])
        try await erasing.verify()
    }

    @Test("kept answers go with the decisions that they tell of, and those of others in the same instant stay")
    func answers() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let key = StoredAPIKey(
            id: Workbench.client.apiKeyId, scope: Workbench.scope, role: .client,
            secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Workbench.start)
        try await bench.write { transaction, _ in try APIKeyStore(transaction).insert(key) }
        for id in ["100", "200"] { try await bench.deliver(try bench.shop.delivery(.lapsed, id)) }
        for id in ["100", "200"] {
            try await ask("comeback", of: id, as: "granted-\(id)", bench)
            try await ask("engaged", of: id, as: "refused-\(id)", bench)
        }
        bench.clock.advance(hours: 2)
        for id in ["100", "200"] { try await ask("comeback", of: id, as: "again-\(id)", bench) }
        #expect(try await bench.count("kept_answer") == 6)
        try await erasing.erase(named("100"))
        let keys: [String] = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT key FROM kept_answer ORDER BY key")).map { try $0.value(0) }
        }
        #expect(keys == ["again-200", "granted-200", "refused-200"])
    }

    /// Asks under an `Idempotency-Key`; the answer tells of its decision, as the answers of the API do.
    private func ask(_ offer: OfferId, of id: String, as key: String, _ bench: Workbench) async throws {
        let order = IssueRequest(offerId: offer, customer: named(id), signals: ["interactions": .number(1)])
        let request = IdempotentRequest(key: key, route: "POST /v1/issued-offers", body: Array(key.utf8))
        _ = try await bench.useCases.issuing.issue(order, caller: Workbench.client, as: request) { answer in
            let decision = try #require(answer.issued?.offer.decisionId ?? answer.refusal?.decisionId)
            return WrittenAnswer(
                status: answer.issued == nil ? 403 : 201, contentType: "application/json",
                body: Array(#"{"decisionId":"\#(decision)"}"#.utf8))
        }
    }
}
