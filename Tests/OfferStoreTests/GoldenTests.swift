import OfferModel
import OfferTestSupport
import Testing

@testable import OfferStore

@Suite("Golden bytes of the store")
struct GoldenTests {
    @Test("the schema is Tests/Goldens/schema.sql", .onSQLite("its own words"))
    func schema() async throws {
        let bench = try await Bench()
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        let statements: [String] = try await bench.database.read { transaction in
            try transaction.rows(Statement(sql)).map { try $0.value(0) }
        }
        let text =
            statements.map { statement in
                statement.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(
                    separator: "\n")
            }.joined(separator: ";\n") + ";\n"
        let difference = try Golden("schema.sql").difference(from: text)
        #expect(difference == nil)
    }

    @Test("the audit of a ledger with every kind of event is Tests/Goldens/audit.txt")
    func audit() async throws {
        let audited = try await AuditedBench(salt: Array(repeating: 7, count: 32))
        let columns = [
            "sequence", "kind", "actor", "at", "coalesce(request_id, '-')", "coalesce(CAST(scope_id AS TEXT), '-')",
            "coalesce(CAST(issued_offer AS TEXT), '-')", "digest_key", "coalesce(before_change, '-')",
            "coalesce(after_change, '-')",
            "ledger_rows", "lower(hex(previous_hash))", "lower(hex(hash))",
        ]
        let events = try await audited.texts(
            "SELECT \(columns.joined(separator: " || '\n' || ")) || '\n' FROM audit_event ORDER BY sequence")
        let difference = try Golden("audit.txt").difference(from: events.joined(separator: "\n"))
        #expect(difference == nil)
    }

    @Test("decision records are packed as Tests/Goldens/records.txt")
    func records() throws {
        var generator = SeededGenerator(seed: 2_026)
        let packed = (0..<5).map { number in
            Hexadecimal.lowercase(DecisionRecord.random(&generator, isFull: number > 0).stored) + "\n"
        }
        let difference = try Golden("records.txt").difference(from: packed.joined())
        #expect(difference == nil)
    }
}
