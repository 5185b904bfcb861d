import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Runs of imports")
struct ImportRunTests {
    private static func lines(_ count: Int) -> [ImportedHistory] {
        (1...count).map {
            ImportedHistory(transactions: [
                .fixture(TransactionId("\($0)"), purchased: ImportBench.now.adding(months: -1))
            ])
        }
    }

    @Test("a source that breaks off is read on behind the last line that was staged, and not from the beginning")
    func resumed() async throws {
        let bench = try ImportBench()
        let broken = ListedSource(Self.lines(40))
        broken.breaksAfter = 30
        await #expect(throws: ListedSource.Gone.self) { try await bench.importer().run(broken, ImportBench.terms) }
        let staged = try #require(Int(try await bench.count("import_row") ?? ""))
        #expect((7..<30).contains(staged))
        #expect(try await bench.count("history_transaction") == "0")

        let source = ListedSource(Self.lines(40))
        let report = try await bench.importer().run(source, ImportBench.terms)
        #expect(source.read == 40 - staged)
        #expect(report.isResumed && report.counts.lines == 40 && report.counts.added == 40)
    }

    @Test("another source is never taken for the rest of an open one, until that is discarded")
    func another() async throws {
        let bench = try ImportBench()
        let broken = ListedSource(Self.lines(40))
        broken.breaksAfter = 30
        await #expect(throws: ListedSource.Gone.self) { try await bench.importer().run(broken, ImportBench.terms) }
        let others = [
            ImportBench.terms { $0.digest = [UInt8](repeating: 7, count: 32) },
            ImportBench.terms { $0.completeAsOf = ImportBench.now },
        ]
        for other in others {
            await #expect(throws: ImportError.self) { try await bench.run(Self.lines(3), other) }
        }
        // Another kind of source has a run of its own.
        let receipts = ImportBench.terms { ($0.source, $0.provenance) = ("receipts", .receipt) }
        #expect(try await bench.run(Self.lines(2), receipts).counts.added == 2)

        let dropped = try #require(try await bench.importer().discard(source: "transactions"))
        #expect(dropped.staged > 0 && dropped.applied == 0)
        #expect(try await bench.count("import_row") == "0")
        #expect(try await bench.importer().discard(source: "transactions") == nil)
        #expect(try await bench.run(Self.lines(3), others[0]).counts.lines == 3)
    }

    @Test("a run whose discarding has begun is only discarded to the end, never continued (invariant 3)")
    func halfDiscarded() async throws {
        let bench = try ImportBench()
        let broken = ListedSource(Self.lines(40))
        broken.breaksAfter = 30
        await #expect(throws: ListedSource.Gone.self) { try await bench.importer().run(broken, ImportBench.terms) }
        try await bench.abandon()
        await #expect(throws: ImportError.self) { try await bench.run(Self.lines(40)) }
        #expect(try await bench.count("history_transaction") == "0")
        #expect(try await bench.importer().discard(source: "transactions") != nil)
        #expect(try await bench.run(Self.lines(40)).counts.added == 40)
    }

