import OfferStore
import OfferTestSupport
import SQLiteStore
import Synchronization
import Testing

/// Holds every statement that a request of any test of this suite has run to an index; each text is judged once, at the
/// end of the test that ran it first. So the statements of a new route are judged without anybody listing them.
enum RequestStatements {
    private static let judged = Mutex<Set<String>>([])

    static func judge(_ statements: RecordedStatements, in database: SQLiteDatabase) async throws {
        let new = judged.withLock { judged in statements.all.filter { judged.insert($0.sql).inserted } }
        let plans: [QueryPlan]
        do {
            plans = try await self.plans(of: new, in: database)
        } catch is StoreError {
            // The test has broken the database; another will judge them.
            judged.withLock { $0.subtract(new.map(\.sql)) }
            return
        }
        for plan in plans {
            for fault in plan.faults {
                Issue.record("a request runs a statement without an index: \(fault)\n\(plan.sql)")
            }
        }
    }

    static func plans(of statements: [Statement], in database: SQLiteDatabase) async throws -> [QueryPlan] {
        try await database.write { transaction in
            try statements.map { try QueryPlan(of: $0, in: transaction) }
        }
    }
}
