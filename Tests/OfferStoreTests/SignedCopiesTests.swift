import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("History that grows with every signing")
struct SignedCopiesTests {
    private static func at(_ offset: Int64) -> Instant { Bench.now.adding(milliseconds: offset) }

    @Test("of what is signed a hundred times the first and the newest copy are stored", arguments: Driver.allCases)
    func firstAndNewest(driver: Driver) async throws {
        let bench = try await Bench(driver)
        for offset in 0..<100 as Range<Int64> {
            let signed = Self.at(offset)
            let outcomes = try await bench.ingest([
                .bought("1", account: "A", signed: signed), .renews("1", signed: signed),
                .installed("A", created: signed), .bought("2", signed: signed, provenance: .operator),
            ]).map(\.outcome)
            #expect(outcomes == Array(repeating: offset == 0 ? .added : .updated, count: 4))
        }
        let expected = [Self.at(0), Self.at(99)].flatMap { signed in
            [
                HistoryPayload.bought("1", account: "A", signed: signed), .renews("1", signed: signed),
                .installed("A", created: signed), .bought("2", signed: signed, provenance: .operator),
            ].map(\.bytes)
        }
        #expect(try await bench.storedPayloads() == Set(expected))
    }

    @Test("a copy signed between two that say the same is known, and writes nothing", arguments: Driver.allCases)
    func between(driver: Driver) async throws {
        let bench = try await Bench(driver)
        try await bench.ingest([.bought("1", signed: Self.at(0)), .bought("1", signed: Self.at(9))])
        let scope = bench.scope
        let resent = [
            HistoryPayload.bought("1", signed: Self.at(5)), .bought("1", token: .number(1), signed: Self.at(5)),
            .bought("1", signed: Self.at(10)), .bought("1", signed: Self.at(5), provenance: .operator),
        ]
        let missing = try await bench.database.read { try HistoryStore($0).missing(resent, in: scope) }
        #expect(missing == [1, 2, 3])
        let before = try await bench.database.read { try StoreClock($0).newestSequence() }
        let results = try await bench.ingest([resent[0]])
        #expect(results.map(\.outcome) == [.unchanged] && results.first?.customer != nil)
        #expect(try await bench.database.read { try StoreClock($0).newestSequence() } == before)
    }

    @Test("different content between copies stays, with the copies before and after it", arguments: Driver.allCases)
    func alternating(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (on, off) = (AppAccountToken.number(1), AppAccountToken.number(2))
        let all = ([(1, on), (2, on), (3, on), (4, off), (5, on), (6, on), (7, on)] as [(Int64, AppAccountToken)]).map {
            offset, token in
            HistoryPayload.renews("1", token: token, signed: Self.at(offset))
        }
        try await bench.ingest(all)
        #expect(try await bench.storedPayloads() == Set([0, 2, 3, 4, 6].map { all[$0].bytes }))
    }

    @Test(
        "facts that are never taken back leave the same rows in any order and any repetition (invariant 7)",
        arguments: Driver.allCases)
    func anyOrder(driver: Driver) async throws {
        var generator = SeededGenerator(seed: 20_261_123)
        for round in 0..<20 {
            // At each date one of two transactions and the renewal info say as much as before, or something new.
            var (token, payloads) = (1, [HistoryPayload]())
            for offset in 0..<16 as Range<Int64> {
                if Int.random(in: 0..<4, using: &generator) == 0 { token += 1 }
                let id: TransactionId = ["1", "2"][Int.random(in: 0..<2, using: &generator)]
                payloads.append(.bought(id, original: "1", token: .number(token), signed: Self.at(offset)))
                payloads.append(.renews("1", token: .number(token), signed: Self.at(offset)))
            }
            var stored = Set<Set<[UInt8]>>()
            for _ in 0..<4 {
                let bench = try await Bench(driver)
                let repeated = payloads + payloads.filter { _ in Bool.random(using: &generator) }
                try await bench.ingest(repeated.shuffled(using: &generator))
                stored.insert(try await bench.storedPayloads())
            }
            let (views, expected) = (Dictionary(grouping: payloads) { Facts($0.content) }.values, stored.first)
            let ends = Set(
                views.flatMap { copies in
                    [copies.min { $0.signedDate < $1.signedDate }, copies.max { $0.signedDate < $1.signedDate }]
                        .compactMap { $0?.bytes }
                })
            let note: Comment = "seed \(generator.seed), round \(round)"
            #expect(stored.count == 1 && expected == ends, note)
        }
    }

