import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

/// A customer with a V1 offer, and another Apple Account that buys with the token it was signed for.
struct ForeignUse {
    static let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
    static let otherToken = AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b")

    let bench: Workbench
    var offer: OfferId = "comeback"
    var identifier = "comeback50"

    /// The request of the customer `100`.
    func order(formats: [SignatureFormat] = [.v1], fresh: Bool = false) throws -> IssueRequest {
        IssueRequest(
            offerId: offer,
            customer: CustomerIdentifiers(originalTransactionId: "100", appAccountToken: Self.token), formats: formats,
            fresh: fresh, delivery: try bench.shop.delivery(.lapsed, "100"))
    }

    /// The account `900` without its use of the offer.
    func account(_ scene: Scene = .lapsed) throws -> SignedDelivery { try bench.shop.delivery(scene, "900") }

    /// A purchase by the account `900` with the offer.
    func use(
        _ transactionId: String = "900900", at purchase: Instant, token: AppAccountToken? = Self.token,
        _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> String {
        let like = try #require(try account().signedTransactions.first)
        let use = try bench.shop.redemption(of: identifier, transactionId, like: like, at: purchase)
        return try bench.shop.edited(use) { payload in
            payload["appAccountToken"] = token?.description
            change(&payload)
        }
    }

    func deliver(_ jws: String...) async throws {
        try await bench.deliver(SignedDelivery(signedTransactions: jws))
    }

    /// The issued offers of a customer, the newest first, by where they stand.
    func states(_ id: String) async throws -> [IssuedOfferState] {
        try await bench.useCases.customers.story(named(id), caller: Workbench.client).issuedOffers.map(\.state)
    }

    /// What the limit per customer says of a customer.
    func limit(_ id: String = "100") async throws -> Verdict? {
        try await bench.dryRun(named(id), offer)[.limitCustomer]?.verdict
    }

    func told(_ id: String) async throws -> [String] {
        try await bench.useCases.customers.story(named(id), caller: Workbench.client).timeline
            .filter { $0.kind == "redeemed" }.map(\.message)
    }
}

@Suite("A V1 offer redeemed by another Apple Account")
struct RedeemedByAnotherTests {
    private static func started(_ formats: [SignatureFormat] = [.v1]) async throws -> ForeignUse {
        let foreign = ForeignUse(bench: try await Workbench())
        try await foreign.bench.deliver(try foreign.account())
        _ = try await foreign.bench.granted(try foreign.order(formats: formats))
        foreign.bench.clock.advance(hours: 1)
        return foreign
    }

    @Test("attack: one V1 offer a day for other Apple Accounts; it keeps counting for its own customer (invariant 2)")
    func attack() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        try await foreign.deliver(try foreign.use(at: bench.clock.now))
        #expect(try await foreign.states("100") == [.redeemed])
        #expect(try await foreign.limit() == .violated)
        bench.clock.advance(hours: 25)
        let refusal = try await bench.refused(try foreign.order())
        #expect(refusal.decision.obstacles.contains(.limitCustomer))
        #expect(try await foreign.limit() == .violated)
        bench.clock.advance(hours: 24 * 400)
        #expect(try await foreign.limit() == .violated)
        #expect(try await foreign.states("100") == [.redeemed])
        // It is the other account's use as well, and no customers are merged.
        #expect(try await foreign.limit("900") == .violated)
        #expect(try await bench.database.read { try $0.rows(Statement("SELECT 1 FROM customer_merge")).count } == 0)
    }

    @Test(
        "one delivery with the owner's use of one offer and the other account's use of another counts both (invariant 2)"
    )
    func together() async throws {
        let bench = try await Workbench()
        let (own, foreign) = (ForeignUse(bench: bench), ForeignUse(bench: bench, offer: "twice", identifier: "twice10"))
        // The owner is the older customer.
        for customer in ["100", "900"] { try await bench.deliver(try bench.shop.delivery(.lapsed, customer)) }
        for use in [own, foreign] { _ = try await bench.granted(try use.order()) }
        bench.clock.advance(hours: 1)
        let bought = try bench.shop.redemption(
            of: own.identifier, "100900", like: try bench.shop.delivery(.lapsed, "100").signedTransactions[0],
            at: bench.clock.now)
        // The data of two customers is kept, although one request cannot be about both.
        let used = try foreign.use(at: bench.clock.now)
        await #expect(throws: RequestError.self) { try await own.deliver(bought, used) }
        try await bench.checkLedger()
        #expect(try await own.states("100") == [.redeemed, .redeemed])
        #expect(try await own.limit() == .violated)
    }

