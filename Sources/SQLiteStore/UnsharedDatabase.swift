public import OfferStore
import Synchronization

/// A database file that no other process knows yet, such as a copy that is being completed. Nothing is made beside it.
public final class UnsharedDatabase: StoreDatabase {
    private let connection: Mutex<Connection>

    /// - Throws: ``StoreError``.
    public init(path: String) throws {
        connection = Mutex(try Connection(path: path, .readWrite))
    }

    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try connection.withLock { try $0.reading(body) }
    }

    public func readInline<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T { try await read(body) }

    public func readOnce<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T { try await read(body) }

    public func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try connection.withLock { connection in try connection.writing { try body(connection) } }
    }
}
