public import OfferStore

/// How the database finds the rows of a statement.
public struct QueryPlan: Sendable {
    /// The statement.
    public let sql: String
    /// The steps, as `EXPLAIN QUERY PLAN` words them.
    public let steps: [String]

    /// Asks the database about a statement.
    ///
    /// - Throws: ``StoreError``.
    public init(of statement: Statement, in transaction: any StoreTransaction) throws {
        sql = statement.sql
        let rows = try transaction.rows(
            Statement("EXPLAIN QUERY PLAN \(statement.sql)", values: statement.values))
        steps = try rows.map { try $0.value(3, as: String.self) }
    }

    /// The costly steps that no reason allows.
    public var faults: [String] {
        steps.filter { step in Self.isCostly(step) && !AllowedStep.all.contains { $0.allows(step, of: sql) } }
    }

    /// Whether a step looks at every row of something, or puts an unknown number of rows in order.
    ///
    /// `SCAN` with an index reads the whole index, which is no better than the whole table; and an index searched by
    /// nothing but the scope finds all that an app has.
    private static func isCostly(_ step: String) -> Bool {
        if step == "SCAN CONSTANT ROW" { return false }
        if step.contains(/\(scope_id=\?( AND \w+[<>]\?)*\)/) { return true }
        return step.hasPrefix("SCAN") || step.contains("USE TEMP B-TREE") || step.contains("AUTOMATIC")
    }
}
