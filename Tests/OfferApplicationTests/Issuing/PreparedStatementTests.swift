import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Prepared statements", .onSQLite("it counts with a table of SQLite"))
struct PreparedStatementTests {
    /// A statement that the writer's connection holds, as SQLite's own table `sqlite_stmt` counts it.
    private struct Held: Sendable, Hashable {
        var runs: Int
        var repreparations: Int
    }

    @Test("issuing runs statements that are prepared already: nothing is prepared for the hundredth customer")
    func preparedOnce() async throws {
        let bench = try await Workbench(onFile: true)
        let statements = RecordedStatements()
        let useCases = bench.useCases(over: RecordingDatabase(bench.database, statements))
        func issue(_ customers: Range<Int>) async throws {
            for number in customers {
                let order = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "\(number)"))
                #expect(try await useCases.issuing.issue(order, caller: Workbench.client).issued?.isNew == true)
            }
        }
        try await issue(100..<105)
        let before = (try await held(bench), statements.written)
        try await issue(105..<130)
        let after = (try await held(bench), statements.written)
        #expect(Set(after.0.keys) == Set(before.0.keys))
        #expect(after.1.values.reduce(0, +) - before.1.values.reduce(0, +) > 25 * 10)
        for (sql, runs) in after.1 {
            let expected = runs - (before.1[sql] ?? 0)
            let counted = (after.0[sql]?.runs ?? 0) - (before.0[sql]?.runs ?? 0)
            #expect(counted == expected, "\(sql)")
        }
        for (sql, statement) in after.0 {
            #expect(statement.repreparations == 0, "\(sql)")
        }
        for sql in ["BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION"] {
            #expect((after.0[sql]?.runs ?? 0) - (before.0[sql]?.runs ?? 0) >= 25, "\(sql)")
        }
        try bench.database.close()
    }

    /// What the writer's connection holds, by text; of a text that is held twice the counts are added.
    private func held(_ bench: Workbench) async throws -> [String: Held] {
        let rows = try await bench.database.write {
            try $0.rows(Statement("SELECT sql, run, reprep FROM sqlite_stmt WHERE sql NOT LIKE '%sqlite_stmt%'"))
        }
        return try Dictionary(
            rows.map { row in
                (try row.value(0, as: String.self), Held(runs: try row.value(1), repreparations: try row.value(2)))
            }
        ) { Held(runs: $0.runs + $1.runs, repreparations: max($0.repreparations, $1.repreparations)) }
    }
}
