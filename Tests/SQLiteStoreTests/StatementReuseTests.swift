import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("Statements that are run again")
struct StatementReuseTests {
    private struct Refused: Error {}

    private let database: SQLiteDatabase

    init() throws {
        database = try SQLiteDatabase.inMemory()
    }

    /// One to five; at the number given the engine itself fails.
    private static func numbers(failingAt number: Int64) -> Statement {
        Statement(
            """
            SELECT CASE WHEN column1 = ?1 THEN abs(-9223372036854775807 - 1) ELSE column1 END
            FROM (VALUES (1), (2), (3), (4), (5))
            """, number)
    }

    @Test("an error in the middle of the rows ends the statement, and the next run begins anew")
    func failureOfTheEngine() async throws {
        let (before, failure, after) = try await database.write { transaction in
            var before = [Int64]()
            var failure: (any Error)?
            do {
                try transaction.each(Self.numbers(failingAt: 3)) { before.append(try $0.value(0)) }
            } catch {
                failure = error
            }
            return (before, failure, try transaction.rows(Self.numbers(failingAt: 9)).map(\.values))
        }
        #expect(before == [1, 2])
        #expect(failure as? StoreError == .corrupt("a sum of its rows is beyond 64 bits"))
        #expect(after == (1...5).map { [.integer($0)] })
    }

    @Test("a body that throws ends the statement, and the next run begins anew")
    func failureOfTheBody() async throws {
        let (first, second) = try await database.write { transaction in
            var runs = [[Int64]]()
            for stop in [Int64(2), 9] {
                var seen = [Int64]()
                do {
                    try transaction.each(Self.numbers(failingAt: 9)) { row in
                        seen.append(try row.value(0))
                        if seen.last == stop { throw Refused() }
                    }
                } catch is Refused {
                    runs.append(seen)
                    continue
                }
                runs.append(seen)
            }
            return (runs[0], runs[1])
        }
        #expect(first == [1, 2])
        #expect(second == [1, 2, 3, 4, 5])
    }

    @Test("a refused row leaves the statement fit for the next")
    func constraint() async throws {
        let insert = "INSERT INTO scope (bundle_id, environment, generation) VALUES (?1, ?2, 0)"
        let (failure, changed) = try await database.write { transaction in
            var failure: (any Error)?
            do {
                try transaction.execute(Statement(insert, "com.example.pro", "Mars"))
            } catch {
                failure = error
            }
            return (failure, try transaction.changes(by: Statement(insert, "com.example.pro", "Sandbox")))
        }
        guard case .constraint(let name) = failure as? StoreError else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(name.contains("environment"))
        #expect(changed == 1)
    }

    @Test("a statement that is run while it stands at a row is run beside itself, each with its own values")
    func nested() async throws {
        let sql = "SELECT column1 + ?1, ?2 FROM (VALUES (1), (2))"
        let seen = try await database.read { transaction in
            var seen = [String]()
            try transaction.each(Statement(sql, Int64(10), "outer and long enough")) { outer in
                let number: Int64 = try outer.value(0)
                try transaction.each(Statement(sql, Int64(20), "inner and long enough")) { inner in
                    seen.append(
                        "\(number) \(try inner.value(0, as: Int64.self)) \(try inner.value(1, as: String.self))")
                }
                seen.append(try outer.value(1))
            }
            return seen
        }
        #expect(
            seen
                == [11, 12].flatMap {
                    [
                        "\($0) 21 inner and long enough", "\($0) 22 inner and long enough", "outer and long enough",
                    ]
                })
    }

    @Test("a value that is not given is null, whatever the run before had there")
    func leftOver() async throws {
        let rows = try await database.read { transaction in
            try [[.integer(1), .text("two")], [.integer(3)], []].map { (values: [StoredValue]) in
                try transaction.rows(Statement("SELECT ?1, ?2", values: values)).map(\.values)
            }
        }
        #expect(rows == [[[.integer(1), .text("two")]], [[.integer(3), .null]], [[.null, .null]]])
    }

    @Test("text that is no statement is refused in words", arguments: ["", "SELEC 1", "SELECT * FROM nowhere"])
    func notAStatement(sql: String) async throws {
        let error = await #expect(throws: StoreError.self) {
            try await database.write { try $0.rows(Statement(sql)) }
        }
        guard case .unavailable(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.hasPrefix("the database failed: "))
        #expect(try await database.read { try $0.row(Statement("SELECT 1"))?.value(0) } == 1)
    }

    @Test("a text with a second statement is refused and not run in part")
    func secondStatement() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await database.write { transaction in
                try transaction.execute(
                    Statement("UPDATE store_state SET tried_at = 1; UPDATE store_state SET tried_at = 2"))
            }
        }
        #expect(error == .unavailable("the database failed: a text holds more than one statement"))
        let tried = try await database.read { transaction in
            try transaction.row(Statement("SELECT tried_at FROM store_state; "))?.value(0, as: Int64?.self)
        }
        #expect(tried == .some(nil))
    }
}
