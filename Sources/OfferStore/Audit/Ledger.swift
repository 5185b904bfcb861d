public import OfferModel
import Synchronization

public struct AuditAuthor: Sendable, Hashable {
    /// The id of an API key, a command such as `offerd api-keys revoke`, or the App Store; never a customer. After the key
    /// in brackets, the name that a person gave the console.
    public var actor: String
    /// The request; absent for a command and for what the service does by itself.
    public var requestId: LowercaseUUID?

    public init(actor: String, requestId: LowercaseUUID? = nil) {
        self.actor = actor
        self.requestId = requestId
    }

    public static let service = AuditAuthor(actor: "offerd serve")
}

/// The database with its audit: every write names its author, and its events are part of the same transaction.
public final class Ledger: Sendable {
    private let database: any StoreDatabase
    private let digest: any Digest
    private let configured: (any KeyedDigest)?
    private let onRedemptions: @Sendable (RedemptionNews) -> Void
    private let salted = Mutex<(any KeyedDigest)?>(nil)

    /// - Parameters:
    ///   - key: takes the keyed digests of what may be erased; without it they are taken with random bytes that lie in
    ///     the database, which hides nothing from anyone with the file.
    ///   - onRedemptions: is told what became known about uses of offers, once it is durable.
    public init(
        _ database: any StoreDatabase, digest: any Digest, key: (any KeyedDigest)? = nil,
        onRedemptions: @escaping @Sendable (RedemptionNews) -> Void = { _ in }
    ) {
        self.onRedemptions = onRedemptions
        self.database = database
        self.digest = digest
        configured = key
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await database.read(body)
    }

    public func readInline<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await database.readInline(body)
    }

    public func readOnce<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await database.readOnce(body)
    }

    /// Runs a body in the next durable transaction, see ``StoreDatabase/write(_:)``, and records there what it changed.
    ///
    /// - Parameters:
    ///   - author: who answers for it.
    ///   - expectation: what the body will ask first; may be left out.
    /// - Throws: what the body throws, `CancellationError`, or ``StoreError``; then nothing of it was kept.
    public func write<T: Sendable>(
        by author: AuditAuthor, expecting expectation: WriteExpectation.Maker? = nil,
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let recorded: @Sendable (any StoreTransaction) throws -> (T, [RedemptionNews]) = { transaction in
            let recording = AuditLog(author: author, digests: try self.digests(transaction))
            let value = try body(RecordedTransaction(base: transaction, recording: recording))
            try recording.finish(transaction)
            return (value, try recording.news(transaction))
        }
        let expected: WriteExpectation.Maker = {
            guard let expectation = expectation?() else { return nil }
            return self.recorded(expectation, by: author)
        }
        let (value, news) = try await database.write(expecting: expected, recorded)
        news.forEach(onRedemptions)
        return value
    }

    /// The same with what is asked for the records.
    private func recorded(_ expectation: WriteExpectation, by author: AuditAuthor) -> WriteExpectation {
        var expectation = expectation
        expectation.operations = expectation.operations.map { operation -> WriteExpectation.Operation in
            { transaction in
                let recording = AuditLog(author: author, digests: try self.digests(transaction))
                try operation(RecordedTransaction(base: transaction, recording: recording))
            }
        }
        expectation.operations.append { _ = try AuditHead.read($0) }
        return expectation
    }

    private func digests(_ transaction: any StoreTransaction) throws -> LedgerDigests {
        if let configured { return LedgerDigests(digest: digest, keyed: configured) }
        let known = salted.withLock { $0 }
        let keyed = try known ?? digest.keyed(by: SaltedDigest.salt(transaction), name: SaltedDigest.name)
        if known == nil { salted.withLock { $0 = keyed } }
        return LedgerDigests(digest: digest, keyed: keyed)
    }
}

/// A writing transaction whose changes are recorded.
private final class RecordedTransaction: StoreTransaction {
    let base: any StoreTransaction
    let recording: AuditLog?

    init(base: any StoreTransaction, recording: AuditLog?) {
        self.base = base
        self.recording = recording
    }

    var memory: TransactionCache? { base.memory }

    func goesOnAfterNUL(_ column: String) -> String? { base.goesOnAfterNUL(column) }

    func rows(_ statement: Statement) throws -> [StoredRow] {
        try base.rows(statement)
    }

    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        try base.each(statement, body)
    }

    func execute(_ statement: Statement) throws { try base.execute(statement) }

    func changes(by statement: Statement) throws -> Int { try base.changes(by: statement) }

    func prefetch(_ statements: [Statement]) throws { try base.prefetch(statements) }

    var prefetches: Bool { base.prefetches }

    func concerns(_ others: () -> [Concern]) { base.concerns(others) }
}