    @Test(
        "facts that are taken back leave the same current view, and the first and newest of each (invariant 7)",
        arguments: Driver.allCases)
    func anyFacts(driver: Driver) async throws {
        var generator = SeededGenerator(seed: 20_261_124)
        for round in 0..<20 {
            let payloads =
                (0..<20 as Range<Int64>).map { offset -> HistoryPayload in
                    let token = AppAccountToken.number(Int.random(in: 1..<3, using: &generator))
                    return Bool.random(using: &generator)
                        ? HistoryPayload.bought("1", token: token, signed: Self.at(offset))
                        : .renews("1", token: token, signed: Self.at(offset))
                } + [.bought("1", token: .number(1), signed: Self.at(-1))]
            let bench = try await Bench(driver)
            let customer = try #require(
                try await bench.ingest(payloads.shuffled(using: &generator)).first { $0.customer != nil }?.customer)
            let read = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
            let note: Comment = "seed \(generator.seed), round \(round)"
            #expect(Facts.current(read) == Facts.current(History(every: payloads)), note)
            let stored = try await bench.storedPayloads()
            for copies in Dictionary(grouping: payloads, by: { Facts($0.content) }).values {
                let ordered = copies.sorted { $0.signedDate < $1.signedDate }
                for end in [ordered.first, ordered.last].compactMap(\.self) {
                    #expect(stored.contains(end.bytes), note)
                }
            }
        }
    }

    @Test("the copy that an issued offer was decided on stays (invariant 5)", arguments: Driver.allCases)
    func issued(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let all = (0..<9 as Range<Int64>).map { offset in
            [HistoryPayload.bought("1", signed: Self.at(offset)), .renews("1", signed: Self.at(offset))]
        }
        try await bench.ingest(all[0] + all[1] + all[2])
        let customer = try await bench.customer("1")
        let scope = bench.scope
        // Whoever else is the subject: the offer was decided on their history too.
        let other = try await bench.customer("7")
        let (sequence, seen) = try await bench.database.read { transaction in
            let store = HistoryStore(transaction)
            let identifiers = SeenIdentifiers(try store.history(of: [customer, other]))
            return (try StoreClock(transaction).newestSequence(), identifiers)
        }
        func replayed() async throws -> History {
            try await bench.database.read {
                try HistoryStore($0).history(of: seen, upTo: sequence, in: scope)
            }
        }
        let before = try await replayed()
        try await bench.database.write {
            try IssuedOfferStore($0).insert(
                .fixture(1), catalogRevision: 1, for: other, subject: [customer, other], in: scope)
        }
        // A merge does not let go of it.
        try await bench.ingest([.bought("1", account: "A", signed: Self.at(3)), .bought("7", account: "A")])
        for payloads in all[3...] { try await bench.ingest(payloads) }
        let (after, stored) = (try await replayed(), try await bench.storedPayloads())
        #expect(after.purchases.rows == before.purchases.rows)
        #expect(after.renewalInfos == before.renewalInfos)
        #expect(all[2].allSatisfy { stored.contains($0.bytes) })
        #expect(!all[1].contains { stored.contains($0.bytes) })
        #expect(!(all[5] + all[6]).contains { stored.contains($0.bytes) })
        #expect(try await HistoryFactsCheck(bench.database).run().wrong == 0)
    }

    @Test(
        "the first renewal info that is signed after a period began or ended stays, because it settles the state",
        arguments: Driver.allCases)
    func turningPoints(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let ends = Bench.now.adding(milliseconds: -1_000_000).adding(months: 1)
        let offsets = [-30, -20, -10, 10, 20, 30] as [Int64]
        let infos = offsets.map { HistoryPayload.renews("1", signed: ends.adding(milliseconds: $0)) }
        try await bench.ingest([.bought("1")] + infos)
        let stored = try await bench.storedPayloads()
        #expect(infos.map { stored.contains($0.bytes) } == [true, false, false, true, false, true])
    }

    @Test(
        "renewal info that names an offer of no stated renewal is evidence at each signing, and stays",
        arguments: Driver.allCases)
    func pendingOffers(driver: Driver) async throws {
        for (renews, kept) in [(nil, 5), (Bench.now, 2)] as [(Instant?, Int)] {
            let bench = try await Bench(driver)
            for offset in 0..<5 as Range<Int64> {
                let info = RenewalInfo.fixture("1", signed: Self.at(offset)) {
                    $0.offerType = .promotional
                    $0.offerIdentifier = "comeback50"
                    $0.renewalDate = renews
                }
                try await bench.ingest([
                    HistoryPayload(.renewalInfo(info), bytes: Array("\(offset)".utf8), provenance: .client)
                ])
            }
            #expect(try await bench.storedPayloads().count == kept)
        }
    }

    @Test(
        "200 transactions signed 50 times take the pages and the rows of 200 signed twice",
        .onSQLite("a server's tables keep room until it cleans them"))
    func fileDoesNotGrow() async throws {
        let bench = try await Bench(.file)
        let customer = try await bench.customer("0")
        func sign(at offset: Int64) async throws {
            try await bench.ingest(
                (0..<200).map { index in
                    let transaction = Transaction.fixture(
                        TransactionId("\(index)"), original: "0", purchased: Self.at(Int64(index)),
                        signed: Self.at(1_000 + offset))
                    let bytes = Array("\(index) \(offset) ".utf8) + Array(repeating: UInt8(ascii: "x"), count: 1_500)
                    return HistoryPayload(.transaction(transaction), bytes: bytes, provenance: .client)
                })
        }
        func size() async throws -> [Int] {
            try await bench.database.read { transaction in
                try ["SELECT COUNT(*) FROM history_transaction", "PRAGMA page_count"].map {
                    try #require(try transaction.row(Statement($0))).value(0)
                }
            }
        }
        func statements() async throws -> Int {
            try await bench.database.read { transaction in
                let recorded = RecordedStatements()
                let read = try HistoryStore(recorded.recording(transaction)).history(of: [customer])
                #expect(read.transactions.count == 200)
                return recorded.all.count
            }
        }
        for offset in 0..<3 as Range<Int64> { try await sign(at: offset) }
        let (once, cost) = (try await size(), try await statements())
        for offset in 3..<50 as Range<Int64> { try await sign(at: offset) }
        let often = try await size()
        #expect(often[0] == once[0])
        // Deleted and new rows may lie otherwise on their pages.
        #expect(often[1] <= once[1] + once[1] / 20, "\(once) pages and rows, then \(often)")
        #expect(try await statements() == cost)
    }
}
