import OfferStore

/// The real database that calls a test at every point of a writing transaction where a process can be lost: before
/// each statement, before the commit, and after it. How many there are is found by counting, and written down nowhere.
struct StoppingDatabase: StoreDatabase {
    /// What is about to happen, or has just happened.
    enum Point: Sendable, CustomStringConvertible {
        case statement(String)
        case commit
        case committed

        var description: String {
            switch self {
            case .statement(let sql): "before `\(sql.prefix(60))`"
            case .commit: "before the commit"
            case .committed: "after the commit"
            }
        }
    }

    let real: any StoreDatabase
    /// Called with the number of the point, from 1; throwing makes the statement or the commit fail.
    let reach: @Sendable (Int, Point) throws -> Void
    private let counter = Counter()

    init(_ real: any StoreDatabase, reach: @escaping @Sendable (Int, Point) throws -> Void) {
        self.real = real
        self.reach = reach
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await real.read(body)
    }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let result = try await real.write(expecting: expectation) { transaction in
            let result = try body(StoppingTransaction(real: transaction, reach: pass))
            try pass(.commit)
            return result
        }
        try pass(.committed)
        return result
    }

    private func pass(_ point: Point) throws {
        try reach(counter.next(), point)
    }
}

private final class StoppingTransaction: StoreTransaction {
    let real: any StoreTransaction
    let reach: (StoppingDatabase.Point) throws -> Void

    init(real: any StoreTransaction, reach: @escaping (StoppingDatabase.Point) throws -> Void) {
        self.real = real
        self.reach = reach
    }

    var memory: TransactionCache? { real.memory }
    func goesOnAfterNUL(_ column: String) -> String? { real.goesOnAfterNUL(column) }

    func rows(_ statement: Statement) throws -> [StoredRow] {
        try reach(.statement(statement.sql))
        return try real.rows(statement)
    }

    func changes(by statement: Statement) throws -> Int {
        try reach(.statement(statement.sql))
        return try real.changes(by: statement)
    }
}
