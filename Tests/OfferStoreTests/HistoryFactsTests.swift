import OfferModel
import OfferTestSupport
import Testing

@testable import OfferStore

@Suite("Facts rows and the history they follow from")
struct HistoryFactsTests {
    @Test(
        "after random arrivals, repetitions, merges, imports and erasures each facts row is what its history gives, and decisions by facts are those by all rows (invariants 5 and 7)",
        arguments: 1...60 as ClosedRange<UInt64>)
    func followsFromHistory(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try await Bench()
        let scope = bench.scope
        var sent: [HistoryPayload] = []
        for step in 0..<12 {
            let note: Comment = "seed \(seed), step \(step)"
            if step > 3, Int.random(in: 0..<6, using: &generator) == 0 {
                guard let customer = try await customers(of: bench).randomElement(using: &generator) else { continue }
                _ = try await bench.erase([customer])
            } else {
                var payloads = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Self.payload(&generator) }
                payloads += sent.filter { _ in Int.random(in: 0..<8, using: &generator) == 0 }.map {
                    Bool.random(using: &generator) ? $0 : Self.signedAgain($0, &generator)
                }
                payloads.shuffle(using: &generator)
                let arrived = payloads
                _ = try await bench.keyed.write(by: AuditAuthor(actor: "tests")) {
                    try HistoryStore($0).ingest(arrived, at: Bench.now, in: scope)
                }
                sent += arrived
            }
            // A seed ends at its first difference: what follows would differ at length.
            try #require(try await HistoryFactsCheck(bench.database).run().wrong == 0, note)
            try await expectSameDecisions(bench, note)
            try await expectRecorded(bench, note)
        }
    }

    /// Of every customer, and of all together.
    private func expectSameDecisions(_ bench: Bench, _ note: Comment) async throws {
        let all = try await customers(of: bench)
        for subject in all.map({ [$0] }) + [all] {
            let (read, every) = try await bench.database.read { transaction in
                let store = HistoryStore(transaction)
                return (try store.history(of: subject), try store.history(of: subject, asOf: .distantFuture))
            }
            try #require(read.coverage == every.coverage, note)
            try #require(
                read.purchases.rows.map { [$0.sequence, $0.payload.signedDate.milliseconds] }
                    == every.purchases.rows.map { [$0.sequence, $0.payload.signedDate.milliseconds] }, note)
            try #require(read.subscriptionStates(at: Bench.now) == every.subscriptionStates(at: Bench.now), note)
            let (facts, everything) = (SubjectFacts(history: read), SubjectFacts(history: every))
            try #require(facts.redemptions() == everything.redemptions(), note)
            for question in Self.questions {
                try #require(decide(question, facts: facts) == decide(question, facts: everything), note)
            }
        }
    }

    /// Arrivals were recorded by the facts known then: the stored ones show nothing more to record.
    private func expectRecorded(_ bench: Bench, _ note: Comment) async throws {
        let (all, scope) = (try await customers(of: bench), bench.scope)
        let changes = try await bench.keyed.write(by: AuditAuthor(actor: "tests")) { transaction in
            try all.map { try RedemptionStore(transaction).record(of: $0, offers: [], at: Bench.now, in: scope) }
        }
        try #require(changes.allSatisfy { $0 == RedemptionChange() }, note)
    }

    private func customers(of bench: Bench) async throws -> [CustomerNumber] {
        try await bench.database.read {
            try $0.rows(Statement("SELECT id FROM customer WHERE merged_into IS NULL ORDER BY id")).map {
                try $0.value(0)
            }
        }
    }

    /// The same on another day, so that copies between two others are removed.
    private static func signedAgain(_ payload: HistoryPayload, _ generator: inout SeededGenerator) -> HistoryPayload {
        func again<Payload: HistoryRecord>(_ record: Payload) -> Payload {
            var record = record
            record.viewDate = Bench.now.adding(
                milliseconds: -Int64.random(in: 0..<9, using: &generator) * Instant.Duration.day)
            return record
        }
        let content: HistoryPayload.Content =
            switch payload.content {
            case .transaction(let record): .transaction(again(record))
            case .renewalInfo(let record): .renewalInfo(again(record))
            case .appTransaction(let record): .appTransaction(again(record))
            }
        return HistoryPayload(
            content, bytes: payload.bytes + Array("\(content.record.viewDate)".utf8), provenance: payload.provenance)
    }

    /// Few ids, dates and offers, so that views, ranks and ties are met often.
    private static func payload(_ generator: inout SeededGenerator) -> HistoryPayload {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }
        let original: TransactionId = pick(["1", "2", "3", "4"])
        let account: AppTransactionId? = pick([nil, nil, nil, "A", "B"])
        let signed = Bench.now.adding(milliseconds: -pick([0, 1, 2, 3]) * Instant.Duration.day)
        let provenance: Provenance = pick([.client, .notification, .operator, .receipt])
        let offer: OfferIdentifier? = pick([nil, nil, "comeback50", "other"])
        let bytes = Array("\(UInt64.random(in: 0...9_999, using: &generator))".utf8)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return .installed(pick(["A", "B"]), created: signed)
        case 1, 2:
            let info = RenewalInfo.fixture(original, signed: signed) {
                $0.autoRenewStatus = pick([.on, .off])
                $0.offerIdentifier = offer
                $0.offerType = offer == nil ? nil : .promotional
                $0.renewalDate = pick([nil, Bench.now])
                $0.appTransactionId = account
                $0.eligibleWinBackOfferIds = pick([nil, [], ["back"]])
                $0.isInBillingRetryPeriod = pick([nil, true])
                $0.priceIncreaseStatus = pick([nil, .notResponded])
                $0.notifiedStatus = pick([nil, nil, .billingGracePeriod, .billingRetry])
            }
            return HistoryPayload(.renewalInfo(info), bytes: bytes, provenance: provenance)
        case 3:
            let bought = Transaction.fixture(
                pick(["7", "8", "9"]), product: pick(["lifetime", "coins"]),
                purchased: Bench.now.adding(milliseconds: -pick([5, 40]) * Instant.Duration.day), signed: signed
            ) {
                $0.type = $0.productId == "coins" ? .consumable : .nonConsumable
                $0.subscriptionGroupIdentifier = nil
                $0.expiresDate = nil
                $0.inAppOwnershipType = pick([.purchased, .familyShared, InAppOwnershipType(rawValue: "HOUSEHOLD")])
                $0.revocationDate = pick([nil, nil, signed])
                $0.appTransactionId = account
            }
            return HistoryPayload(.transaction(bought), bytes: bytes, provenance: provenance)
        default:
            // Now and then two subscriptions claim one transaction.
            let id: TransactionId = pick([original, TransactionId("\(original)0"), TransactionId("\(original)1"), "99"])
            let purchased = Bench.now.adding(milliseconds: -pick([5, 40, 41, 90]) * Instant.Duration.day)
            let transaction = Transaction.fixture(id, original: original, purchased: purchased, signed: signed) {
                $0.offerIdentifier = offer
                $0.offerType = offer == nil ? pick([nil, .introductory]) : .promotional
                $0.price = pick([0, 9_990])
                $0.isUpgraded = pick([false, false, true])
                $0.billingPlanType = pick([nil, .monthly])
                $0.webOrderLineItemId = pick([$0.webOrderLineItemId, nil, "0", "shared"])
                $0.additionalTransactionReason = pick([nil, nil, nil, .seatAddition])
                $0.productId = pick(["com.example.pro.monthly", "com.example.pro.monthly", "com.example.pro.yearly"])
                $0.revocationDate = pick([nil, nil, nil, signed])
                $0.appTransactionId = account
            }
            return HistoryPayload(.transaction(transaction), bytes: bytes, provenance: provenance)
        }
    }

    private static let questions: [Question] = {
        func compare(_ fact: String, _ sign: ComparisonOperator, _ operands: [FactValue]) -> RuleNode {
            .comparison(Comparison(fact: fact, comparisonOperator: sign, operands: operands))
        }
        let offers = [OfferType.introductory, .promotional, .winBack].map { type in
            var offer = Offer(
                id: OfferId("\(type)"), type: type,
                delivery: type == .introductory ? .introductoryEligibility : .signature,
                offerIdentifier: type == .introductory ? nil : "comeback50", products: ["com.example.pro.monthly"],
                paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
                limits: [.perCustomer(count: 1, window: nil, across: .thisOffer)])
            offer.eligibility = .any([
                compare("subscription.state", .in, [.text("expired")]),
                compare("subscription.paidMonths", .atLeast, [.number(2)]),
                compare("customer.refunds", .atLeast, [.number(1)]),
                compare("subscription.willAutoRenew", .is, [.boolean(false)]),
                compare("subscription.billingPlan", .is, [.text("monthly")]),
                compare("subscription.priceIncreaseStatus", .is, [.text("notResponded")]),
                compare("customer.owns.lifetime", .is, [.boolean(true)]),
                compare("customer.purchases.coins", .atLeast, [.number(2)]),
            ])
            return offer
        }
        let catalog = CompiledCatalog(Catalog(bundleId: "com.example.pro", offers: offers))
        return offers.map { offer in
            Question(
                now: Bench.now, scope: Scope(bundleId: "com.example.pro", environment: .sandbox),
                offer: CompiledOffer(offer), productId: "com.example.pro.monthly",
                subscriptionGroupIdentifier: "21500001", catalog: catalog, groupProducts: ["com.example.pro.monthly"])
        }
    }()

    @Test(
        "the check finds each facts row that is changed, missing or of no history, and rebuilds them; beyond one page")
    func check() async throws {
        let bench = try await Bench(.file)
        try await bench.ingest(
            (1_000..<1_700).map { .bought(TransactionId("\($0)"), account: AppTransactionId("\($0)")) })
        try await bench.ingest((1_000..<1_600).map { .installed(AppTransactionId("\($0)")) })
        // Renewal info that belongs to nobody yet has its row too.
        try await bench.ingest([.renews("9")])
        let check = HistoryFactsCheck(bench.database)
        var counts = HistoryFactsCheck.Counts()
        counts.rows = 1_301
        #expect(try await check.run() == counts)
        let customer = try await bench.customer("1650")
        let before = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        try await bench.database.write { transaction in
            for edit in [
                "UPDATE history_facts SET facts = x'0200' WHERE value = '1650' AND kind = 'originalTransactionId'",
                "DELETE FROM history_facts WHERE value IN ('1001', '9')",
                "INSERT INTO history_facts SELECT 2, kind, value, facts FROM history_facts WHERE value = '1234'",
                "INSERT INTO history_facts SELECT scope_id, kind, '', facts FROM history_facts WHERE value = '1234' AND scope_id = 1",
            ] { try transaction.execute(Statement(edit)) }
        }
        (counts.changed, counts.missing, counts.superfluous) = (1, 3, 4)
        #expect(try await check.run() == counts)
        let error = await #expect(throws: StoreError.self) {
            try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        }
        #expect(error == .corruptFacts("`history_facts`: facts are of version `2`, not of 3"))
        #expect(error?.hint == "run `offerd doctor --rebuild-facts`")
        #expect(try await check.run(rebuilding: true) == counts)
        (counts.changed, counts.missing, counts.superfluous) = (0, 0, 0)
        #expect(try await check.run() == counts)
        #expect(try await bench.database.read { try HistoryStore($0).history(of: [customer]) } == before)
    }

    @Test("when two copies signed at one date are removed at once, the newest one is in the facts")
    func removedAtOnce() async throws {
        let bench = try await Bench()
        func copy(_ day: Int64, _ bytes: String = "") -> HistoryPayload {
            .bought("1", signed: Bench.now.adding(milliseconds: day * Instant.Duration.day), bytes: bytes)
        }
        try await bench.ingest([copy(0), copy(1, "a")])
        try await bench.ingest([copy(1, "b"), copy(3)])
        #expect(try await bench.storedPayloads() == [copy(0).bytes, copy(3).bytes])
        #expect(try await HistoryFactsCheck(bench.database).run().wrong == 0)
        let customer = try await bench.customer("1")
        let history = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        #expect(
            history.transactions.map(\.payload.signedDate) == [Bench.now.adding(milliseconds: 3 * Instant.Duration.day)]
        )
    }

    @Test("renewal info that does not count gives a customer no coverage")
    func unproven() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let kept = try await bench.ingest([.bought("1", provenance: .operator)])
        let customer = try #require(kept.first?.customer)
        try await bench.keyed.write(by: AuditAuthor(actor: "tests")) {
            try UnlistedHistory(listed: [], asOf: Bench.now, in: scope, $0).remove(
                of: customer, offers: [], at: Bench.now)
        }
        try await bench.ingest([.renews("1")])
        let (read, every) = try await bench.database.read { transaction in
            let store = HistoryStore(transaction)
            return (try store.history(of: [customer]), try store.history(of: [customer], asOf: .distantFuture))
        }
        #expect(read == every && read.renewalInfos.isEmpty)
        #expect(read.coverage == .none)
    }

    @Test("an owner with an unreadable row is reported, and the others are rebuilt")
    func unreadable() async throws {
        let bench = try await Bench(.file)
        try await bench.ingest(["1", "2", "3"].map { .bought($0) })
        try await bench.database.write { transaction in
            for edit in [
                "UPDATE history_transaction SET facts = x'02' WHERE original_transaction_id = '1'",
                "DELETE FROM history_facts WHERE value IN ('1', '3')",
            ] { try transaction.execute(Statement(edit)) }
        }
        let check = HistoryFactsCheck(bench.database)
        var counts = HistoryFactsCheck.Counts()
        (counts.rows, counts.missing, counts.unreadable) = (2, 1, ["originalTransactionId `1`"])
        #expect(try await check.run(rebuilding: true) == counts)
        counts.missing = 0
        #expect(try await check.run() == counts)
    }
}
