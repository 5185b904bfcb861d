import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Reading only the rows that matter")
struct CurrentViewTests {
    @Test(
        "the rows that are read mean what all rows mean, for random re-signings and ties (invariant 7)",
        arguments: Driver.allCases)
    func sameMeaning(driver: Driver) async throws {
        var generator = SeededGenerator(seed: 20_261_122)
        for round in 0..<150 {
            var payloads = [HistoryPayload.bought("1"), .installed("A")]
            for index in 0..<Int.random(in: 1...14, using: &generator) {
                payloads.append(Self.payload(index, &generator))
            }
            let bench = try await Bench(driver)
            let results = try await bench.ingest(payloads.shuffled(using: &generator))
            let customers = Set(results.compactMap(\.customer)).sorted()
            let read = try await bench.database.read { try HistoryStore($0).history(of: customers) }
            let all = History(every: payloads)
            let current = try await bench.bytes(of: read.purchases.rows)
            let note: Comment = "seed \(generator.seed), round \(round)"
            #expect(current == all.purchases.rows.map(\.payloadBytes), note)
            #expect(SubjectFacts(history: read).redemptions() == SubjectFacts(history: all).redemptions(), note)
            #expect(Set(read.transactions.map(\.payload.transactionId)).count == read.transactions.count, note)
            let newest = all.renewalInfos.max { Self.rank($0) < Self.rank($1) }
            let infos = zip(read.renewalInfos, try await bench.bytes(of: read.renewalInfos)).map { $0 }
            #expect(infos.contains { $0.1 == newest?.payloadBytes } == (newest != nil), note)
            let superseded = infos.filter { $0.1 != newest?.payloadBytes }
            #expect(superseded.allSatisfy { $0.0.payload.offerType != nil }, note)
            let app = all.appTransactions.map(\.payload).max { $0.receiptCreationDate < $1.receiptCreationDate }
            #expect(read.appTransactions.map(\.payload) == [app], note)
        }
    }

    @Test("a subscription signed again a thousand times is read as one row of each kind", arguments: Driver.allCases)
    func resigned(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let payloads = (0..<1_000).flatMap { index in
            let signed = Bench.now.adding(milliseconds: Int64(index))
            return [HistoryPayload.bought("1", signed: signed), .renews("1", signed: signed)]
        }
        try await bench.ingest(payloads)
        let customer = try await bench.customer("1")
        let history = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        let newest = Bench.now.adding(milliseconds: 999)
        #expect(history.transactions.map(\.payload.signedDate) == [newest])
        #expect(history.renewalInfos.map(\.payload.signedDate) == [newest])
    }

    private static func rank(_ row: Recorded<RenewalInfo>) -> (Int, Instant, String) {
        (row.provenance.isProven ? 1 : 0, row.payload.signedDate, String(decoding: row.payloadBytes, as: UTF8.self))
    }

    private static func payload(_ index: Int, _ generator: inout SeededGenerator) -> HistoryPayload {
        // Few dates, so that many are equal and the bytes decide.
        let signed = Bench.now.adding(milliseconds: Int64.random(in: 0..<4, using: &generator))
        let isProven = Int.random(in: 0..<3, using: &generator) > 0
        let offer: OfferIdentifier? = ["a", "b", nil, nil][Int.random(in: 0..<4, using: &generator)]
        let bytes = Array("\(UInt64.random(in: 0...99_999, using: &generator)) \(index)".utf8)
        let provenance: Provenance = isProven ? .client : .operator
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            return .installed("A", created: signed.adding(milliseconds: 1))
        case 1, 2:
            let info = RenewalInfo.fixture("1", signed: signed) {
                $0.offerIdentifier = offer
                $0.offerType = offer == nil ? nil : .promotional
            }
            return HistoryPayload(.renewalInfo(info), bytes: bytes, provenance: provenance)
        default:
            let id: TransactionId = ["1", "2", "3"][Int.random(in: 0..<3, using: &generator)]
            let purchased = Bench.now.adding(milliseconds: Int64.random(in: -5...2, using: &generator))
            let transaction = Transaction.fixture(id, original: "1", purchased: purchased, signed: signed) {
                $0.offerIdentifier = offer
                $0.offerType = offer == nil ? nil : .promotional
            }
            return HistoryPayload(.transaction(transaction), bytes: bytes, provenance: provenance)
        }
    }
}
