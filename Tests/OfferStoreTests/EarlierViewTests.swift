import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Reading what was the case at an earlier instant")
struct EarlierViewTests {
    private static func at(_ offset: Int64) -> Instant { Bench.now.adding(milliseconds: offset) }

    @Test(
        "what was signed by an instant is read as all that was signed by then, but for copies that say the same",
        arguments: Driver.allCases)
    func history(driver: Driver) async throws {
        var generator = SeededGenerator(seed: 20_261_121)
        for round in 0..<20 {
            let payloads = (0..<24).map { _ in
                let signed = Self.at(Int64.random(in: 0..<9, using: &generator))
                let id: TransactionId = ["1", "2"][Int.random(in: 0..<2, using: &generator)]
                let token = AppAccountToken.number(Int.random(in: 1..<3, using: &generator))
                return Bool.random(using: &generator)
                    ? HistoryPayload.bought(id, original: "1", token: token, signed: signed)
                    : .renews("1", token: token, signed: signed)
            }
            // Known from the beginning, so that the same customer is asked about throughout.
            let all = [HistoryPayload.bought("1", signed: Self.at(-1))] + payloads.shuffled(using: &generator)
            let bench = try await Bench(driver)
            let customer = try #require(
                // After every instant that is asked about: what had arrived by then would be known whenever it was signed.
                try await bench.ingest(all.sorted { $0.signedDate < $1.signedDate }, at: Self.at(99)).first?.customer)
            for offset in -2...9 as ClosedRange<Int64> {
                let instant = Self.at(offset)
                let signed = all.filter { $0.signedDate <= instant }
                let found = try await bench.database.read {
                    try HistoryStore($0).history(of: [customer], asOf: instant)
                }
                let note: Comment = "seed \(generator.seed), round \(round), offset \(offset)"
                #expect(Facts.current(found) == Facts.current(History(every: signed)), note)
            }
        }
    }

    @Test(
        "what had arrived by an instant was known then, whatever its dates; what arrived later, from the date it was signed and bought",
        arguments: Driver.allCases)
    func arrivals(driver: Driver) async throws {
        func bought(_ id: TransactionId, at purchased: Int64, signed: Int64) -> HistoryPayload {
            let transaction = Transaction.fixture(
                id, original: "1", purchased: Self.at(purchased), signed: Self.at(signed))
            return HistoryPayload(.transaction(transaction), bytes: Array(id.rawValue.utf8), provenance: .client)
        }
        let bench = try await Bench(driver)
        let early = [
            bought("signed ahead", at: -9, signed: 50), bought("charged ahead", at: 70, signed: -9),
            HistoryPayload.renews("1", signed: Self.at(30)),
        ]
        let customer = try #require(try await bench.ingest(early, at: Self.at(0)).first?.customer)
        let late = [
            bought("signed later", at: -9, signed: 20), bought("bought later", at: 40, signed: -9),
            HistoryPayload.renews("1", signed: Self.at(10)),
        ]
        try await bench.ingest(late, at: Self.at(100))
        let atOnce = ["charged ahead", "signed ahead", "30"]
        for (offset, expected) in [
            (-1, []), (0, atOnce), (10, atOnce + ["10"]), (20, atOnce + ["10", "signed later"]),
            (40, atOnce + ["10", "bought later", "signed later"]),
            (100, atOnce + ["10", "bought later", "signed later"]),
        ] as [(Int64, [String])] {
            let found = try await bench.database.read {
                try HistoryStore($0).history(of: [customer], asOf: Self.at(offset))
            }
            let names =
                found.transactions.map(\.payload.transactionId.rawValue)
                + found.renewalInfos.map { "\($0.payload.signedDate.milliseconds(since: Bench.now))" }
            #expect(names.sorted() == expected.sorted(), "\(offset)")
        }
    }

    @Test(
        "completeness holds from when it was stated; what a merge took back stays taken (invariant 3)",
        arguments: Driver.allCases)
    func coverage(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        let scope = bench.scope
        for offset in [10, 30] as [Int64] {
            try await bench.database.write {
                try CoverageStore($0).stateComplete(
                    [first], asOf: Self.at(offset), provenance: .caller, at: Self.at(offset), in: scope)
            }
        }
        func asOf(_ offset: Int64, _ customers: [CustomerNumber]) async throws -> Coverage {
            try await bench.database.read {
                try HistoryStore($0).history(of: customers, asOf: Self.at(offset)).coverage
            }
        }
        #expect(try await asOf(9, [first]) == Coverage(level: .partial))
        #expect(try await asOf(10, [first]).asOf == Self.at(10))
        #expect(try await asOf(29, [first]).asOf == Self.at(10))
        #expect(try await asOf(30, [first]).asOf == Self.at(30))
        #expect(try await asOf(30, [first, second]).level == .partial)
        try await bench.ingest([
            .bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A"),
        ])
        #expect(try await asOf(29, [first]).level == .partial)
    }

    @Test(
        "an issued offer has the signings and the ends it had; one issued later is not there",
        arguments: Driver.allCases)
    func issuedOffers(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let scope = bench.scope
        let hour = Instant.Duration.hour
        let issuedOffer = IssuedOffer.fixture(1)
        try await bench.database.write { transaction in
            let issuedOffers = IssuedOfferStore(transaction)
            try issuedOffers.insert(issuedOffer, catalogRevision: 1, for: customer, subject: [customer], in: scope)
            for number in 1...2 as ClosedRange<Int64> {
                let now = Self.at(number * hour)
                _ = try issuedOffers.addSigning(
                    to: issuedOffer.id, expiresAt: issuedOffer.expiresAt.adding(milliseconds: number * hour),
                    countsUntil: issuedOffer.countsUntil.adding(milliseconds: number * hour), at: now,
                    subject: [customer],
                    in: scope)
            }
            try issuedOffers.insert(
                .fixture(2, offer: "other", issued: Self.at(hour)), catalogRevision: 1, for: customer,
                subject: [customer], in: scope)
        }
        for (offset, expected) in [
            (-1, []), (0, ["1 0"]), (hour - 1, ["1 0"]), (hour, ["2 1", "1 1"]), (2 * hour, ["3 2", "1 1"]),
        ] as [(Int64, [String])] {
            let found = try await bench.database.read {
                try IssuedOfferStore($0).issuedOffers(of: [customer], asOf: Self.at(offset))
            }
            let ends = found.map {
                "\($0.signings) \($0.expiresAt.milliseconds(since: issuedOffer.expiresAt) / hour)"
            }
            #expect(ends == expected, "\(offset)")
            #expect(found.allSatisfy { $0.countsUntil.milliseconds(since: $0.expiresAt) == hour })
        }
    }

    @Test(
        "the revision and the pauses of an instant are those in force then, from the millisecond they began",
        arguments: Driver.allCases)
    func catalogAndPauses(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        try await bench.database.write { transaction in
            for number in 1...2 as ClosedRange<Int64> {
                try CatalogStore(transaction).apply(
                    CatalogRevision(
                        revision: number, document: "", format: .yaml, digest: String(repeating: "0", count: 64),
                        actor: "k", message: nil, createdAt: Self.at(number * 10)),
                    expected: number - 1, in: scope)
            }
            let pauses = PauseStore(transaction)
            _ = try pauses.pause("a", actor: "k", at: Self.at(10), in: scope)
            _ = try pauses.pause(nil, actor: "k", at: Self.at(15), in: scope)
            _ = try pauses.resume("a", actor: "k", at: Self.at(20), in: scope)
        }
        for (offset, revision, paused) in [
            (9, 0, []), (10, 1, ["a"]), (19, 1, ["a", nil]), (20, 2, [nil]), (99, 2, [nil]),
        ] as [(Int64, Int64, [OfferId?])] {
            let found = try await bench.database.read { transaction in
                (
                    try CatalogStore(transaction).number(inForceAt: Self.at(offset), in: scope),
                    try PauseStore(transaction).active(in: scope, at: Self.at(offset)).map(\.offerId)
                )
            }
            #expect(found.0 == revision && found.1 == paused, "\(offset)")
        }
    }
}
