import OfferCatalog
import OfferEligibility
import OfferModel
import OfferStore

/// Catalogs as marketing applies them: one document a revision, never edited.
public struct CatalogRevisions: Sendable {
    let database: Ledger
    private let digest: any Digest
    private let clock: RequestClock

    init(database: Ledger, digest: any Digest, clock: RequestClock) {
        self.database = database
        self.digest = digest
        self.clock = clock
    }

    /// The document in force, as it was applied; revision 0 and an empty text if there is none.
    ///
    /// - Throws: what the store throws.
    public func current(caller: Caller) async throws -> CatalogDocument {
        let stored = try await database.read { transaction -> CatalogRevision? in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            return try CatalogStore(transaction).current(in: number)
        }
        guard let stored else { return CatalogDocument(revision: 0, text: "", format: .yaml) }
        return CatalogDocument(
            revision: Int(stored.revision), text: stored.document, format: stored.format == .yaml ? .yaml : .json)
    }

    /// Puts a document in force, if it is valid and made from the revision in force.
    ///
    /// - Parameters:
    ///   - expectedRevision: the revision the change was made from.
    ///   - dryRun: whether to tell only what would change.
    /// - Returns: the revision and the differences; the text in force applied again makes no new revision.
    /// - Throws: ``RequestError/invalidCatalog(_:)``, ``RequestError/catalogChanged(current:)``, and what the store
    ///   throws.
    public func apply(
        _ text: String, format: CatalogDocument.Format, expectedRevision: Int, message: String?, dryRun: Bool,
        caller: Caller
    ) async throws -> CatalogApplied {
        let catalog = try CatalogDocument.catalog(text, for: caller.scope)
        let clock = clock
        let digest = Hexadecimal.lowercase(digest.sha256(Array(text.utf8)))
        let body: @Sendable (any StoreTransaction) throws -> CatalogApplied = { transaction in
            let scopes = ScopeStore(transaction)
            let number = try dryRun ? scopes.number(of: caller.scope) : scopes.findOrAdd(caller.scope)
            let current = try number.map { try CatalogStore(transaction).current(in: $0) } ?? nil
            let revision = Int(current?.revision ?? 0)
            guard revision == expectedRevision else { throw RequestError.catalogChanged(current: revision) }
            let old = try current.map { try CatalogReader.read($0.document).value }
            let changes = CatalogDifference.changes(
                from: old ?? Catalog(bundleId: caller.scope.bundleId), to: catalog)
            if let number { try FrozenOffers.check(catalog, text: text, in: number, transaction) }
            guard !dryRun, let number, current?.digest != digest else {
                return CatalogApplied(revision: revision, changes: changes)
            }
            let storeClock = StoreClock(transaction)
            let now = try clock.instant(transaction)
            let next = CatalogRevision(
                revision: Int64(revision) + 1, document: text, format: format == .yaml ? .yaml : .json,
                digest: digest, actor: caller.apiKeyId, message: message, createdAt: now)
            try CatalogStore(transaction).apply(next, expected: Int64(revision), in: number)
            try storeClock.advance(to: now)
            return CatalogApplied(revision: Int(next.revision), changes: changes)
        }
        return try await dryRun ? database.read(body) : database.write(by: caller.author, body)
    }
}
