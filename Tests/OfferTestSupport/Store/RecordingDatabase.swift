public import OfferStore
import Synchronization

/// A database that remembers every statement that passes, so that no list of them is kept by hand.
public struct RecordingDatabase: StoreDatabase {
    private let real: any StoreDatabase
    /// What has passed.
    public let statements: RecordedStatements

    /// Remembers what passes to a database.
    public init(_ real: any StoreDatabase, _ statements: RecordedStatements = RecordedStatements()) {
        self.real = real
        self.statements = statements
    }

    /// Runs a body on a snapshot.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let statements = statements
        return try await real.read { try body(statements.recording($0, isWriting: false)) }
    }

    /// Runs a body in a durable transaction.
    public func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let statements = statements
        return try await real.write(expecting: expectation) { try body(statements.recording($0)) }
    }
}

/// The statements that have passed, each text with the values of its first use.
public final class RecordedStatements: Sendable {
    private struct Uses {
        let first: Statement
        var count = 0
        var writing = 0
    }

    private let uses = Mutex<[String: Uses]>([:])

    /// None yet.
    public init() {}

    /// One statement of each text.
    public var all: [Statement] {
        uses.withLock { $0.values.map(\.first) }.sorted { $0.sql < $1.sql }
    }

    /// How often each text was run in writing transactions.
    public var written: [String: Int] {
        uses.withLock { $0.mapValues(\.writing).filter { $0.value > 0 } }
    }

    /// How many statements were run.
    public var total: Int {
        uses.withLock { $0.values.reduce(0) { $0 + $1.count } }
    }

    /// A transaction whose statements are remembered here.
    public func recording(_ transaction: any StoreTransaction, isWriting: Bool = true) -> any StoreTransaction {
        RecordingTransaction(real: transaction, statements: self, isWriting: isWriting)
    }

    fileprivate func add(_ statement: Statement, isWriting: Bool) {
        uses.withLock { uses in
            var known = uses[statement.sql] ?? Uses(first: statement)
            known.count += 1
            if isWriting { known.writing += 1 }
            uses[statement.sql] = known
        }
    }
}

private final class RecordingTransaction: StoreTransaction {
    let real: any StoreTransaction
    let statements: RecordedStatements
    let isWriting: Bool

    init(real: any StoreTransaction, statements: RecordedStatements, isWriting: Bool) {
        self.real = real
        self.statements = statements
        self.isWriting = isWriting
    }

    var recording: AuditLog? { real.recording }

    var memory: TransactionCache? { real.memory }
    func goesOnAfterNUL(_ column: String) -> String? { real.goesOnAfterNUL(column) }

    func rows(_ statement: Statement) throws -> [StoredRow] {
        statements.add(statement, isWriting: isWriting)
        return try real.rows(statement)
    }

    func changes(by statement: Statement) throws -> Int {
        statements.add(statement, isWriting: isWriting)
        return try real.changes(by: statement)
    }
}