    @Test("refusals are reported again if the report could not be written, and forgotten once it was")
    func reportedAgain() async throws {
        struct Full: Error {}
        let bench = try ImportBench()
        let lines: [Result<ImportedHistory, ImportRefusal>] = [
            .failure(ImportRefusal(.malformed, "first")), .success(Self.lines(1)[0]),
            .failure(ImportRefusal(.otherStore, "third")),
        ]
        await #expect(throws: Full.self) {
            try await bench.importer().run(
                ListedSource(lines), ImportBench.terms, refusals: { _ in throw Full() })
        }
        #expect(try await bench.count("history_transaction") == "1")
        var refused: [RefusedLine] = []
        let report = try await bench.importer().run(
            ListedSource(lines), ImportBench.terms, refusals: { refused += $0 })
        #expect(
            refused == [
                RefusedLine(line: 1, reason: "malformed", detail: "first"),
                RefusedLine(line: 3, reason: "otherStore", detail: "third"),
            ])
        #expect(report.refused == ["malformed": 1, "otherStore": 1])
        #expect(try await bench.count("import_refusal") == "0")
    }

    @Test(
        "a run that is lost while it clears what it staged tells the whole report when it goes on, and lists nothing again",
        arguments: [(1, "1200", "1100"), (2, "200", "1100"), (3, "0", "100"), (4, "0", "0")])
    func lostWhileClearing(commit: Int, staged: String, refused: String) async throws {
        struct Lost: Error {}
        var lines: [Result<ImportedHistory, ImportRefusal>] = Self.lines(1_200).map { .success($0) }
        lines += (1...1_100).map { .failure(ImportRefusal($0 % 2 == 0 ? .otherStore : .malformed, "line \($0)")) }
        let pace = HistoryImport.Pace(lines: 4_000, payloads: 2_000, rest: .zero)
        let bench = try ImportBench()
        let (reports, commits) = (Counter(), Counter())
        let database = StoppingDatabase(bench.database) { _, point in
            if case .committed = point, reports.total > 0, commits.next() == commit { throw Lost() }
        }
        var given: [RefusedLine] = []
        await #expect(throws: Lost.self) {
            try await bench.importer(over: database, pace: pace).run(
                ListedSource(lines), ImportBench.terms, refusals: { given += $0 }, reported: { reports.next() })
        }
        #expect(given.count == 1_100)
        #expect(try await bench.count("import_row") == staged)
        #expect(try await bench.count("import_refusal") == refused)

        var again: [String] = []
        let report = try await bench.importer(pace: pace).run(
            ListedSource(lines), ImportBench.terms, refusals: { again += $0.map(\.reason) },
            needingApple: { again += $0 }, reported: { again.append("reported") })
        #expect(again.isEmpty && report.wasReported)
        #expect(report.counts.added == 1_200 && report.counts.lines == 2_300)
        #expect(report.refused == ["malformed": 550, "otherStore": 550])
        let customers = try #require(report.customers)
        #expect(customers.count == 1_200 && customers.needingApple == 1_200 && customers.unsigned == 1_200)
        #expect(customers.decided + customers.undetermined.values.reduce(0, +) == 1_200)
        #expect(try await bench.texts("SELECT stage FROM import_run") == ["closed"])
        #expect(try await bench.count("import_refusal") == "0")
    }

    @Test("progress never goes back and ends with everything")
    func progress() async throws {
        let bench = try ImportBench()
        var told: [ImportProgress] = []
        _ = try await bench.importer().run(
            ListedSource(Self.lines(40)), ImportBench.terms, progress: { told.append($0) })
        for stage in [ImportStage.staging, .applying] {
            let done = told.filter { $0.stage == stage }
            #expect(done.map(\.done) == done.map(\.done).sorted())
            #expect(done.last?.done == 40 && done.last?.total == 40 && done.last?.items == 40)
        }
    }

    @Test("the word that nothing is missing is noted of each customer, and as of the export")
    func complete() async throws {
        let bench = try ImportBench()
        let asOf = ImportBench.now.adding(milliseconds: -3_600_000)
        let report = try await bench.run(Self.lines(30), ImportBench.terms { $0.completeAsOf = asOf })
        #expect(report.counts.stated == 30)
        let coverage = try await bench.database.read { transaction in
            try (1...30).map { try CoverageStore(transaction).coverage(of: CustomerNumber(rawValue: $0)) }
        }
        #expect(
            coverage.allSatisfy { $0 == Coverage(level: .complete, asOf: asOf, provenance: .operator) })
        #expect(try await bench.count("import_customer") == "0")
    }

    @Test("a refused line that may be a purchase leaves nobody complete, one of another store does (invariant 3)")
    func gaps() async throws {
        let complete = ImportBench.terms { $0.completeAsOf = ImportBench.now }
        let cases: [(ImportRefusal.Reason, Int64)] = [(.malformed, 0), (.wrongApp, 2), (.otherStore, 2)]
        for (reason, stated) in cases {
            let bench = try ImportBench()
            let lines = Self.lines(2).map { Result<ImportedHistory, ImportRefusal>.success($0) }
            let refused: Result<ImportedHistory, ImportRefusal> = .failure(ImportRefusal(reason, "x"))
            let report = try await bench.importer().run(ListedSource(lines + [refused]), complete)
            #expect(report.counts.stated == stated, "\(reason)")
            #expect(try await bench.count("coverage") == "\(stated)", "\(reason)")
        }
    }

    @Test("two who share a name or an unproven account may be one person, so neither is complete (invariant 3)")
    func sharedNames() async throws {
        let bench = try ImportBench()
        var lines = Self.lines(6)
        lines[0].customerId = "anna"
        lines[1].customerId = "anna"
        lines[2].transactions[0].appTransactionId = "account"
        lines[3].transactions[0].appTransactionId = "account"
        lines[4].customerId = "berta"
        let report = try await bench.run(lines, ImportBench.terms { $0.completeAsOf = ImportBench.now })
        #expect(report.counts.stated == 2)
        let stated = try await bench.texts(
            """
            SELECT i.value FROM coverage v JOIN customer_identifier i ON i.customer_id = v.customer_id ORDER BY i.value
            """)
        #expect(stated == ["5", "6"])
    }

    @Test("nobody is complete before everything is applied (invariant 3)")
    func notBeforeTheEnd() async throws {
        struct Lost: Error {}
        let bench = try ImportBench()
        let terms = ImportBench.terms { $0.completeAsOf = ImportBench.now }
        let database = StoppingDatabase(bench.database) { _, point in
            if case .statement(let sql) = point, sql.contains("INSERT INTO coverage") { throw Lost() }
        }
        await #expect(throws: Lost.self) {
            try await bench.importer(over: database).run(ListedSource(Self.lines(20)), terms)
        }
        #expect(try await bench.count("history_transaction") == "20")
        #expect(try await bench.count("coverage") == "0")
        #expect(try await bench.run(Self.lines(20), terms).counts.stated == 20)
    }

    @Test("staged rows of a customer who is erased meanwhile are not applied")
    func forgotten() async throws {
        let bench = try ImportBench()
        let broken = ListedSource(Self.lines(40))
        broken.breaksAfter = 30
        await #expect(throws: ListedSource.Gone.self) { try await bench.importer().run(broken, ImportBench.terms) }
        let removed = try await bench.database.write { transaction in
            let scope = try ScopeStore(transaction).findOrAdd(ImportBench.scope)
            return try ImportStore(transaction).forget(["1", "2", "40"], in: scope)
        }
        #expect(removed == 2)
        let report = try await bench.importer().run(ListedSource(Self.lines(40)), ImportBench.terms)
        #expect(report.counts.added == 38)
    }
}
