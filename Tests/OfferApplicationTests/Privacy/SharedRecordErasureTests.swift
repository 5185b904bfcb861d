import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("An erasure where records are about several customers")
struct SharedRecordErasureTests {
    private let family = CustomerIdentifiers(customerId: "family")

    /// Two customers under one alias, of whom `200` was stored first and is who is signed for.
    private func two() async throws -> ErasingBench {
        let erasing = try await ErasingBench()
        for id in ["200", "100"] { try await erasing.deliver(try erasing.bench.shop.anonymous(id), as: family) }
        return erasing
    }

    /// Erases a person with something happening between the plan and the erasure.
    private func erase(
        _ person: CustomerIdentifiers, _ erasing: ErasingBench, meanwhile: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (writes, clock) = (Counter(), erasing.bench.clock)
        let database = InterposedDatabase(
            real: erasing.bench.database, beforeWrite: { if writes.next() == 1 { try await meanwhile() } })
        let data = PersonalData(
            ledger: OfferStore.Ledger(database, digest: OpenSSLDigest(), key: ErasingBench.digestKey),
            digestKey: ErasingBench.digestKey, author: AuditAuthor(actor: "tests"), clock: { clock.now })
        _ = try await data.erase(person, in: Workbench.scope, reason: "request 4711")
    }

    private func column(_ sql: String, _ erasing: ErasingBench) async throws -> [String?] {
        try await erasing.bench.database.read { transaction in
            try transaction.rows(Statement(sql)).map { try $0.value(0) }
        }
    }

    @Test("a decision about both that is made after the plan is blanked too")
    func newMention() async throws {
        let erasing = try await two()
        let family = family
        try await erase(named("100"), erasing) {
            _ = try await erasing.ask(IssueRequest(offerId: "sketch", customer: family))
        }
        let records = try await erasing.records()
        #expect(records.count == 1 && records.allSatisfy(\.isRemoved))
        try await erasing.verify()
    }

    @Test("renewal info of a subscription that is nobody's, come after the plan, goes with the account it names")
    func newRenewalInfo() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await erasing.deliver(delivery)
        let waiting = try bench.shop.edited(try #require(delivery.signedRenewalInfo.first)) {
            $0["originalTransactionId"] = "900"
            $0["appTransactionId"] = "app-100"
        }
        try await erase(named("100"), erasing) {
            try await erasing.deliver(SignedDelivery(signedRenewalInfo: [waiting]))
        }
        #expect(try await bench.count("history_renewal_info") == 0)
    }

    @Test("a kept answer about both goes, and the signatures of the other's issued offer stay")
    func answerAboutBoth() async throws {
        let erasing = try await two()
        let bench = erasing.bench
        let key = StoredAPIKey(
            id: Workbench.client.apiKeyId, scope: Workbench.scope, role: .client,
            secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Workbench.start)
        try await bench.write { transaction, _ in try APIKeyStore(transaction).insert(key) }
        _ = try await erasing.useCases.issuing.issue(
            IssueRequest(offerId: "comeback", customer: family), caller: Workbench.client,
            as: IdempotentRequest(key: "once", route: "POST /v1/issued-offers", body: [])
        ) { answer in
            bench.note(answer)
            let decision = try #require(answer.issued?.offer.decisionId)
            return WrittenAnswer(
                status: 201, contentType: "application/json", body: Array(#"{"decisionId":"\#(decision)"}"#.utf8))
        }
        let artefacts = try await bench.ledger().artefacts
        #expect(artefacts.count == 1)
        try await erasing.erase(named("100"))
        #expect(try await bench.count("kept_answer") == 0)
        #expect(try await bench.ledger().artefacts == artefacts)
        #expect(try await erasing.records().allSatisfy(\.isRemoved))
        try await erasing.verify()
    }

    @Test("who is merged with the erased one while a request is under way is not decided about in it")
    func mergedAndErased() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let (elder, younger) = (try bench.shop.anonymous("200"), try bench.shop.anonymous("100"))
        for delivery in [elder, younger] { try await erasing.deliver(delivery) }
        let writes = Counter()
        let useCases = erasing.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: {
                    guard writes.next() == 1 else { return }
                    bench.clock.advance(milliseconds: 1)
                    for delivery in [elder, younger] {
                        try await erasing.deliver(try bench.shop.proof(delivery, of: "app-100"))
                    }
                    try await erasing.erase(named("100"))
                }))
        let error = await #expect(throws: RequestError.self) {
            _ = try await useCases.issuing.issue(
                IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        }
        guard case .busy? = error else {
            Issue.record("answered with \(String(describing: error))")
            return
        }
        #expect(try await bench.count("decision") == 0)
    }

    @Test("an erased subscription names whom its customer was merged into since (invariant 2)")
    func mergedSince() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let elder = try bench.shop.anonymous("200")
        try await erasing.deliver(elder)
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let second = try bench.shop.edited(try #require(delivery.signedTransactions.first)) {
            $0["transactionId"] = "101"
            $0["originalTransactionId"] = "101"
        }
        try await erasing.deliver(delivery)
        try await erasing.deliver(SignedDelivery(signedTransactions: [second]))
        try await erasing.erase(named("100"))
        bench.clock.advance(milliseconds: 1)
        try await erasing.deliver(try bench.shop.proof(elder, of: "app-100"))
        try await erasing.deliver(
            SignedDelivery(signedTransactions: [try bench.shop.edited(second) { $0["appTransactionId"] = nil }]))
        let owners = try await bench.database.read { transaction in
            try transaction.rows(
                Statement("SELECT customer_id FROM customer_identifier WHERE value IN ('101', '200') ORDER BY value")
            ).map { try $0.value(0, as: Int64.self) }
        }
        #expect(owners.count == 2 && Set(owners).count == 1)
    }

    @Test("a use that was erased twice is the same use when Apple shows it again (invariant 2)")
    func erasedTwice() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let use = try bench.shop.redemption(
            of: "twice10", "100900", like: try #require(delivery.signedTransactions.first),
            at: Workbench.start.adding(months: -2))
        try await erasing.deliver(delivery)
        try await erasing.deliver(SignedDelivery(signedTransactions: [use]))
        try await erasing.erase(named("100"))
        try await erasing.deliver(try bench.shop.delivery(.newcomer, "100"))
        try await erasing.erase(CustomerIdentifiers(appTransactionId: "app-100"))
        try await erasing.deliver(delivery)
        try await erasing.deliver(SignedDelivery(signedTransactions: [use]))
        #expect(try await bench.count("redemption") == 1)
    }

    @Test("who comes back takes part in rollouts under the identifier of before")
    func rolloutKey() async throws {
        let erasing = try await ErasingBench()
        let delivery = try erasing.bench.shop.delivery(.lapsed, "100")
        try await erasing.deliver(delivery)
        let before = try await column("SELECT rollout_key FROM customer", erasing)
        try await erasing.erase(named("100"))
        #expect(try await column("SELECT rollout_key FROM customer", erasing) != before)
        try await erasing.deliver(delivery)
        #expect(try await column("SELECT rollout_key FROM customer", erasing) == before)
    }

    @Test("an alias of two people with purchases of their own erases nobody")
    func twoPeople() async throws {
        let erasing = try await two()
        let error = await #expect(throws: RequestError.self) { _ = try await erasing.erase(family) }
        guard case .ambiguousCustomer? = error else {
            Issue.record("answered with \(String(describing: error))")
            return
        }
        #expect(try await erasing.bench.count("erasure") == 0)
    }
}
