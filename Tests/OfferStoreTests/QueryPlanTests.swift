import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Query plans", .onSQLite("PostgreSQL plans by the number of rows"))
struct QueryPlanTests {
    @Test("every statement on the way of a request finds its rows by an index", arguments: Driver.allCases)
    func indexed(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        let scope = bench.scope
        var plans = try await bench.database.write { transaction in
            let statements = RecordedStatements()
            try Self.requests(statements.recording(transaction), scope, [first, second])
            return try statements.all.map { try QueryPlan(of: $0, in: transaction) }
        }
        plans += try await bench.database.write { transaction in
            let statements = RecordedStatements()
            try Self.reset(statements.recording(transaction), scope, first)
            return try statements.all.map { try QueryPlan(of: $0, in: transaction) }
        }
        plans += try await bench.database.read { transaction in
            let statements = RecordedStatements()
            try CounterStore(statements.recording(transaction)).readAll(in: scope)
            return try statements.all.map { try QueryPlan(of: $0, in: transaction) }
        }
        #expect(plans.count > 30)
        for plan in plans {
            #expect(plan.faults.isEmpty, "\(plan.sql)\n\(plan.steps.joined(separator: "\n"))")
        }
        // An allowance that nothing uses would let something else pass.
        for allowed in AllowedStep.all {
            let isUsed = plans.contains { plan in plan.steps.contains { allowed.allows($0, of: plan.sql) } }
            #expect(isUsed, "\(allowed.step ?? "any step") of \(allowed.statement)")
        }
    }

