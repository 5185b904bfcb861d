public import OfferModel

/// One revision of a scope's catalog, exactly as it was applied.
public struct CatalogRevision: Sendable, Hashable {
    public enum Format: String, Sendable, Hashable, CaseIterable, Codable, Storable {
        case yaml
        case json
    }

    public var revision: Int64
    public var document: String
    public var format: Format
    /// SHA-256 of the document, in lower-case hexadecimal.
    public var digest: String
    public var actor: String
    public var message: String?
    public var createdAt: Instant

    public init(
        revision: Int64, document: String, format: Format, digest: String, actor: String, message: String?,
        createdAt: Instant
    ) {
        self.revision = revision
        self.document = document
        self.format = format
        self.digest = digest
        self.actor = actor
        self.message = message
        self.createdAt = createdAt
    }
}

public struct CatalogChanged: Error, Sendable, Hashable {
    public let current: Int64
}

/// Catalog revisions, none of which is ever changed.
public struct CatalogStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The number of the revision in force; 0 before the first was applied.
    public func currentNumber(in scope: ScopeNumber) throws -> Int64 {
        try transaction.first(
            "SELECT revision FROM catalog_revision WHERE scope_id = ?1 ORDER BY revision DESC LIMIT 1", scope) ?? 0
    }

    /// The number of the revision that was in force at an instant; 0 before the first was applied.
    public func number(inForceAt instant: Instant, in scope: ScopeNumber) throws -> Int64 {
        try transaction.first(
            """
            SELECT revision FROM catalog_revision WHERE scope_id = ?1 AND created_at <= ?2
            ORDER BY revision DESC LIMIT 1
            """, scope, instant) ?? 0
    }

    public func current(in scope: ScopeNumber) throws -> CatalogRevision? {
        try transaction.first(
            """
            SELECT \(Self.columns) FROM catalog_revision WHERE scope_id = ?1 ORDER BY revision DESC LIMIT 1
            """, scope)
    }

    public func revision(_ number: Int64, in scope: ScopeNumber) throws -> CatalogRevision? {
        try transaction.first(
            "SELECT \(Self.columns) FROM catalog_revision WHERE scope_id = ?1 AND revision = ?2", scope, number)
    }

    public func page(before cursor: Int64?, limit: Int, in scope: ScopeNumber) throws -> [CatalogRevision] {
        try transaction.all(
            """
            SELECT \(Self.columns) FROM catalog_revision WHERE scope_id = ?1 AND revision < ?2
            ORDER BY revision DESC LIMIT ?3
            """, scope, cursor ?? .max, limit)
    }

    /// Puts the next revision in force, if the one in force is the one its author saw.
    ///
    /// - Parameters:
    ///   - next: the revision to keep; its number must be one more than `expected`.
    ///   - expected: the revision its author saw; 0 for none.
    /// - Throws: ``CatalogChanged``, or ``StoreError``.
    public func apply(_ next: CatalogRevision, expected: Int64, in scope: ScopeNumber) throws {
        let current = try currentNumber(in: scope)
        guard current == expected, next.revision == expected + 1 else { throw CatalogChanged(current: current) }
        transaction.memory?.contents.hasNewCatalog = true
        try transaction.insert(
            .catalog, CatalogRevisionRow(scope: scope, revision: next), at: next.createdAt, in: scope,
            before: ["revision": current], after: ["revision": next.revision])
        try ScopeStore(transaction).advanceGeneration(of: scope)
    }

    private static let columns = CatalogRevision.list()
}

extension CatalogRevision: TableRow {
    static let blank = CatalogRevision(
        revision: 0, document: "", format: .yaml, digest: "", actor: "", message: nil, createdAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("revision", &revision, .fixed("CHECK (revision > 0)"))
        try columns("document", &document, .fixed)
        try columns("format", &format, .fixed("CHECK (format IN ('yaml', 'json'))"))
        try columns("digest", &digest, .fixed("CHECK (length(digest) = 64)"))
        try columns("actor", &actor, .fixed)
        try columns("message", &message, .erasable)
        try columns("created_at", &createdAt, .fixed)
    }
}

struct CatalogRevisionRow: LedgerRecord {
    static var ledger: LedgerTable { .catalogRevision }

    var scope: ScopeNumber
    var revision: CatalogRevision

    static let blank = CatalogRevisionRow(scope: .blank, revision: .blank)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try revision.visit(&columns)
    }
}
