import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Staged imports")
struct ImportStoreTests {
    private static let terms = ImportTerms(
        source: "transactions", provenance: .operator, digest: [UInt8](repeating: 1, count: 32))

    private static func payload(_ key: String, line: Int64) -> StagedPayload {
        StagedPayload(key: key, line: line, kind: .transaction, payload: Array("\(key) \(line)".utf8))
    }

    private func begun(_ bench: Bench) async throws -> ImportRun {
        let scope = bench.scope
        return try await bench.database.write { try ImportStore($0).begin(Self.terms, at: Bench.now, in: scope) }
    }

    @Test("rows come back whole, by subscription and then as they were read, in pages", arguments: Driver.allCases)
    func pages(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let run = try await begun(bench)
        var odd = Self.payload("b", line: 4)
        odd.kind = .renewalInfo
        (odd.appAccountToken, odd.customerId) = (.number(7), "anna")
        let payloads = [("b", 1), ("a", 2), ("c", 3)].map { Self.payload($0, line: $1) } + [odd]
        try await bench.database.write { try ImportStore($0).stage(payloads, of: run) }
        let rows = try await bench.database.read { transaction in
            let store = ImportStore(transaction)
            let first = try store.rows(of: run, after: .start, limit: 2)
            return first + (try store.rows(of: run, after: first[1].cursor, limit: 5))
        }
        #expect(rows.map(\.staged) == [payloads[1], payloads[0], odd, payloads[2]])
        #expect(odd.aliases == [.appAccountToken(.number(7)), .customerId("anna")])
    }

    @Test("a run that somebody else has taken further is not moved", arguments: Driver.allCases)
    func moved(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let run = try await begun(bench)
        var staged = run
        staged.position = 10
        staged.counts.lines = 1
        let (first, second) = (staged, run)
        try await bench.database.write { try ImportStore($0).update(first, from: run) }
        await #expect(throws: StoreError.self) {
            try await bench.database.write { try ImportStore($0).update(first, from: second) }
        }
        let scope = bench.scope
        let known = try await bench.database.read { try ImportStore($0).open(source: "transactions", in: scope) }
        #expect(known == staged)
        #expect(try await bench.database.read { try ImportStore($0).open(source: "receipts", in: scope) } == nil)
        let other = bench.other
        #expect(try await bench.database.read { try ImportStore($0).open(source: "transactions", in: other) } == nil)
    }

    @Test("two imports of one kind are never open in one scope", arguments: Driver.allCases)
    func oneOpen(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let run = try await begun(bench)
        await #expect(throws: StoreError.self) { try await begun(bench) }
        let scope = bench.scope
        try await bench.database.write { try ImportStore($0).close(run, isDiscarded: false, at: Bench.now, in: scope) }
        #expect(try await begun(bench).number > run.number)
    }

    @Test("clearing goes in steps and ends with nothing of that import", arguments: Driver.allCases)
    func clearing(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let run = try await begun(bench)
        let customer = try await bench.customer("1")
        try await bench.database.write { transaction in
            let store = ImportStore(transaction)
            try store.stage((1...5).map { Self.payload("a", line: $0) }, of: run)
            try store.refuse((6...8).map { RefusedLine(line: $0, reason: "malformed", detail: "d") }, of: run)
            try store.refuse([RefusedLine(line: 6, reason: "tooLong", detail: "again")], of: run)
            try store.remember(customer, accounts: ["A"], of: run)
        }
        let refused = try await bench.database.read { try ImportStore($0).refusals(of: run, after: 5, limit: 2) }
        #expect(refused.map(\.line) == [6, 7] && refused[0].reason == "malformed")
        var steps = 1
        while try await !bench.database.write({ try ImportStore($0).clear(run, limit: 2) }) { steps += 1 }
        // Two steps until fewer than two rows are left, with the refusals only then, and one more for the last of
        // these.
        #expect(steps == 4)
        for table in ["import_row", "import_refusal", "import_customer"] {
            let left = try await bench.database.read { try $0.rows(Statement("SELECT 1 FROM \(table)")).count }
            #expect(left == 0, "\(table)")
        }
    }

    @Test(
        "whether a customer may be somebody else is found from the customer's side, however many there are",
        .onSQLite("PostgreSQL plans by the number of rows"))
    func sharedNamePlans() async throws {
        let bench = try await Bench(.file)
        let run = try await begun(bench)
        let customer = try await bench.customer("1")
        let plans = try await bench.database.write { transaction in
            let statements = RecordedStatements()
            _ = try ImportStore(statements.recording(transaction)).mayBeSomebodyElse(customer, of: run)
            return try statements.all.map { try QueryPlan(of: $0, in: transaction) }
        }
        #expect(plans.count == 3)
        for plan in plans {
            // A search by the import alone meets all of its customers.
            let isLong = plan.steps.contains {
                $0.contains("SCAN ") || $0.contains("(run_id=?)") || $0.contains("(scope_id=? AND kind=?)")
            }
            #expect(!isLong, "\(plan.sql)\n\(plan.steps.joined(separator: "\n"))")
            #expect(plan.steps.first?.contains("customer_id=?") == true, "\(plan.steps)")
        }
    }

    @Test("the predicted outcome of storing a payload is the real one", arguments: Driver.allCases)
    func outcomes(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let later = Bench.now.adding(milliseconds: 1)
        let payloads: [HistoryPayload] = [
            .bought("1", provenance: .operator), .bought("1", provenance: .operator),
            .bought("1", signed: later, provenance: .operator), .bought("1"),
            .bought("1", signed: later, bytes: "x", provenance: .operator), .renews("1", provenance: .operator),
            .installed(nil), .installed("A"),
        ]
        let scope = bench.scope
        var expected: [IngestOutcome] = []
        for payload in payloads {
            expected.append(try await bench.database.read { try HistoryStore($0).outcome(of: payload, in: scope) })
            #expect(try await bench.ingest([payload])[0].outcome == expected.last)
        }
        #expect(
            expected == [.added, .unchanged, .updated, .updated, .unchanged, .added, .refused, .added])
    }

    @Test(
        "unsigned renewal info is of whoever an unsigned transaction names, signed one is not",
        arguments: Driver.allCases)
    func renewalInfo(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try #require(try await bench.ingest([.bought("1", provenance: .operator)])[0].customer)
        try await bench.ingest([.renews("1", provenance: .operator)])
        let known = try await bench.database.read { try HistoryStore($0).history(of: [customer]).renewalInfos }
        #expect(known.map(\.provenance) == [.operator])
        let other = try #require(try await bench.ingest([.bought("2", provenance: .operator)])[0].customer)
        try await bench.ingest([.renews("2")])
        #expect(try await bench.database.read { try HistoryStore($0).history(of: [other]).renewalInfos }.isEmpty)
    }
}