    @Test("a report reads each customer's own decisions, not all of the offer's", arguments: Driver.allCases)
    func reports(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (customer, scope) = (try await bench.customer("1"), bench.scope)
        let plans = try await bench.database.read { transaction in
            let statements = RecordedStatements()
            let store = EvaluationStore(statements.recording(transaction, isWriting: false))
            _ = try store.first(of: customer, for: "a", in: scope)
            _ = try store.evaluations(of: customer, for: "a", after: nil, limit: 10, in: scope)
            return try statements.all.map { try QueryPlan(of: $0, in: transaction) }
        }
        let searches: [String] = plans.flatMap { $0.steps }.filter {
            $0.contains("issued_offer") || $0.contains("refusal")
        }
        #expect(searches.count == 4)
        for step in searches { #expect(step.contains("(customer_id=?"), "\(step)") }
    }

    /// `POST /v1/customers/reset`.
    private static func reset(
        _ transaction: any StoreTransaction, _ scope: ScopeNumber, _ customer: CustomerNumber
    ) throws {
        let plan = try ErasureStore(transaction).plan(for: [customer], digestKey: nil, in: scope)
        let erasure = CustomerErasure(
            in: scope, at: Bench.now, author: "tests", offers: [], forgets: true, transaction)
        #expect(try erasure.run(plan, reason: "r") != nil)
    }

    private static func events(_ transaction: any StoreTransaction, _ scope: ScopeNumber) throws {
        let store = EventStore(transaction)
        for types in [nil] + EventType.allCases.map({ Set([$0]) }) {
            _ = try store.page(after: 0, types: types, limit: 50)
            _ = try store.page(after: 0, scope: scope, types: types, limit: 50)
        }
        _ = try HistoryStore(transaction).ingest([.period("71", of: "70", -29, 1)], at: Bench.now, in: scope)
        _ = try HistoryStore(transaction).ingest(
            [.period("72", of: "70", 1, 31, signed: 0) { $0.productId = "other" }], at: Bench.now, in: scope)
        for event in try store.page(after: 0, limit: 50) { #expect(try store.event(event.id) == event) }
        let due = DueEventStore(transaction)
        #expect(try due.next() != nil)
        #expect(try due.send(at: Bench.day(40), limit: 50) > 0)
    }

    private static func requests(
        _ transaction: any StoreTransaction, _ scope: ScopeNumber, _ customers: [CustomerNumber]
    ) throws {
        _ = try APIKeyStore(transaction).key("a")
        _ = try APIKeyStore(transaction).keys()
        _ = try ScopeStore(transaction).number(of: Scope(bundleId: "b", environment: .sandbox))
        _ = try ScopeStore(transaction).generation(of: scope)
        _ = try ScopeStore(transaction).presentState(around: Scope(bundleId: "b", environment: .sandbox))
        _ = try CatalogStore(transaction).currentNumber(in: scope)
        _ = try CatalogStore(transaction).current(in: scope)
        _ = try CatalogStore(transaction).page(before: nil, limit: 5, in: scope)
        _ = try CatalogStore(transaction).number(inForceAt: Bench.now, in: scope)
        _ = try PauseStore(transaction).active(in: scope)
        _ = try PauseStore(transaction).active(in: scope, at: Bench.now)
        _ = try PauseStore(transaction).resume("x", actor: "k", at: Bench.now, in: scope)
        let clock = StoreClock(transaction)
        _ = try clock.lastInstant()
        try clock.advance(to: Bench.now)

        let store = CustomerStore(transaction)
        let aliases: [CustomerAlias] = [.customerId("c"), .appAccountToken(.number(1))]
        _ = try store.customers(proven: [.originalTransactionId("1"), .appTransactionId("A")], in: scope)
        _ = try store.customers(aliases: aliases, in: scope)
        _ = try store.statement(of: aliases, for: customers, in: scope)
        _ = try store.state(aliases, of: customers, at: Bench.now, in: scope)
        _ = try store.version(of: customers)
        _ = try store.customers(customers)
        _ = try store.overview(of: customers)
        let attributes = AttributeStore(transaction)
        for seats in [12.0, 13] {
            _ = try attributes.replace(
                ["seats": .number(seats), "n\(seats)": .boolean(true)], of: customers, actor: "k", at: Bench.now)
        }
        try OpeningStore(transaction).open("trial", to: customers, at: Bench.now)
        _ = try OpeningStore(transaction).openings(of: customers)
        let grants = GrantStore(transaction)
        let grant = Grant(id: .number(1), offerId: "trial", grantedAt: Bench.now)
        try grants.add(StoredGrant(grant, to: customers[0], reason: "r", actor: "k"), in: scope)
        _ = try grants.grants(of: customers)
        _ = try grants.count(by: "k", orLike: "k (%", in: Bench.now.utcDay, scope: scope)
        _ = try grants.revoke(.number(1), actor: "k", at: Bench.now, in: scope)
        #expect(throws: StoreError.self) {
            try grants.use(.number(1), by: .number(1), at: Bench.now, in: scope)
        }
        _ = try grants.grant(.number(1), in: scope)

        let history = HistoryStore(transaction)
        _ = try history.histories(of: customers.map { [$0] })
        let payloads: [HistoryPayload] = [
            .renews("9", account: "Z", token: .number(4)), .bought("9"), .installed("A"), .renews("1"),
            .bought("3", original: "1", account: "B"),
        ]
        _ = try history.missing(payloads, in: scope)
        _ = try history.ingest(payloads, at: Bench.now, in: scope)
        _ = try history.history(of: customers)
        _ = try history.history(
            of: SeenIdentifiers(try history.history(of: customers)), upTo: 1_000, in: scope)
        _ = try history.history(of: customers, asOf: Bench.now)
        try CoverageStore(transaction).stateComplete(
            customers, asOf: Bench.now, provenance: .caller, at: Bench.now, in: scope)

        let unlisted = UnlistedHistory(listed: ["3"], asOf: Bench.now, in: scope, transaction)
        _ = try unlisted.isEmpty(of: customers)
        for customer in customers { try unlisted.remove(of: customer, offers: [], at: Bench.now) }

        let notifications = NotificationStore(transaction)
        _ = try notifications.notification("u", in: scope)
        try notifications.insert(.fixture("u"), at: Bench.now, in: scope)
        _ = try notifications.notifications(of: customers, limit: 5)
        _ = try notifications.newest(in: scope)
        _ = try notifications.newestTest(in: scope)
        _ = try notifications.newestDelivered(in: scope)
        _ = try notifications.removePayloads(receivedBy: Bench.now, at: Bench.now, atMost: 5)
        _ = try notifications.erase(of: customers, at: Bench.now)

        try events(transaction, scope)
        let issuedOffers = IssuedOfferStore(transaction)
        _ = try issuedOffers.issuedOffers(of: customers)
        try issuedOffers.insert(.fixture(1), catalogRevision: 1, for: customers[0], subject: customers, in: scope)
        try issuedOffers.settle([.number(2)], at: Bench.now, in: scope)
        try issuedOffers.settlePassed(of: "comeback", at: Bench.now, in: scope)
        let counters = CounterStore(transaction)
        let offer = Offer(
            id: "comeback", type: .promotional, delivery: .signature, offerIdentifier: "comeback50",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        _ = try counters.counters(of: offer, in: "21500001", open: [], at: Bench.now, in: scope)
        for unit in [CounterUnit.places, .money("USD")] {
            _ = try counters.ending(of: 1, unit, offer: ["comeback"], without: nil, after: Bench.now, in: scope)
            _ = try counters.ending(of: 1, unit, offer: ["old", "comeback"], without: nil, after: Bench.now, in: scope)
        }
        let capped = CounterStore.Cap(unit: .places, most: 9)
        try issuedOffers.insert(
            .fixture(7, offer: "capped"), catalogRevision: 1, for: customers[0], subject: customers, caps: [capped],
            in: scope)
        // What has passed is looked for only where something has.
        let later = Bench.now.adding(milliseconds: 3 * Instant.Duration.day)
        _ = try counters.counters(of: offer, in: "21500001", open: [], at: later, in: scope)
        _ = try counters.counting(of: offer, at: later, in: scope)
        _ = try counters.redemptions(of: offer, in: "21500001", after: Bench.now, upTo: later, in: scope)
        try issuedOffers.settlePassed(of: "capped", at: later, in: scope)
        _ = try RefusalStore(transaction).withoutCustomer(in: scope, limit: 5)
        let redemptions = RedemptionStore(transaction)
        _ = try redemptions.usesByOthers(of: customers)
        _ = try redemptions.usesOfOthers(by: customers[0])
        try redemptions.record(of: customers[0], offers: [offer], at: Bench.now, in: scope)
        try redemptions.matchLaterEvidence(
            of: customers[0], since: Bench.now, offers: [offer], at: Bench.now, in: scope)
        _ = try issuedOffers.addSigning(
            to: .number(1), expiresAt: Bench.now, countsUntil: Bench.now, at: Bench.now, subject: customers, in: scope)
        _ = try issuedOffers.issuedOffers(of: customers, asOf: Bench.now)
        try RefusalStore(transaction).insert(
            .fixture(
                1, customer: customers[0],
                statement: .fixture(1, format: .introductoryEligibility, allow: false)), in: scope)
        if let issued = try issuedOffers.issuedOffer(.number(1), in: scope) {
            _ = try issuedOffers.newestSigning(of: issued)
        }
        _ = try RefusalStore(transaction).refusal(.number(1), in: scope)
        _ = try RefusalStore(transaction).hasRecord(of: .number(1), in: scope)
        let evaluations = EvaluationStore(transaction)
        _ = try evaluations.offers(in: scope)
        _ = try evaluations.evaluated(for: "comeback", after: customers[0], limit: 5, in: scope)
        _ = try evaluations.first(of: customers[0], for: "comeback", in: scope)
        _ = try evaluations.evaluations(of: customers[0], for: "comeback", after: nil, limit: 5, in: scope)
        _ = try evaluations.refusalsOfUnknown(for: "comeback", in: Bench.now..<Bench.now, in: scope)
        _ = try evaluations.catalogRevision(of: "comeback", in: scope)
        _ = try store.sourcedIdentifiers(of: customers)
        _ = try store.merges(into: customers)
        _ = try RefusalStore(transaction).days(of: customers, limit: 5)
        _ = try store.survivors(of: customers)
        _ = try store.merged(into: customers)
        _ = try issuedOffers.issuedOffers(to: customers[0])
        _ = try issuedOffers.issuedOffer(.number(1), in: scope)
        _ = try issuedOffers.firstIssued(of: "comeback", in: scope)
        _ = try issuedOffers.page(of: nil, offer: nil, descending: true, after: nil, limit: 5, in: scope)
        _ = try issuedOffers.page(of: nil, offer: "comeback", descending: true, after: nil, limit: 5, in: scope)
        _ = try issuedOffers.page(of: customers, offer: "comeback", descending: true, after: 9, limit: 5, in: scope)
        _ = try issuedOffers.page(offer: nil, from: nil, to: nil, after: nil, limit: 5, in: scope)
        _ = try issuedOffers.page(of: customers, offer: nil, descending: true, after: nil, limit: 5, in: scope)
        _ = try issuedOffers.void(.number(1), reason: "r", release: true, at: Bench.now, in: scope)
        try APIKeyStore(transaction).insert(.fixture("a"))
        let answers = IdempotencyStore(transaction)
        let key = IdempotencyRecordKey(apiKeyId: "a", route: "r", key: "k")
        _ = try answers.answer(key, at: Bench.now)
        try answers.keep(
            IdempotencyRecord(
                requestDigest: Array(0..<32), status: 200, contentType: "t", location: nil, body: "",
                answeredAt: Bench.now),
            under: key)
        _ = try ErasureStore(transaction).isErased(customers, after: 1)
        _ = try KeptEvidenceStore(transaction).evidence(of: customers)
        // Joins the two customers, with everything a merge does.
        _ = try history.ingest([.bought("5", original: "2", account: "B")], at: Bench.now, in: scope)
    }
}
