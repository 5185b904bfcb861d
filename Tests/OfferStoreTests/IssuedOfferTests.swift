import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Issued offers")
struct IssuedOfferTests {
    private func insert(_ issuedOffer: IssuedOffer, for customer: CustomerNumber, _ bench: Bench) async throws {
        let scope = bench.scope
        try await bench.database.write {
            try IssuedOfferStore($0).insert(
                issuedOffer, catalogRevision: 3, for: customer, subject: [customer], in: scope)
        }
    }

    private func issuedOffers(_ customer: CustomerNumber, _ bench: Bench) async throws -> [IssuedOffer] {
        try await bench.database.read { try IssuedOfferStore($0).issuedOffers(of: [customer]) }
    }

    @Test("an issued offer comes back as it was stored", arguments: Driver.allCases)
    func roundTrip(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        var introductory = IssuedOffer.fixture(2, offer: "trial")
        introductory.offerIdentifier = nil
        introductory.offerType = .introductory
        introductory.delivery = .introductoryEligibility
        introductory.tags = []
        try await insert(.fixture(1), for: customer, bench)
        try await insert(introductory, for: customer, bench)
        #expect(try await issuedOffers(customer, bench) == [.fixture(1), introductory])
        let (scope, other) = (bench.scope, bench.other)
        let issued = try await bench.database.read { try IssuedOfferStore($0).issuedOffer(.number(1), in: scope) }
        #expect(issued?.issuedOffer == .fixture(1))
        #expect(issued?.customer == customer)
        #expect(issued?.catalogRevision == 3)
        #expect(try await bench.database.read { try IssuedOfferStore($0).issuedOffer(.number(1), in: other) } == nil)
    }

    @Test(
        "200 writers at once get one open issued offer for one customer and offer (invariant 2)",
        arguments: Driver.allCases)
    func race(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let won = try await Self.race(on: [bench.database], bench)
        #expect(won == 1)
    }

    @Test("200 writers through two databases on one file get one open issued offer (invariant 2)")
    func raceOfTwo() async throws {
        let bench = try await Bench(.file)
        let won = try await Self.race(on: [bench.database, try bench.reopened()], bench)
        #expect(won == 1)
    }

    private static func race(on databases: [any StoreDatabase], _ bench: Bench) async throws -> Int {
        let customer = try await bench.customer()
        let scope = bench.scope
        let won = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                let database = databases[number % databases.count]
                group.addTask {
                    do {
                        try await database.write {
                            try IssuedOfferStore($0).insert(
                                .fixture(number), catalogRevision: 1, for: customer, subject: [customer], in: scope)
                        }
                        return 1
                    } catch {
                        #expect(
                            error as? StoreError == .constraint("index 'issued_offer_customer'"))
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        let stored = try await bench.database.read { try IssuedOfferStore($0).issuedOffers(of: [customer]).count }
        #expect(stored == won)
        return won
    }

    @Test(
        "the next issued offer may be issued from the instant the last stops counting, not before (invariant 2)",
        arguments: Driver.allCases)
    func settlement(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let first = IssuedOffer.fixture(1)
        try await insert(first, for: customer, bench)
        await #expect(throws: StoreError.self) {
            try await insert(.fixture(2, issued: first.countsUntil.adding(milliseconds: -1)), for: customer, bench)
        }
        try await insert(.fixture(3, issued: first.countsUntil), for: customer, bench)
        #expect(try await issuedOffers(customer, bench).map(\.id) == [.number(1), .number(3)])
    }

