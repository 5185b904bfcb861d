import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Who the customer is")
struct SubjectTests {
    private let oldAccount = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
    private let newAccount = AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b")

    private func isAmbiguous(_ error: any Error) -> Bool {
        guard case RequestError.ambiguousCustomer = error else { return false }
        return true
    }

    @Test("a new sign-up with the old Apple Account gets the open issued offer again and no second use (invariant 2)")
    func newSignUp() async throws {
        let bench = try await Workbench()
        let old = try await bench.granted(
            IssueRequest(
                offerId: "comeback", customer: CustomerIdentifiers(appAccountToken: oldAccount),
                delivery: try bench.shop.delivery(.lapsed, "100", token: oldAccount))
        ).offer
        let again = IssueRequest(
            offerId: "comeback", customer: CustomerIdentifiers(appAccountToken: newAccount, customerId: "second life"),
            delivery: try bench.shop.delivery(.lapsed, "100", token: newAccount))
        #expect(try await bench.granted(again).offer.id == old.id)
        #expect(try await bench.count("customer") == 1)
        #expect(try await bench.count("issued_offer") == 1)
        // After its use, the alias alone does not open a new life either.
        bench.clock.advance(hours: 1)
        let jws = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(again.delivery.signedTransactions.first),
            at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [jws]))
        bench.clock.advance(hours: 24 * 40)
        let refusal = try await bench.refused(
            IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(customerId: "second life")))
        #expect(refusal.decision.obstacles.contains(.limitCustomer))
    }

    @Test("two different Apple Accounts under one alias are ambiguous; the signed data of one of them is not")
    func twoAccounts() async throws {
        let bench = try await Workbench()
        let aliases = CustomerIdentifiers(customerId: "family")
        let first = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(first, aliases: aliases)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "200"), aliases: aliases)
        await #expect {
            try await bench.ask(IssueRequest(offerId: "comeback", customer: aliases))
        } throws: { self.isAmbiguous($0) }
        await #expect {
            try await bench.dryRun(aliases, "comeback")
        } throws: { self.isAmbiguous($0) }
        let issued = try await bench.granted(IssueRequest(offerId: "comeback", customer: aliases, delivery: first))
        #expect(issued.isNew)
        let second = try await bench.granted(
            IssueRequest(
                offerId: "comeback", customer: CustomerIdentifiers(originalTransactionId: "200", customerId: "family")))
        #expect(second.offer.id != issued.offer.id)
    }

    @Test("a stated proven identifier that names another customer is ambiguous, and the signed data is kept")
    func statedElsewhere() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let order = IssueRequest(
            offerId: "comeback", customer: named("100"), delivery: try bench.shop.delivery(.lapsed, "200"))
        await #expect {
            try await bench.ask(order)
        } throws: { self.isAmbiguous($0) }
        #expect(try await bench.count("customer") == 2)
        #expect(try await bench.count("issued_offer") == 0)
        await #expect {
            try await bench.ask(
                IssueRequest(
                    offerId: "comeback",
                    customer: CustomerIdentifiers(originalTransactionId: "100", appTransactionId: "app-200")))
        } throws: { self.isAmbiguous($0) }
    }

    @Test(
        "customers of one alias without different accounts are decided together: one issued offer, limits united (invariant 2)"
    )
    func united() async throws {
        let bench = try await Workbench()
        let aliases = CustomerIdentifiers(customerId: "somebody")
        for id in ["100", "200"] {
            var delivery = try bench.shop.delivery(.lapsed, id)
            delivery.signedTransactions = try delivery.signedTransactions.map { jws in
                try bench.shop.edited(jws) { $0["appTransactionId"] = nil }
            }
            delivery.signedRenewalInfo = []
            try await bench.deliver(delivery, aliases: aliases)
        }
        #expect(try await bench.count("customer") == 2)
        let first = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100")))
        let second = try await bench.granted(IssueRequest(offerId: "comeback", customer: aliases))
        #expect(second.offer.id == first.offer.id)
        #expect(try await bench.count("issued_offer") == 1)
    }

    @Test("an issued offer of two customers decided together belongs to the one whose transaction is signed")
    func owner() async throws {
        let bench = try await Workbench()
        let aliases = CustomerIdentifiers(customerId: "somebody")
        for id in ["100", "200"] { try await bench.deliver(try bench.shop.anonymous(id), aliases: aliases) }
        let issuedOffer = try await bench.granted(IssueRequest(offerId: "comeback", customer: aliases)).offer.id
        let (owner, issued) = try await bench.write { transaction, scope in
            (
                try CustomerStore(transaction).customer(.originalTransactionId("200"), in: scope),
                try IssuedOfferStore(transaction).issuedOffer(issuedOffer, in: scope)
            )
        }
        #expect(owner != nil)
        #expect(issued?.customer == owner)
    }

    @Test("a subscription that only an operator stated is not signed, however new it is (invariant 6)")
    func statedTransaction() async throws {
        let bench = try await Workbench()
        let family = CustomerIdentifiers(customerId: "family")
        try await bench.deliver(try bench.shop.anonymous("100"), aliases: family)
        let now = bench.clock.now
        let stated = HistoryPayload(
            .transaction(.fixture("101", purchased: now.adding(milliseconds: -1), signed: now)), bytes: [1],
            provenance: .operator)
        try await bench.write { transaction, scope in
            let customer = try HistoryStore(transaction).ingest([stated], at: now, in: scope).first?.customer
            try CustomerStore(transaction).state(
                [.customerId("family")], of: [customer].compactMap(\.self), at: now, in: scope)
        }
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: family))
        let signed = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT transaction_id FROM signature")).map {
                try $0.value(0, as: String.self)
            }
        }
        #expect(signed == ["100"])
    }

    @Test("an issued offer whose use the other of two customers shows makes room for the next (invariant 2)")
    func redeemedByOther() async throws {
        let bench = try await Workbench()
        let (first, other) = (try bench.shop.anonymous("100"), try bench.shop.anonymous("200"))
        let issuedOffer = try await bench.granted(.of("twice", first)).offer.id
        bench.clock.advance(hours: 1)
        // Refunded, so that the offer does not run; the issued offer has not passed yet.
        let use = try bench.shop.redemption(
            of: "twice10", "200900", like: try #require(other.signedTransactions.first), at: bench.clock.now,
            refundedAt: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        let order = IssueRequest(
            offerId: "twice", customer: named("100"),
            delivery: SignedDelivery(signedTransactions: first.signedTransactions + [use]))
        let next = try await bench.granted(order)
        #expect(next.isNew && next.offer.id != issuedOffer)
        #expect(try await bench.count("issued_offer") == 2)
    }

    @Test("more than 16 customers under one alias are ambiguous")
    func tooMany() async throws {
        let bench = try await Workbench()
        let aliases = CustomerIdentifiers(customerId: "reseller")
        for number in 0..<17 {
            let jws = try #require(try bench.shop.delivery(.lapsed, "\(1_000 + number)").signedTransactions.first)
            let anonymous = try bench.shop.edited(jws) { $0["appTransactionId"] = nil }
            try await bench.deliver(SignedDelivery(signedTransactions: [anonymous]), aliases: aliases)
            if number == 15 { #expect(try await bench.dryRun(aliases, "comeback").outcome == .eligible) }
        }
        await #expect {
            try await bench.dryRun(aliases, "comeback")
        } throws: { self.isAmbiguous($0) }
    }

    @Test("aliases of a request are attached to whom it proves, and find them afterwards")
    func attached() async throws {
        let bench = try await Workbench()
        let aliases = CustomerIdentifiers(appAccountToken: newAccount, customerId: "somebody")
        let delivery = try bench.shop.delivery(.lapsed, "100", token: oldAccount)
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: aliases, delivery: delivery))
        let story = try await bench.useCases.customers.story(
            CustomerIdentifiers(customerId: "somebody"), caller: Workbench.client)
        #expect(
            story.identified == [
                KnownIdentifiers { known in
                    (known.originalTransactionIds, known.appTransactionId) = (["100"], "app-100")
                    known.appAccountTokens = [oldAccount, newAccount].compactMap(\.self)
                    known.customerIds = ["somebody"]
                }
            ])
    }

    @Test(
        "somebody known by an alias only and vouched for has a complete empty history, and still no signature (invariant 3)"
    )
    func aliasOnly() async throws {
        let bench = try await Workbench()
        let somebody = CustomerIdentifiers(customerId: "somebody")
        try await bench.deliver(SignedDelivery(historyComplete: true), aliases: somebody)
        #expect(
            try await bench.refused(IssueRequest(offerId: "comeback", customer: somebody)).decision.outcome
                == .ineligible
        )
        let welcome = try await bench.refused(IssueRequest(offerId: "welcome", customer: somebody))
        #expect(welcome.decision.obstacles == [.introductoryTransactionKnown])
        // The first proof of who they are says nothing of how complete that account's history is.
        try await bench.deliver(try bench.shop.delivery(.newcomer, "100", complete: false), aliases: somebody)
        let proven = try await bench.dryRun(somebody, "welcome")
        #expect(proven.outcome == .undetermined)
        #expect(proven[.introductoryUnusedInGroup]?.reason == .historyIncomplete)
        #expect(proven[.introductoryTransactionKnown]?.verdict == .satisfied)
        #expect(try await bench.count("signature") == 0)
    }

    @Test(
        "two customers proven to be one keep the older open issued offer and no more places than before (invariant 2)")
    func merged() async throws {
        let bench = try await Workbench()
        var deliveries = [SignedDelivery]()
        for id in ["100", "200"] {
            var delivery = try bench.shop.delivery(.lapsed, id)
            delivery.signedTransactions = try delivery.signedTransactions.map { jws in
                try bench.shop.edited(jws) { $0["appTransactionId"] = nil }
            }
            delivery.signedRenewalInfo = []
            deliveries.append(delivery)
        }
        let first = try await bench.granted(.of("comeback", deliveries[0])).offer
        bench.clock.advance(milliseconds: 5)
        let second = try await bench.granted(.of("comeback", deliveries[1])).offer
        #expect(first.id != second.id)
        bench.tolerateOverrun()
        for delivery in deliveries {
            let proof = try bench.shop.edited(try #require(delivery.signedTransactions.first)) { payload in
                payload["appTransactionId"] = "app-100"
                payload["signedDate"] = Workbench.start.milliseconds + 1
            }
            try await bench.deliver(SignedDelivery(signedTransactions: [proof]))
        }
        let story = try await bench.useCases.customers.story(named("200"), caller: Workbench.client)
        #expect(story.issuedOffers.map(\.id) == [second.id, first.id])
        #expect(story.issuedOffers.map(\.state) == [.voided, .open])
        let refusal = try await bench.refused(IssueRequest(offerId: "comeback", customer: named("200")))
        #expect(refusal.decision.obstacles == [.limitCustomer])
    }

    @Test("support is told when nobody is known, and another environment's customers are nobody")
    func unknown() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let sandbox = Workbench.caller(.support, scope: Scope(bundleId: "com.example.pro", environment: .sandbox))
        for (id, caller) in [("1", Workbench.client), ("100", sandbox)] {
            await #expect {
                try await bench.useCases.customers.story(named(id), caller: caller)
            } throws: { error in
                guard case RequestError.unknownCustomer = error else { return false }
                return true
            }
        }
    }
}
