import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@Suite("Changes between decision and commit")
struct ChangedMeanwhileTests {
    @Test("a catalog applied in between is decided on: nothing of the old decision is recorded or released")
    func catalog() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let archived =
            TestCatalog.head
            + TestCatalog.comeback().replacing("status: active", with: "status: archived")
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { try await bench.apply(archived, expected: 1) } }))
        let answer = try await moved.issuing.issue(
            IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        let refusal = try #require(answer.refusal)
        #expect(refusal.decision[.catalogStatus]?.reason == .offerArchived)
        #expect(try await bench.count("issued_offer") == 0)
        #expect(try await bench.count("signature") == 0)
    }

    @Test("a pause set in between refuses")
    func pause() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { try await Self.pause(nil, bench) } }))
        let answer = try await moved.issuing.issue(
            IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        #expect(answer.refusal?.decision.obstacles == [.catalogPaused])
        #expect(try await bench.count("signature") == 0)
    }

    @Test("an issued offer that another request got in between is handed out, and no second one is made (invariant 2)")
    func otherRequest() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let order = IssueRequest(offerId: "comeback", customer: named("100"))
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database, beforeWrite: { if writes.next() == 1 { _ = try await bench.granted(order) } }))
        let answer = try await moved.issuing.issue(order, caller: Workbench.client)
        #expect(answer.issued?.isNew == false)
        #expect(try await bench.count("issued_offer") == 1)
        #expect(try await bench.count("signature") == 1)
        bench.note(answer)
        try await bench.checkLedger()
    }

    @Test(
        "a use that becomes known in between refuses, also one of a customer proven to be the same (invariant 2)",
        arguments: [false, true])
    func merge(isMergedAway: Bool) async throws {
        let bench = try await Workbench()
        func anonymous(_ jws: String?) throws -> String {
            try bench.shop.edited(try #require(jws)) { $0["appTransactionId"] = nil }
        }
        let first = try anonymous(try bench.shop.delivery(.lapsed, "100").signedTransactions.first)
        let second = try anonymous(try bench.shop.delivery(.lapsed, "200").signedTransactions.first)
        let used = try bench.shop.redemption(
            of: "comeback50", "200900", like: second, at: Workbench.start.adding(months: -2))
        if isMergedAway { try await bench.deliver(SignedDelivery(signedTransactions: [second])) }
        try await bench.deliver(SignedDelivery(signedTransactions: [first]))
        let proofs = try [first, used].map { jws in
            try bench.shop.edited(jws) { payload in
                payload["appTransactionId"] = "app-100"
                payload["signedDate"] = Workbench.start.milliseconds + 1
            }
        }
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: {
                    guard writes.next() == 1 else { return }
                    try await bench.deliver(SignedDelivery(signedTransactions: proofs))
                }))
        let answer = try await moved.issuing.issue(
            IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        #expect(answer.refusal?.decision.outcome == .ineligible)
        #expect(answer.refusal?.decision[.limitCustomer]?.verdict == .violated)
        #expect(try await bench.count("issued_offer") == 0)
    }

    @Test("a use by somebody whom the alias names since then refuses (invariant 2)")
    func newlyNamed() async throws {
        let bench = try await Workbench()
        let aliases = CustomerIdentifiers(customerId: "somebody")
        let other = try bench.shop.anonymous("200")
        let used = try bench.shop.redemption(
            of: "comeback50", "200900", like: try #require(other.signedTransactions.first),
            at: Workbench.start.adding(months: -2))
        try await bench.deliver(try bench.shop.anonymous("100"), aliases: aliases)
        try await bench.deliver(SignedDelivery(signedTransactions: other.signedTransactions + [used]))
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { try await bench.deliver(other, aliases: aliases) } }))
        let answer = try await moved.issuing.issue(
            IssueRequest(offerId: "comeback", customer: aliases), caller: Workbench.client)
        #expect(answer.refusal?.decision[.limitCustomer]?.verdict == .violated)
        #expect(try await bench.count("issued_offer") == 0)
    }

    @Test(
        "what was looked at more than a minute before the commit is looked at again: issued offers may have been settled since",
        arguments: [Int64(60_000), 60_001])
    func oldLook(age: Int64) async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: {
                    guard writes.next() == 1 else { return }
                    bench.clock.advance(milliseconds: age)
                    try await bench.deliver(try bench.shop.delivery(.lapsed, "200"))
                }))
        let answer = try await moved.issuing.issue(
            IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        let isLookedAtAgain = age > 60_000
        #expect(answer.issued?.offer.issuedAt == Workbench.start.adding(milliseconds: isLookedAtAgain ? age : 0))
    }

    @Test("an answer that was kept under the same key in between is given again, whatever is decided by now")
    func answeredMeanwhile() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let key = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let caller = Caller(apiKeyId: key.id, scope: Workbench.scope, role: .client)
        let request = IdempotentRequest(key: "once", route: "POST /v1/issued-offers", body: [])
        @Sendable func ask(_ interactions: Double, _ useCases: UseCases) async throws -> WrittenAnswer {
            let order = IssueRequest(
                offerId: "engaged", customer: named("100"), signals: ["interactions": .number(interactions)])
            return try await useCases.issuing.issue(order, caller: caller, as: request) { answer in
                WrittenAnswer(status: answer.issued == nil ? 403 : 201, contentType: "text/plain", body: [])
            }
        }
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database, beforeWrite: { if writes.next() == 1 { _ = try await ask(49, bench.useCases) } }))
        let answer = try await ask(50, moved)
        #expect(answer.status == 403)
        #expect(answer.isReplayed)
        #expect(try await bench.count("signature") == 0)
    }

    /// What makes the answer to a repeated request wrong while it is being given.
    enum Withdrawal: CaseIterable {
        case pause, archive, void
    }

    @Test(
        "stored signatures are not handed out under a key once the offer was withdrawn in between",
        arguments: Withdrawal.allCases)
    func storedSignatures(withdrawal: Withdrawal) async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let order = IssueRequest(offerId: "comeback", customer: named("100"))
        let first = try await bench.granted(order).offer
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { try await Self.withdraw(first.id, withdrawal, bench) } }))
        let key = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let released = Mutex<[IssueAnswer]>([])
        let answer = try await moved.issuing.issue(
            order, caller: Caller(apiKeyId: key.id, scope: Workbench.scope, role: .client),
            as: IdempotentRequest(key: "again", route: "POST /v1/issued-offers", body: [])
        ) { answer in
            released.withLock { $0.append(answer) }
            return WrittenAnswer(status: answer.issued == nil ? 403 : 200, contentType: "text/plain", body: [])
        }
        #expect(answer.status == 403)
        let refusal = try #require(released.withLock { $0.last?.refusal })
        #expect(
            refusal.decision.obstacles
                == [withdrawal == .pause ? .catalogPaused : withdrawal == .archive ? .catalogStatus : .limitCustomer])
        #expect(try await bench.count("kept_answer") == 1)
        #expect(try await bench.count("signature") == 1, "nothing was signed anew")
    }

    @Test("stored signatures do not open an offer that was paused in between")
    func openingOfStoredSignatures() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let order = IssueRequest(offerId: "comeback", customer: named("100"))
        _ = try await bench.granted(order)
        // From now on the offer is open for two days only, from the first request that finds it so.
        try await bench.apply(
            TestCatalog.head
                + TestCatalog.comeback().replacing(
                    "status: active",
                    with: """
                        status: active
                            eligibility: { fact: customer.everSubscribed, is: true }
                            availableFor: PT48H
                        """), expected: 1)
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { try await Self.pause(nil, bench) } }))
        let answer = try await moved.issuing.issue(order, caller: Workbench.client)
        #expect(answer.refusal?.decision.obstacles == [.catalogPaused])
        #expect(try await bench.count("offer_opening") == 0)
    }

    @Test("a request whose inputs keep changing gets `busy`, with nothing recorded or released (invariant 1)")
    func busy() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: {
                    let revision = writes.next()
                    try await bench.apply(TestCatalog.yaml + "# \(revision)\n", expected: revision)
                }))
        await #expect {
            try await moved.issuing.issue(
                IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        } throws: { error in
            guard case RequestError.busy = error else { return false }
            return true
        }
        #expect(writes.next() == 6, "decided 5 times")
        #expect(try await bench.count("decision") == 0)
        #expect(try await bench.count("signature") == 0)
    }

    @Test(
        "a pause refuses the next request, the open issued offer's holder included, and the dry-run says so",
        arguments: [
            "comeback", nil,
        ] as [OfferId?])
    func paused(offer: OfferId?) async throws {
        let bench = try await Workbench()
        let order = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "100"))
        let first = try await bench.granted(order).offer
        try await Self.pause(offer, bench)
        let dry = try await bench.dryRun(named("100"), "comeback")
        let refusal = try await bench.refused(order)
        #expect(refusal.decision == dry)
        #expect(refusal.decision.obstacles == [.catalogPaused])
        #expect(refusal.decision[.catalogPaused]?.reason == (offer == nil ? .everyOfferPaused : .offerPaused))
        #expect(try await bench.dryRun(named("100"), "twice").outcome == (offer == nil ? .ineligible : .eligible))
        let now = bench.clock.now
        let isResumed = try await bench.write { transaction, scope in
            try PauseStore(transaction).resume(offer, actor: "marketing", at: now, in: scope)
        }
        #expect(isResumed)
        #expect(try await bench.granted(order).offer == first)
    }

    private static func withdraw(
        _ issuedOffer: LowercaseUUID, _ withdrawal: Withdrawal, _ bench: Workbench
    ) async throws {
        switch withdrawal {
        case .pause: try await pause("comeback", bench)
        case .archive:
            let archived =
                TestCatalog.head + TestCatalog.comeback().replacing("status: active", with: "status: archived")
            try await bench.apply(archived, expected: 1)
        case .void:
            let now = bench.clock.now
            _ = try await bench.write { transaction, scope in
                try IssuedOfferStore(transaction).void(
                    issuedOffer, reason: "mistake", release: false, at: now, in: scope)
            }
        }
    }

    private static func pause(_ offer: OfferId?, _ bench: Workbench) async throws {
        let now = bench.clock.now
        _ = try await bench.write { transaction, scope in
            try PauseStore(transaction).pause(offer, actor: "marketing", at: now, in: scope)
        }
    }
}
