import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Import report about customers")
struct ImportedCustomersTests {
    private static let day = Instant.Duration.day

    /// A subscription whose last period ends a number of days from now, and how it renews as of its second day.
    private static func line(
        _ id: TransactionId, original: TransactionId? = nil, endsIn days: Int64, renews: AutoRenewStatus? = nil
    ) -> ImportedHistory {
        let ends = ImportBench.now.adding(milliseconds: days * day)
        let transaction = Transaction.fixture(
            id, original: original, purchased: ends.adding(milliseconds: -30 * day)
        ) { $0.expiresDate = ends }
        var history = ImportedHistory(transactions: [transaction])
        if let renews {
            history.renewalInfos = [
                .fixture(original ?? id, signed: ends.adding(milliseconds: -29 * day)) { $0.autoRenewStatus = renews }
            ]
        }
        return history
    }

    @Test("each counts once, by whether the state of every subscription is known")
    func counted() async throws {
        let bench = try ImportBench()
        var ids: [String] = []
        let lines = [
            Self.line("1", endsIn: 10), Self.line("2", endsIn: 10, renews: .on), Self.line("3", endsIn: -10),
            Self.line("4", endsIn: -10, renews: .on), Self.line("5", endsIn: -10, renews: .off),
            Self.line("61", original: "6", endsIn: 20), Self.line("6", endsIn: -10),
        ]
        let report = try await bench.importer().run(
            ListedSource(lines), ImportBench.terms, needingApple: { ids += $0 })
        let customers = try #require(report.customers)
        #expect(customers.count == 6 && customers.decided == 4)
        #expect(customers.undetermined == ["historyStale": 2])
        #expect(customers.unsigned == 6 && customers.needingApple == 6)
        #expect(ids == ["1", "2", "3", "4", "5", "6"])
    }

    @Test("a customer of whom Apple has signed something can be signed for, and needs no data where the state is known")
    func signed() async throws {
        let bench = try ImportBench()
        for id in ["1", "2"] as [TransactionId] {
            let transaction = Transaction.fixture(id, purchased: ImportBench.now.adding(milliseconds: -Self.day)) {
                $0.expiresDate = ImportBench.now.adding(milliseconds: (id == "1" ? 5 : 0) * Self.day)
            }
            try await bench.keep([
                HistoryPayload(.transaction(transaction), bytes: Array("\(id)".utf8), provenance: .client)
            ])
        }
        var ids: [String] = []
        let report = try await bench.importer().run(
            ListedSource([Self.line("1", endsIn: 5), Self.line("2", endsIn: 0), Self.line("3", endsIn: 5)]),
            ImportBench.terms, needingApple: { ids += $0 })
        let customers = try #require(report.customers)
        #expect(customers.count == 3 && customers.decided == 2 && customers.unsigned == 1)
        #expect(customers.needingApple == 2)
        #expect(ids == ["2", "3"])
    }

    @Test("a customer with several subscriptions is one, and all of theirs are asked for")
    func several() async throws {
        let bench = try ImportBench()
        let account = AppTransactionId("account")
        for id in ["1", "2"] as [TransactionId] {
            let transaction = Transaction.fixture(id, purchased: ImportBench.now.adding(milliseconds: -40 * Self.day)) {
                $0.appTransactionId = account
                $0.expiresDate = ImportBench.now.adding(milliseconds: -10 * Self.day)
            }
            try await bench.keep([
                HistoryPayload(.transaction(transaction), bytes: Array("\(id)".utf8), provenance: .client)
            ])
        }
        var ids: [String] = []
        let report = try await bench.importer().run(
            ListedSource([Self.line("1", endsIn: -10), Self.line("2", endsIn: -10)]), ImportBench.terms,
            needingApple: { ids += $0 })
        #expect(report.customers?.count == 1 && report.customers?.undetermined == ["historyStale": 1])
        #expect(report.customers?.unsigned == 0)
        #expect(ids == ["1", "2"])
    }

    @Test("more than are looked at together are all counted, and of a rehearsal nothing is said")
    func many() async throws {
        let bench = try ImportBench()
        let lines = (0..<450).map { Self.line(TransactionId("7\($0)"), endsIn: $0 % 3 == 0 ? -5 : 5) }
        let rehearsed = try await bench.importer().rehearse(ListedSource(lines), provenance: .operator)
        #expect(rehearsed.customers == nil)
        let report = try await bench.run(lines)
        #expect(report.customers?.count == 450 && report.customers?.decided == 300)
        #expect(report.customers?.undetermined == ["historyStale": 150])
    }
}