    @Test(
        "a settled issued offer makes place for the next, takes no signing and says when; others stay",
        arguments: Driver.allCases)
    func settle(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (scope, other) = (bench.scope, bench.other)
        let customer = try await bench.customer()
        let (first, second) = (Bench.now.adding(milliseconds: 7), Bench.now.adding(milliseconds: 9))
        for issuedOffer in [IssuedOffer.fixture(1), .fixture(2, offer: "voided"), .fixture(3, offer: "other")] {
            try await insert(issuedOffer, for: customer, bench)
        }
        let signing = try await bench.database.write { transaction in
            let issuedOffers = IssuedOfferStore(transaction)
            _ = try issuedOffers.void(.number(2), reason: "r", release: false, at: Bench.now, in: scope)
            try issuedOffers.settle([.number(1), .number(2), .number(99)], at: first, in: scope)
            try issuedOffers.settle([.number(1)], at: second, in: scope)
            try issuedOffers.settle([.number(3)], at: first, in: other)
            #expect(try issuedOffers.void(.number(1), reason: "r", release: true, at: second, in: scope) == false)
            return try issuedOffers.addSigning(
                to: .number(1), expiresAt: first, countsUntil: first, at: first, subject: [customer], in: scope)
        }
        #expect(signing == nil)
        #expect(try await issuedOffers(customer, bench).map(\.settledAt) == [first, nil, nil])
        try await insert(.fixture(4, issued: first), for: customer, bench)
        await #expect(throws: StoreError.self) {
            try await insert(.fixture(5, offer: "other", issued: first), for: customer, bench)
        }
    }

    @Test(
        "an issued offer whose redemption was settled is open to nobody, even when that redemption matches it no longer",
        arguments: Driver.allCases)
    func settledThenUnmatched(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let customer = try await bench.customer()
        let issuedOffer = IssuedOffer.fixture(1)
        try await insert(issuedOffer, for: customer, bench)
        let redeemed = { (evidence: Int64) in
            let purchased = Bench.now.adding(milliseconds: evidence)
            return Transaction.fixture("2000", purchased: purchased) {
                $0.offerType = .promotional
                $0.offerIdentifier = "comeback50"
            }
        }
        let offer = Offer(
            id: "comeback", type: .promotional, delivery: .signature, offerIdentifier: "comeback50",
            products: ["com.example.pro.monthly"], paymentMode: .payAsYouGo, period: Period(months: 1),
            periodCount: 1, limits: [])
        let facts = { (evidence: Int64) in
            let row = Recorded(payload: redeemed(evidence), payloadBytes: [], provenance: .client, sequence: 1)
            let issuedOffers = try await issuedOffers(customer, bench)
            return SubjectFacts(history: History(transactions: [row]), issuedOffers: issuedOffers)
        }
        let now = Bench.now.adding(milliseconds: 50)
        let matched = try await facts(10).redemptions(of: [offer]).compactMap(\.issuedOfferId)
        #expect(matched == [issuedOffer.id])
        try await bench.database.write { try IssuedOfferStore($0).settle(matched, at: now, in: scope) }
        let unmatched = try await facts(-10)
        #expect(unmatched.redemptions(of: [offer]).map(\.issuedOfferId) == [nil])
        #expect(unmatched.openIssuedOffer(of: offer, at: now) == nil)
        let stored = try #require(unmatched.issuedOffers.first)
        #expect(stored.state(at: now, redemptions: unmatched.redemptions()) == .redeemed)
        #expect(stored.state(at: issuedOffer.countsUntil, redemptions: unmatched.redemptions()) == .expired)
    }

    @Test(
        "one more signing raises the count and the end of an open issued offer, and never shortens it",
        arguments: Driver.allCases)
    func signings(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let issuedOffer = IssuedOffer.fixture(1)
        try await insert(issuedOffer, for: customer, bench)
        let scope = bench.scope
        let sign = { (expires: Int64, counts: Int64, now: Instant) in
            try await bench.database.write {
                try IssuedOfferStore($0).addSigning(
                    to: issuedOffer.id, expiresAt: issuedOffer.expiresAt.adding(milliseconds: expires),
                    countsUntil: issuedOffer.countsUntil.adding(milliseconds: counts), at: now, subject: [customer],
                    in: scope)
            }
        }
        #expect(try await sign(1_000, 1_000, Bench.now) == 2)
        #expect(try await sign(-9_000, -9_000, Bench.now) == 3)
        let stored = try await issuedOffers(customer, bench).first
        #expect(stored?.signings == 3)
        #expect(stored?.expiresAt == issuedOffer.expiresAt.adding(milliseconds: 1_000))
        #expect(stored?.countsUntil == issuedOffer.countsUntil.adding(milliseconds: 1_000))
        #expect(try await sign(0, 0, issuedOffer.countsUntil.adding(milliseconds: 1_000)) == nil)
    }

    @Test(
        "a voided issued offer takes no more signings; only a released one is marked free", arguments: Driver.allCases)
    func void(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        try await insert(.fixture(1), for: customer, bench)
        let scope = bench.scope
        let void = { (release: Bool) in
            try await bench.database.write {
                try IssuedOfferStore($0).void(
                    .number(1), reason: "asked twice", release: release, at: Bench.now, in: scope)
            }
        }
        #expect(try await void(false))
        #expect(try await void(true) == false)
        let issued = try await bench.database.read { try IssuedOfferStore($0).issuedOffer(.number(1), in: scope) }
        #expect(issued?.issuedOffer.voidedAt == Bench.now)
        #expect(issued?.issuedOffer.isReleased == false)
        #expect(issued?.voidReason == "asked twice")
        let signing = try await bench.database.write {
            try IssuedOfferStore($0).addSigning(
                to: .number(1), expiresAt: Bench.now, countsUntil: Bench.now, at: Bench.now, subject: [], in: scope)
        }
        #expect(signing == nil)
    }

    @Test(
        "of two open issued offers for one offer met by a merge the newer is voided without release",
        arguments: Driver.allCases
    )
    func mergedIssuedOffers(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let first = try await bench.customer("1")
        let second = try await bench.customer("2")
        let later = Bench.now.adding(milliseconds: 5)
        try await insert(.fixture(1, issued: later), for: first, bench)
        try await insert(.fixture(2), for: second, bench)
        try await insert(.fixture(3, offer: "other"), for: second, bench)
        try await bench.ingest(
            [.bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A")], at: later)
        let merged = try await issuedOffers(first, bench)
        #expect(Set(merged.map(\.id)) == [.number(1), .number(2), .number(3)])
        let voided = merged.filter { $0.voidedAt != nil }
        #expect(voided.map(\.id) == [.number(1)])
        #expect(voided.map(\.isReleased) == [false])
        #expect(try await issuedOffers(second, bench).isEmpty)
    }

    @Test(
        "every new issued offer, signing and void moves the version of the whole subject (invariant 2)",
        arguments: Driver.allCases)
    func version(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        let scope = bench.scope
        var seen = Set<SubjectVersion>()
        let note = { try await bench.database.read { try CustomerStore($0).version(of: [second]) } }
        seen.insert(try await note())
        try await bench.database.write {
            try IssuedOfferStore($0).insert(
                .fixture(1), catalogRevision: 1, for: first, subject: [first, second], in: scope)
        }
        seen.insert(try await note())
        _ = try await bench.database.write {
            try IssuedOfferStore($0).addSigning(
                to: .number(1), expiresAt: Bench.now, countsUntil: Bench.now, at: Bench.now,
                subject: [first, second], in: scope)
        }
        seen.insert(try await note())
        #expect(seen.count == 3)
        let ofOwner = { try await bench.database.read { try CustomerStore($0).version(of: [first]) } }
        let before = try await ofOwner()
        let isVoided = try await bench.database.write {
            try IssuedOfferStore($0).void(
                .number(1), reason: "mistake", release: false, at: Bench.now, in: scope)
        }
        #expect(isVoided)
        #expect(try await ofOwner() != before)
    }

    @Test(
        "pages go from the newest to the oldest without gaps or repeats, by customer and by offer",
        arguments: Driver.allCases)
    func pages(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        for number in 0..<9 {
            let issuedOffer = IssuedOffer.fixture(number, offer: OfferId("offer-\(number / 2)"))
            try await insert(issuedOffer, for: number % 2 == 0 ? first : second, bench)
        }
        let (scope, other) = (bench.scope, bench.other)
        let pages = { (customers: [CustomerNumber]?, offer: OfferId?) in
            try await bench.database.read { transaction in
                var ids = [LowercaseUUID]()
                var cursor: Int64?
                while true {
                    let page = try IssuedOfferStore(transaction).page(
                        of: customers, offer: offer, descending: true, after: cursor, limit: 2, in: scope)
                    guard let last = page.last else { return ids }
                    ids += page.map(\.issuedOffer.id)
                    cursor = last.sequence
                }
            }
        }
        #expect(try await pages(nil, nil) == (0..<9).reversed().map { .number($0) })
        #expect(try await pages([first], nil) == [8, 6, 4, 2, 0].map { .number($0) })
        #expect(try await pages([first, second], "offer-1") == [3, 2].map { .number($0) })
        #expect(try await pages(nil, "offer-4") == [.number(8)])
        #expect(try await pages([], nil).isEmpty)
        let elsewhere = try await bench.database.read {
            try IssuedOfferStore($0).page(of: nil, offer: nil, descending: true, after: nil, limit: 9, in: other)
        }
        #expect(elsewhere.isEmpty)
        let frozen = try await bench.database.read { try IssuedOfferStore($0).firstIssued(of: "offer-1", in: scope) }
        #expect(frozen?.issuedOffer.id == .number(2))
    }
}