    @Test("both pages tell of it")
    func pages() async throws {
        let foreign = try await Self.started()
        let issued = try await foreign.bench.useCases.customers.story(named("100"), caller: Workbench.client)
            .issuedOffers[0].id
        try await foreign.deliver(try foreign.use(at: foreign.bench.clock.now))
        #expect(
            try await foreign.told("100") == [
                "the offer `comeback` was redeemed (issued offer \(issued); by another customer, with the "
                    + "`appAccountToken` it was signed for)"
            ])
        #expect(
            try await foreign.told("900") == [
                "the offer `comeback50` was redeemed (issued offer \(issued); issued to another customer)"
            ])
    }

    @Test("the same signed data in any order and repeated leads to the same (invariant 7)", arguments: 0..<12)
    func anyOrder(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let foreign = ForeignUse(bench: try await Workbench())
        let bench = foreign.bench
        _ = try await bench.granted(try foreign.order())
        bench.clock.advance(hours: 1)
        let use = try foreign.use(at: bench.clock.now) { $0["offerPeriod"] = "P3M" }
        let renewal = try foreign.use("900901", at: bench.clock.now.adding(months: 1)) {
            $0["transactionReason"] = "RENEWAL"
            $0["offerPeriod"] = "P3M"
        }
        bench.clock.advance(hours: 24 * 60)
        let own = try bench.shop.delivery(.subscriber, "100", token: ForeignUse.token).pieces
        var pieces = try foreign.account().pieces + own
        pieces += [use, renewal, use].map { SignedDelivery(signedTransactions: [$0]) }
        pieces.shuffle(using: &generator)
        for piece in pieces { try await bench.deliver(piece) }
        #expect(try await foreign.states("100") == [.redeemed], "seed \(seed)")
        #expect(try await foreign.limit() == .violated, "seed \(seed)")
        let rows = try await bench.database.read { transaction in
            try transaction.rows(
                Statement(
                    """
                    SELECT o.redemptions || ' ' || o.places || ' ' || (SELECT COUNT(*) FROM redemption) || ' '
                        || COALESCE(o.full_price_transaction_id, '-')
                    FROM issued_offer o
                    """)
            ).map { try $0.value(0, as: String.self) }
        }
        #expect(rows == ["1 1 1 -"], "seed \(seed)")
    }

    @Test("one that waits for the next renewal is found by renewal info of days later, and by the renewal alone")
    func waiting() async throws {
        for byRenewal in [true, false] {
            let foreign = ForeignUse(bench: try await Workbench())
            let bench = foreign.bench
            let account = try foreign.account(.subscriber)
            try await bench.deliver(account)
            _ = try await bench.granted(try foreign.order())
            bench.clock.advance(hours: 24 * (byRenewal ? 25 : 3))
            if byRenewal {
                try await foreign.deliver(
                    try foreign.use(at: bench.clock.now) { $0["transactionReason"] = "RENEWAL" })
            } else {
                let now = bench.clock.now.milliseconds
                let info = try bench.shop.edited(try #require(account.signedRenewalInfo.first)) { payload in
                    payload["signedDate"] = now
                    payload["offerType"] = 2
                    payload["offerIdentifier"] = "comeback50"
                    payload["appAccountToken"] = ForeignUse.token.map(\.description)
                }
                try await bench.deliver(SignedDelivery(signedRenewalInfo: [info]))
            }
            #expect(try await foreign.states("100") == [.redeemed], "by renewal: \(byRenewal)")
            #expect(try await foreign.limit() == .violated, "by renewal: \(byRenewal)")
        }
    }

    /// What is not the use of that signature.
    enum Other: CaseIterable {
        case token, noToken, product, offer, before, after, signedAsV2
    }

    @Test("a use that the signature cannot be behind leaves it alone", arguments: Other.allCases)
    func notTheirs(other: Other) async throws {
        var foreign = try await Self.started(other == .signedAsV2 ? [.v2] : [.v1])
        let bench = foreign.bench
        let start = Workbench.start
        if other == .offer { foreign.identifier = "twice10" }
        let at =
            switch other {
            case .before: start.adding(milliseconds: -1)
            case .after: start.adding(milliseconds: 25 * Instant.Duration.hour)
            default: start.adding(milliseconds: Instant.Duration.hour)
            }
        let token =
            switch other {
            case .token: ForeignUse.otherToken
            case .noToken: AppAccountToken?.none
            default: ForeignUse.token
            }
        bench.clock.advance(hours: 30)
        try await foreign.deliver(
            try foreign.use(at: at, token: token) { if other == .product { $0["productId"] = "yearly" } })
        #expect(try await foreign.states("100") == [.expired], "\(other)")
    }

    @Test("an imported use without Apple's signature takes nothing from another customer (invariant 6)")
    func unproven() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        let jws = try foreign.use(at: bench.clock.now)
        let payload = try Self.payload(jws)
        _ = try await bench.write { transaction, scope in
            try HistoryStore(transaction).ingest([payload], at: bench.clock.now, in: scope)
        }
        bench.clock.advance(hours: 30)
        #expect(try await foreign.states("100") == [.expired])
    }

    private static func payload(_ jws: String) throws -> HistoryPayload {
        var transaction = Transaction(
            transactionId: "900900", originalTransactionId: "900", bundleId: "com.example.pro", productId: "monthly",
            purchaseDate: Workbench.start.adding(milliseconds: Instant.Duration.hour),
            signedDate: Workbench.start.adding(milliseconds: Instant.Duration.hour))
        transaction.subscriptionGroupIdentifier = "21500001"
        transaction.type = .autoRenewableSubscription
        transaction.offerType = .promotional
        transaction.offerIdentifier = "comeback50"
        transaction.appAccountToken = ForeignUse.token
        return HistoryPayload(.transaction(transaction), bytes: Array(jws.utf8), provenance: .operator)
    }

    @Test("the customer's own issued offer comes first; a dead one of theirs hides nothing")
    func ownIssuedOffer() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        // The other account's own offer, in V2.
        _ = try await bench.granted(.of("comeback", try foreign.account()))
        bench.clock.advance(hours: 1)
        try await foreign.deliver(try foreign.use(at: bench.clock.now))
        #expect(try await foreign.states("100") == [.open])
        #expect(try await foreign.states("900") == [.redeemed])
        // Months later it is redeemed again, with the other customer's new signature.
        bench.clock.advance(hours: 24 * 100)
        bench.tolerateOverrun()
        let second = try await bench.granted(try foreign.order())
        bench.clock.advance(hours: 1)
        try await foreign.deliver(try foreign.use("900901", at: bench.clock.now))
        let story = try await bench.useCases.customers.story(named("100"), caller: Workbench.client)
        #expect(story.issuedOffers.first { $0.id == second.offer.id }?.state == .redeemed)
        #expect(try await foreign.limit() == .violated)
    }

    @Test("attack: another account that has an offer of its own uses both, the other customer's first (invariant 2)")
    func ownOfferKept() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        let own = IssueRequest(
            offerId: "comeback",
            customer: CustomerIdentifiers(originalTransactionId: "900", appAccountToken: ForeignUse.otherToken),
            formats: [.v1], delivery: try foreign.account())
        _ = try await bench.granted(own)
        bench.clock.advance(hours: 1)
        try await foreign.deliver(try foreign.use(at: bench.clock.now))
        #expect(try await foreign.states("100") == [.redeemed])
        bench.clock.advance(hours: 1)
        try await foreign.deliver(try foreign.use("900901", at: bench.clock.now, token: ForeignUse.otherToken))
        #expect(try await foreign.states("100") == [.redeemed])
        #expect(try await foreign.states("900") == [.redeemed])
        #expect(try await foreign.limit() == .violated)
    }

    @Test("evidence that newer data takes back frees the offer again")
    func takenBack() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        let use = try foreign.use(at: bench.clock.now)
        try await foreign.deliver(use)
        bench.clock.advance(hours: 30)
        let now = bench.clock.now.milliseconds
        #expect(try await foreign.limit() == .violated)
        try await foreign.deliver(
            try bench.shop.edited(use) { payload in
                payload["signedDate"] = now
                payload["offerType"] = nil
                payload["offerIdentifier"] = nil
            })
        #expect(try await foreign.states("100") == [.expired])
        #expect(try await foreign.limit() == .satisfied)
    }

    @Test("a merge of both counts it once", arguments: [true, false])
    func merged(beforeUse: Bool) async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        let use = SignedDelivery(signedTransactions: [try foreign.use(at: bench.clock.now)])
        let account = try bench.shop.edited(try #require(try foreign.account().signedTransactions.first)) {
            $0["appTransactionId"] = "app-100"
        }
        let deliveries = [use, SignedDelivery(signedTransactions: [account])]
        // Before they are merged the two Apple Accounts of the data are told apart.
        for delivery in beforeUse ? deliveries.reversed() : deliveries {
            _ = try? await bench.deliver(delivery)
        }
        bench.clock.advance(hours: 30)
        #expect(try await foreign.limit() == .violated)
        let counted = try await bench.database.read { try Recount.stored($0) }
        #expect(counted.amounts["comeback places"] == 1)
        #expect(counted.unmatched == [:])
    }

    @Test("an erasure of either leaves it counted", arguments: ["100", "900"], [true, false])
    func erased(who: String, comesBack: Bool) async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let foreign = ForeignUse(bench: bench)
        try await bench.deliver(try foreign.account())
        _ = try await bench.granted(try foreign.order())
        bench.clock.advance(hours: 1)
        let use = try foreign.use(at: bench.clock.now)
        try await foreign.deliver(use)
        bench.clock.advance(hours: 30)
        try await erasing.erase(named(who))
        if comesBack {
            if who == "900" { try await erasing.deliver(SignedDelivery(signedTransactions: [use])) }
            // The other side's data comes again, too, which has their redemptions recorded again.
            try await erasing.deliver(try bench.shop.delivery(.lapsed, "900"))
        }
        try await erasing.deliver(try bench.shop.delivery(.lapsed, "100"))
        let answer = try await erasing.useCases.decisions.decide(
            Inquiry(customer: named("100"), offerIds: ["comeback"]), caller: Workbench.support)
        #expect(answer.decisions.first?.decision[.limitCustomer]?.verdict == .violated)
        try await erasing.verify()
    }

    @Test("after an erasure of the owner the other's data is taken in, also if the first signing names no account")
    func erasedAfterSigningForNobody() async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let foreign = ForeignUse(bench: bench)
        try await bench.deliver(try foreign.account())
        var order = try foreign.order()
        order.customer.appAccountToken = nil
        _ = try await bench.granted(order)
        _ = try await bench.granted(try foreign.order())
        #expect(try await bench.count("signing") == 1)
        bench.clock.advance(hours: 1)
        let use = try foreign.use(at: bench.clock.now)
        try await foreign.deliver(use)
        try await erasing.erase(named("100"))
        bench.clock.advance(hours: 1)
        // Signed again under the same account, so that what it used is looked for again.
        let later = try bench.shop.edited(use) { payload in
            payload["signedDate"] = bench.clock.now.milliseconds
            payload["price"] = 1_990
        }
        try await erasing.deliver(SignedDelivery(signedTransactions: [later]))
        let redeemed = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT redemptions FROM issued_offer")).map {
                try $0.value(0, as: Int.self)
            }
        }
        #expect(redeemed == [1])
        try await erasing.verify()
    }

    @Test("a later decision that has seen it is replayed without a difference (invariant 5), and the past without it")
    func replayed() async throws {
        let foreign = ForeignUse(bench: try await Workbench(), offer: "twice", identifier: "twice10")
        let bench = foreign.bench
        try await bench.deliver(try foreign.account())
        _ = try await bench.granted(try foreign.order())
        bench.clock.advance(hours: 1)
        let usedAt = bench.clock.now
        try await foreign.deliver(try foreign.use(at: usedAt))
        bench.clock.advance(hours: 48)
        let second = try await bench.granted(try foreign.order())
        #expect(second.isNew)
        let replay = try await bench.useCases.replay.replay(
            second.offer.id, catalogRevision: nil, caller: Workbench.caller(.support))
        #expect(replay.differences.isEmpty)
        #expect(replay.recomputed[.limitCustomer]?.message?.hasPrefix("used once (limit: twice") == true)
        let before = try await bench.useCases.decisions.decide(
            Inquiry(
                customer: named("100"), offerIds: ["twice"],
                asOf: usedAt.adding(milliseconds: 30 * Instant.Duration.hour)),
            caller: Workbench.caller(.support))
        #expect(before.decisions.first?.decision[.limitCustomer]?.message.hasPrefix("used once (limit: twice") == true)
        let verification = LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil)
        _ = try await bench.database.read { try verification.verify($0) }
    }

    @Test("a decision in progress about the customer sees that something has changed (invariant 2)")
    func version() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        func version() async throws -> [Int64] {
            try await bench.database.read { transaction in
                try transaction.rows(
                    Statement(
                        """
                        SELECT c.version FROM customer c JOIN customer_identifier i ON i.customer_id = c.id
                        WHERE i.value = '100'
                        """)
                ).map { try $0.value(0) }
            }
        }
        let before = try await version()
        try await foreign.deliver(try foreign.use(at: bench.clock.now))
        #expect(try await version() != before)
    }

    @Test("the funnel counts it as redeemed, by another, and not as a use without an issued offer")
    func funnel() async throws {
        let foreign = try await Self.started()
        let bench = foreign.bench
        try await foreign.deliver(try foreign.use(at: bench.clock.now))
        // The other account is of the cohort, too, and is refused because of its use.
        let evaluated = try await bench.refused(IssueRequest(offerId: "comeback", customer: named("900")))
        #expect(evaluated.decision.obstacles.contains(.limitCustomer))
        bench.clock.advance(hours: 24)
        let report = try await bench.useCases.reports.funnel(
            of: "comeback", from: Workbench.start, caller: Workbench.marketing)
        let funnel = try #require(report.offers.first)
        #expect(funnel.stages.evaluated == 2)
        #expect(funnel.stages.redeemed == 1)
        #expect(funnel.redemptions.redeemedByAnother == 1)
        #expect(funnel.redemptions.redeemedWithoutSlot == 0)
        #expect(funnel.redemptions.inOffer == 0)
    }
}
