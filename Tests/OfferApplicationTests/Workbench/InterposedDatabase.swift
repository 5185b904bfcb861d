import OfferStore
import Synchronization

/// The real database with something happening around its writes.
struct InterposedDatabase: StoreDatabase {
    /// The failure that a test asks for.
    struct Broken: Error {}

    let real: any StoreDatabase
    /// Happens before a read or look begins.
    var beforeRead: @Sendable () async throws -> Void = {}
    /// Happens before a write begins: what another process may do in between.
    var beforeWrite: @Sendable () async throws -> Void = {}
    /// Happens at the end of the body; throwing undoes what it did.
    var insideWrite: @Sendable () throws -> Void = {}
    /// Happens after the commit; throwing loses its confirmation.
    var afterWrite: @Sendable () throws -> Void = {}

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await beforeRead()
        return try await real.read(body)
    }

    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await beforeRead()
        return try await real.readInline(body)
    }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await beforeWrite()
        let insideWrite = insideWrite
        let result = try await real.write(expecting: expectation) { transaction in
            let result = try body(transaction)
            try insideWrite()
            return result
        }
        try afterWrite()
        return result
    }
}

/// Counts how often something happened.
final class Counter: Sendable {
    private let count = Mutex(0)

    /// How often it happened so far.
    var total: Int { count.withLock { $0 } }

    /// Counts once more and says how often that makes.
    @discardableResult
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
