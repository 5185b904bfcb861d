public import OfferModel
import OfferStore

/// Who applied what, and when.
public struct AppliedRevision: Sendable, Hashable {
    /// The document.
    public var document: CatalogDocument
    /// The id of the API key that applied it.
    public var actor: String
    /// What its author said about it.
    public var message: String?
    /// When it was applied.
    public var createdAt: Instant

    /// A revision by its parts.
    public init(document: CatalogDocument, actor: String, message: String?, createdAt: Instant) {
        self.document = document
        self.actor = actor
        self.message = message
        self.createdAt = createdAt
    }
}

extension CatalogRevisions {
    /// A page of the revisions, newest first.
    ///
    /// - Parameter before: only revisions before this one.
    /// - Returns: the revisions, and where the next page starts.
    /// - Throws: what the store throws.
    public func page(
        before: Int64?, limit: Int, caller: Caller
    ) async throws -> (items: [AppliedRevision], next: Int64?) {
        let found = try await database.read { transaction -> [CatalogRevision] in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return [] }
            // One more than asked for tells whether there is another page.
            return try CatalogStore(transaction).page(before: before, limit: limit + 1, in: number)
        }
        let shown = found.prefix(limit)
        return (shown.map(AppliedRevision.init), found.count > limit ? shown.last?.revision : nil)
    }

    /// One revision with its document.
    ///
    /// - Throws: ``RequestError/unknownRevision(_:)`` and what the store throws.
    public func revision(_ revision: Int, caller: Caller) async throws -> AppliedRevision {
        let stored = try await database.read { transaction -> CatalogRevision? in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            return try CatalogStore(transaction).revision(Int64(revision), in: number)
        }
        guard let stored else { throw RequestError.unknownRevision(String(revision)) }
        return AppliedRevision(stored)
    }
}

extension AppliedRevision {
    fileprivate init(_ stored: CatalogRevision) {
        self.init(
            document: CatalogDocument(
                revision: Int(stored.revision), text: stored.document, format: stored.format == .yaml ? .yaml : .json),
            actor: stored.actor, message: stored.message, createdAt: stored.createdAt)
    }
}
