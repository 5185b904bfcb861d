import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Counters of limits that everyone shares")
struct CounterTests {
    private static let offer = Offer(
        id: "comeback", type: .promotional, delivery: .signature, offerIdentifier: "comeback50",
        products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
        limits: [])

    private static func issuedOffer(
        _ number: Int, offer: OfferId = "comeback", cost: Int64 = 9_990, issued: Instant = Bench.now
    ) -> IssuedOffer {
        var issuedOffer = IssuedOffer.fixture(number, offer: offer, issued: issued)
        issuedOffer.cost = Money(milliunits: cost, currency: "USD")
        return issuedOffer
    }

    /// Inserts an issued offer for a customer of its own, going around every rule.
    private static func insert(
        _ issuedOffer: IssuedOffer, _ caps: [CounterStore.Cap], _ bench: Bench, on database: (any StoreDatabase)? = nil
    ) async throws {
        let scope = bench.scope
        let customer = try await bench.customer(TransactionId("\(issuedOffer.id)"))
        try await (database ?? bench.database).write {
            try IssuedOfferStore($0).insert(
                issuedOffer, catalogRevision: 1, for: customer, subject: [customer], caps: caps, in: scope)
        }
    }

    private static func counters(_ bench: Bench, at now: Instant = Bench.now) async throws -> OfferCounters {
        let scope = bench.scope
        return try await bench.database.read {
            try CounterStore($0).counters(of: offer, in: "21500001", open: [], at: now, in: scope)
        }
    }

    @Test(
        "40 writers on two databases who ask no rule take no more places than the backstop allows (invariant 2)",
        arguments: [CounterStore.Cap(unit: .places, most: 7), .init(unit: .money("USD"), most: 7 * 9_990 + 5)])
    func backstop(cap: CounterStore.Cap) async throws {
        let bench = try await Bench(.file)
        let second = try bench.reopened()
        let won = await withTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try await Self.insert(
                            Self.issuedOffer(number), [cap], bench,
                            on: number.isMultiple(of: 2) ? bench.database : second)
                        return 1
                    } catch {
                        #expect(CounterStore.isCapReached(error), "\(error)")
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(won == 7)
        let stored = try await bench.database.read { try $0.rows(Statement("SELECT 1 FROM issued_offer")).count }
        #expect(stored == 7, "whoever is stopped leaves nothing behind")
        #expect(try await Self.counters(bench).places == 7)
        #expect(try await Self.counters(bench).spent == ["USD": 7 * 9_990])
        try second.close()
    }

