import Dispatch
import OfferStore

/// The real database whose reading bodies are held before a statement of the test's choice, until the test lets them
/// go.
final class HeldReads: StoreDatabase {
    private let real: any StoreDatabase
    private let word: String
    private let opened = DispatchSemaphore(value: 0)
    private let (entries, entry) = AsyncStream<Void>.makeStream()

    /// - Parameter word: what the statement contains.
    init(_ real: any StoreDatabase, before word: String) {
        self.real = real
        self.word = word
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await real.read { try body(HeldTransaction(real: $0, holder: self)) }
    }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await real.write(expecting: expectation, body)
    }

    /// Waits until a body is held.
    func entered() async {
        for await _ in entries { return }
    }

    /// Lets the one that is held go.
    func open() { opened.signal() }

    private final class HeldTransaction: StoreTransaction {
        let real: any StoreTransaction
        let holder: HeldReads

        init(real: any StoreTransaction, holder: HeldReads) {
            self.real = real
            self.holder = holder
        }

        var memory: TransactionCache? { real.memory }
        func goesOnAfterNUL(_ column: String) -> String? { real.goesOnAfterNUL(column) }

        func rows(_ statement: Statement) throws -> [StoredRow] {
            if statement.sql.contains(holder.word) {
                holder.entry.yield()
                holder.opened.wait()
            }
            return try real.rows(statement)
        }

        func changes(by statement: Statement) throws -> Int { try real.changes(by: statement) }
    }
}
