import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore

/// The drivers that the conformance suite runs on.
enum Driver: CaseIterable {
    case file
    case memory

    /// On PostgreSQL both would be the same.
    static let allCases: [Self] = TestStore.isPostgres ? [.file] : [.file, .memory]
}

/// A database with its audit, together with the directory of its file, which goes away with it.
struct KeptDatabase: StoreDatabase {
    let base: any DatabaseDriver
    let directory: TemporaryDirectory

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        defer { withExtendedLifetime(directory) {} }
        return try await base.read(body)
    }

    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        defer { withExtendedLifetime(directory) {} }
        return try await base.readInline(body)
    }

    /// The database, in a test of what only a file has.
    var file: SQLiteDatabase {
        get throws {
            guard let file = base as? SQLiteDatabase else { throw StoreError.unavailable("it is no file") }
            return file
        }
    }

    func close() throws { try base.close() }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        defer { withExtendedLifetime(directory) {} }
        return try await Ledger(base, digest: OpenSSLDigest()).write(by: AuditAuthor(actor: "tests"), body)
    }
}

/// A database of its own with one scope.
struct Bench: Sendable {
    let database: KeptDatabase
    let scope: ScopeNumber
    let other: ScopeNumber
    let directory: TemporaryDirectory
    static let now = Instant(milliseconds: 1_800_000_000_000)

    init(_ driver: Driver = .memory, limits: WriteLimits = .init()) async throws {
        directory = try TemporaryDirectory()
        let base =
            switch driver {
            case .memory: try TestStore.alone(in: directory, limits: limits)
            case .file: try TestStore(in: directory).open(limits: limits)
            }
        database = KeptDatabase(base: base, directory: directory)
        (scope, other) = try await database.write { transaction in
            let scopes = ScopeStore(transaction)
            return (
                try scopes.findOrAdd(Scope(bundleId: "com.example.pro", environment: .sandbox)),
                try scopes.findOrAdd(Scope(bundleId: "com.example.pro", environment: .production))
            )
        }
    }

    /// The path of the file driver's database.
    var path: String { directory.path("offers.sqlite") }

    /// The file driver's database as another process has it.
    func reopened() throws -> KeptDatabase {
        KeptDatabase(base: try TestStore(of: directory).open(), directory: directory)
    }

    @discardableResult
    func ingest(_ payloads: [HistoryPayload], at now: Instant = now) async throws -> [IngestedPayload] {
        let scope = scope
        return try await database.write { try HistoryStore($0).ingest(payloads, at: now, in: scope) }
    }

    /// The key of the audit's digests, for what needs one.
    static let digestKey = OpenSSLDigest().keyed(by: Array("a secret of the tests".utf8), name: "0123456789abcdef")

    /// The ledger as a service writes it whose configuration has a key for digests.
    var keyed: Ledger { Ledger(database.base, digest: OpenSSLDigest(), key: Self.digestKey) }

    /// Erases customers; `nil` if one has changed meanwhile.
    func erase(_ customers: [CustomerNumber], at now: Instant = now) async throws -> ErasureOutcome? {
        let scope = scope
        let plan = try await database.read {
            try ErasureStore($0).plan(for: customers, digestKey: Self.digestKey.name, in: scope)
        }
        return try await keyed.write(by: AuditAuthor(actor: "tests")) {
            try CustomerErasure(in: scope, at: now, author: "tests", offers: [], $0).run(plan, reason: "request 4711")
        }
    }

    /// The bytes of the payloads of some rows.
    func bytes<Payload>(of rows: [Recorded<Payload>]) async throws -> [[UInt8]] {
        let sequences = rows.map(\.sequence)
        return try await database.read { transaction in
            try sequences.map { sequence in
                let row = try transaction.row(
                    Statement(
                        """
                        SELECT payload FROM history_transaction WHERE sequence = ?1
                        UNION ALL SELECT payload FROM history_renewal_info WHERE sequence = ?1
                        UNION ALL SELECT payload FROM history_app_transaction WHERE sequence = ?1
                        """, sequence))
                return try row?.value(0) ?? []
            }
        }
    }

    /// The bytes of every payload that is stored, superseded or not.
    func storedPayloads() async throws -> Set<[UInt8]> {
        try await database.read { transaction in
            let tables = ["history_transaction", "history_renewal_info", "history_app_transaction"]
            return Set(
                try tables.flatMap { table in
                    try transaction.rows(Statement("SELECT payload FROM \(table)")).map { try $0.value(0) }
                })
        }
    }

    /// A customer proven by one transaction.
    func customer(_ id: TransactionId = "1000") async throws -> CustomerNumber {
        let payload = HistoryPayload.bought(id)
        let number = try await ingest([payload]).first?.customer
        guard let number else { throw StoreError.corrupt("a proven payload named nobody") }
        return number
    }
}