    @Test("issued offers that have passed do not count for the backstop, settled or not", arguments: Driver.allCases)
    func backstopAfterEnd(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let one = [CounterStore.Cap(unit: .places, most: 1)]
        try await Self.insert(Self.issuedOffer(1), one, bench)
        let ends = Self.issuedOffer(1).countsUntil
        await #expect {
            try await Self.insert(Self.issuedOffer(2, issued: ends.adding(milliseconds: -1)), one, bench)
        } throws: {
            CounterStore.isCapReached($0)
        }
        try await Self.insert(Self.issuedOffer(3, issued: ends), one, bench)
        let counters = try await Self.counters(bench, at: ends)
        #expect(counters.places == 1 && counters.spent == ["USD": 9_990])
    }

    @Test("the counters of many offers read at once are those of each read alone", arguments: Driver.allCases)
    func manyAtOnce(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        var renamed = Self.offer
        renamed.formerly = ["once"]
        var introductory = Self.offer
        (introductory.id, introductory.type, introductory.delivery) = ("trial", .introductory, .introductoryEligibility)
        introductory.offerIdentifier = nil
        var unused = Self.offer
        (unused.id, unused.offerIdentifier) = ("unused", "unused50")
        var winBack = Self.offer
        (winBack.id, winBack.type, winBack.delivery) = ("back", .winBack, .appStore)
        winBack.offerIdentifier = "back50"
        // Another spelling of the same characters is another identifier.
        var accented = Self.offer
        (accented.id, accented.offerIdentifier) = ("accented", "cafe\u{301}50")
        let offers: [(offer: Offer, group: SubscriptionGroupId?)] = [
            (renamed, "21500001"), (introductory, "21500001"), (unused, "21500001"), (unused, nil),
            (winBack, "21500001"), (accented, "21500001"),
        ]
        for (number, offer, hours) in [(1, "comeback", 0), (2, "once", 1), (3, "once", 20), (4, "trial", 0)] {
            let issued = Bench.now.adding(milliseconds: Int64(hours) * Instant.Duration.hour)
            try await Self.insert(Self.issuedOffer(number, offer: OfferId(offer), issued: issued), [], bench)
        }
        try await bench.database.write { transaction in
            for (type, identifier, group, amount) in [
                (2, "comeback50", "21500001", 3), (2, "comeback50", "21500002", 5), (1, "", "21500001", 7),
                (1, "comeback50", "21500001", 9), (2, "another", "21500001", 11), (2, "unused50", "21500001", 0),
                (4, "back50", "21500001", 13), (3, "comeback50", "21500001", 17),
                (2, "caf\u{E9}50", "21500001", 21), (2, "cafe\u{301}50", "21500001", 23),
            ] {
                for (scope, amount) in [(scope, amount), (bench.other, 19)] {
                    try transaction.execute(
                        Statement(
                            "INSERT INTO redemption_counter VALUES (?1, ?2, ?3, ?4, 'com.example.pro.monthly', ?5)",
                            scope, type, identifier, group, amount))
                }
            }
            try transaction.execute(
                Statement("INSERT INTO offer_counter VALUES (?1, 'unused', 'places', 5)", bench.other))
        }
        // The latest first: what one question has read of a snapshot holds for earlier instants too.
        let instants = [100, 10, 0].map {
            Self.issuedOffer(1).countsUntil.adding(milliseconds: Int64($0) * Instant.Duration.hour)
        }
        let read = { @Sendable (store: CounterStore) in
            try instants.map { now in
                try offers.map { try store.counters(of: $0.offer, in: $0.group, open: [], at: now, in: scope) }
            }
        }
        let together = try await bench.database.read { [unused] transaction in
            let statements = RecordedStatements()
            let store = CounterStore(statements.recording(transaction))
            for _ in 0..<2 { try store.readAll(in: scope) }
            _ = try store.counters(of: unused, in: "21500001", open: [], at: Bench.now, in: scope)
            #expect(statements.total == 2, "a snapshot reads each table once")
            let other = try store.counters(of: unused, in: "21500001", open: [], at: Bench.now, in: bench.other)
            #expect(other.places == 5 && other.unmatched.values.reduce(0, +) == 19, "the other scope is read by itself")
            return try read(store)
        }
        #expect(together.map { $0.map(\.places) } == [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]])
        for counters in together {
            #expect(counters.map { $0.unmatched.values.reduce(0, +) } == [3, 7, 0, 0, 13, 23])
        }
        #expect(try await bench.database.read { try read(CounterStore($0)) } == together)
    }

    @Test(
        "two spellings of a product's id that Unicode takes for the same text are counted apart",
        arguments: [false, true])
    func spellings(together: Bool) async throws {
        let bench = try await Bench()
        let scope = bench.scope
        try await bench.database.write { transaction in
            for (product, amount) in [("caf\u{E9}", 3), ("cafe\u{301}", 4)] {
                let sql = "INSERT INTO redemption_counter VALUES (?1, 2, 'comeback50', '21500001', ?2, ?3)"
                try transaction.execute(Statement(sql, scope, product, amount))
            }
        }
        let counters = try await bench.database.read { transaction in
            let store = CounterStore(transaction)
            if together { try store.readAll(in: scope) }
            return try store.counters(of: Self.offer, in: "21500001", open: [], at: Bench.now, in: scope)
        }
        #expect(counters.unmatched == ["caf\u{E9}": 3, "cafe\u{301}": 4])
    }

    @Test(
        "after reading all counters fails, those of one offer are still read as they are",
        .onSQLite("PostgreSQL keeps no text that is not UTF-8"),
        arguments: [
            "INSERT INTO offer_counter VALUES (?1, 'a' || CAST(x'FF' AS TEXT), 'places', 1)",
            "INSERT INTO redemption_counter VALUES (?1, 2, 'a' || CAST(x'FF' AS TEXT), '21500001', 'monthly', 1)",
        ])
    func unreadable(row: String) async throws {
        let bench = try await Bench()
        let scope = bench.scope
        try await Self.insert(Self.issuedOffer(1), [], bench)
        try await bench.database.write { transaction in
            for sql in [row, "INSERT INTO redemption_counter VALUES (?1, 2, 'comeback50', '21500001', 'monthly', 3)"] {
                try transaction.execute(Statement(sql, scope))
            }
        }
        let counters = try await bench.database.read { transaction in
            let store = CounterStore(transaction)
            for _ in 0..<2 { #expect(throws: StoreError.self) { try store.readAll(in: scope) } }
            return try store.counters(of: Self.offer, in: "21500001", open: [], at: Bench.now, in: scope)
        }
        #expect(counters.places == 1 && counters.spent == ["USD": 9_990] && counters.unmatched == ["monthly": 3])
    }

    @Test("settling takes at most 500 of what passed a minute ago, and changes nothing that anybody reads")
    func settling() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let customers = try await bench.ingest((0..<601).map { .bought(TransactionId("\($0)")) }).compactMap(\.customer)
        try await bench.database.write { transaction in
            for (number, customer) in customers.enumerated() {
                try IssuedOfferStore(transaction).insert(
                    Self.issuedOffer(number, issued: Bench.now.adding(milliseconds: Int64(number))), catalogRevision: 1,
                    for: customer, subject: [], in: scope)
            }
        }
        let ends = Self.issuedOffer(0).countsUntil
        let early = ends.adding(milliseconds: 599)
        let late = early.adding(milliseconds: IssuedOfferStore.settlingDelay)
        for now in [early, late] {
            let before = try await Self.counters(bench, at: now)
            let settled = try await bench.database.write {
                try IssuedOfferStore($0).settlePassed(of: "comeback", at: now, in: scope)
            }
            #expect(settled == (now == early ? 0 : 500))
            #expect(try await Self.counters(bench, at: now) == before)
            #expect(before.places == (now == early ? 1 : 0))
        }
        let rest = try await bench.database.write {
            try IssuedOfferStore($0).settlePassed(of: "comeback", at: late, in: scope)
        }
        #expect(rest == 100)
        #expect(try await Self.counters(bench, at: early).places == 1, "who began a minute earlier counts it still")
    }

    @Test(
        "what passed is settled offer by offer, so many at a time, those that are used or still count excepted",
        arguments: Driver.allCases)
    func settlingAnyOffer(driver: Driver) async throws {
        let bench = try await Bench(driver)
        for (number, offer, hours) in [(1, "a", 0), (2, "a", 1), (4, "b", 30), (3, "b", 0), (5, "c", 0)] {
            let issued = Bench.now.adding(milliseconds: Int64(hours) * Instant.Duration.hour)
            try await Self.insert(Self.issuedOffer(number, offer: OfferId(offer), issued: issued), [], bench)
        }
        _ = try await bench.database.write {
            try IssuedOfferStore($0).void(.number(5), reason: "r", release: true, at: Bench.now, in: bench.scope)
        }
        let now = Self.issuedOffer(2, issued: Bench.now.adding(milliseconds: Instant.Duration.hour)).countsUntil
            .adding(milliseconds: IssuedOfferStore.settlingDelay)
        func places() async throws -> [Int64] {
            try await bench.database.read {
                try $0.rows(Statement("SELECT amount FROM offer_counter WHERE unit = 'places' ORDER BY offer_id"))
                    .map { try $0.value(0) }
            }
        }
        func settle() async throws -> Int {
            try await bench.database.write { try IssuedOfferStore($0).settlePassed(at: now, limit: 2) }
        }
        #expect(try await places() == [2, 2, 0])
        #expect(try await settle() == 2)
        #expect(try await places() == [0, 2, 0])
        #expect(try await settle() == 1)
        #expect(try await places() == [0, 1, 0])
        #expect(try await settle() == 0)
        #expect(try await places() == [0, 1, 0])
    }

    @Test("a clock that is set back puts on the counters again what it had settled too early (invariant 2)")
    func clockSetBack() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        for (number, issued) in [(1, Bench.now), (2, Bench.now.adding(milliseconds: -Instant.Duration.day))] {
            try await Self.insert(Self.issuedOffer(number, issued: issued), [], bench)
        }
        try await Self.insert(Self.issuedOffer(3), [], bench)
        _ = try await bench.database.write {
            try IssuedOfferStore($0).void(.number(3), reason: "r", release: true, at: Bench.now, in: scope)
        }
        let truly = Bench.now.adding(milliseconds: 2 * Instant.Duration.hour)
        let before = try await Self.counters(bench, at: truly)
        #expect(before.places == 1 && before.spent == ["USD": 9_990])
        try await Self.insert(
            Self.issuedOffer(4, issued: Bench.now.adding(milliseconds: 3 * Instant.Duration.day)), [], bench)
        #expect(try await Self.counters(bench, at: truly).places == 1, "only the new one: the first was settled")
        try await bench.database.write { try IssuedOfferStore($0).countAgain(after: truly) }
        let after = try await Self.counters(bench, at: truly)
        #expect(after.places == 2 && after.spent == ["USD": 2 * 9_990])
    }

    @Test("the end of much money is found however many issued offers pass before it")
    func farEnding() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let customers = try await bench.ingest((0..<1_201).map { .bought(TransactionId("\($0)")) })
            .compactMap(\.customer)
        try await bench.database.write { transaction in
            for (number, customer) in customers.enumerated() {
                // Two issued offers end at each instant.
                let issued = Bench.now.adding(milliseconds: Int64(number / 2))
                try IssuedOfferStore(transaction).insert(
                    Self.issuedOffer(number, cost: 1_000, issued: issued), catalogRevision: 1, for: customer,
                    subject: [],
                    in: scope)
            }
        }
        for (amount, end) in [(1_000_000, 499), (1_000_001, 500), (1_201_000, 600), (1_201_001, nil)]
            as [(Int64, Int64?)]
        {
            let found = try await bench.database.read {
                try CounterStore($0).ending(
                    of: amount, .money("USD"), offer: ["comeback"], without: nil, after: Bench.now, in: scope)
            }
            #expect(found?.milliseconds(since: Self.issuedOffer(0).countsUntil) == end, "\(amount)")
        }
    }

    @Test("the next ends are found by number and by money, without the asker's own", arguments: Driver.allCases)
    func endings(driver: Driver) async throws {
        let bench = try await Bench(driver)
        for (number, cost) in [5_000, 1_000, 7_000].enumerated() {
            try await Self.insert(
                Self.issuedOffer(number, cost: Int64(cost), issued: Bench.now.adding(milliseconds: Int64(number))), [],
                bench)
        }
        let scope = bench.scope
        func end(_ amount: Int64, _ unit: CounterUnit, without own: Int? = nil) async throws -> Int64? {
            try await bench.database.read {
                try CounterStore($0).ending(
                    of: amount, unit, offer: ["comeback"], without: own.map { .number($0) }, after: Bench.now, in: scope
                )
            }?.milliseconds(since: Self.issuedOffer(0).countsUntil)
        }
        #expect(try await end(1, .places) == 0)
        #expect(try await end(3, .places) == 2)
        #expect(try await end(4, .places) == nil)
        #expect(try await end(1, .places, without: 0) == 1)
        #expect(try await end(5_000, .money("USD")) == 0)
        #expect(try await end(5_001, .money("USD")) == 1)
        #expect(try await end(6_001, .money("USD")) == 2)
        #expect(try await end(8_001, .money("USD"), without: 0) == nil)
        #expect(try await end(1, .money("EUR")) == nil)
    }

    @Test("a further signature for a dearer product costs the difference, a cheaper one nothing")
    func dearer() async throws {
        let bench = try await Bench()
        try await Self.insert(Self.issuedOffer(1), [], bench)
        let scope = bench.scope
        for (cost, currency, expected) in [
            (12_000, "USD", 12_000), (8_000, "USD", 12_000), (50_000, "EUR", 12_000), (12_500, "USD", 12_500),
        ] {
            _ = try await bench.database.write {
                try IssuedOfferStore($0).addSigning(
                    to: .number(1), cost: Money(milliunits: Int64(cost), currency: currency),
                    expiresAt: Bench.now, countsUntil: Bench.now, at: Bench.now, subject: [], in: scope)
            }
            #expect(try await Self.counters(bench).spent == ["USD": Int64(expected)])
        }
        await #expect {
            _ = try await bench.database.write {
                try IssuedOfferStore($0).addSigning(
                    to: .number(1), cost: Money(milliunits: 20_000, currency: "USD"), expiresAt: Bench.now,
                    countsUntil: Bench.now, at: Bench.now, subject: [],
                    caps: [CounterStore.Cap(unit: .money("USD"), most: 19_999)], in: scope)
            }
        } throws: {
            CounterStore.isCapReached($0)
        }
    }
}
