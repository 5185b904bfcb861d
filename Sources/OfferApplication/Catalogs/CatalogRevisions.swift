package import OfferAPI
package import OfferDocuments
package import OfferModel
import OfferStore

/// Catalogs as marketing applies them: one document a revision, never edited.
public struct CatalogRevisions: Sendable {
    let database: Ledger
    let compiled: CompiledCatalogs
    let digest: any Digest
    let clock: RequestClock
    let work: LongWork

    /// The document in force, as it was applied; revision 0 and an empty text if there is none.
    public func current(caller: Caller) async throws -> CatalogDocument {
        let stored = try await database.read { transaction -> CatalogRevision? in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            return try CatalogStore(transaction).current(in: number)
        }
        return stored.map(CatalogDocument.init) ?? CatalogDocument(revision: 0, text: "", format: .yaml)
    }

    /// The same as values, without a wait for other catalogs; `nil` where there is none, and where this version cannot
    /// read it.
    package func inForce(caller: Caller) async throws -> (document: CatalogDocument, catalog: Catalog?) {
        let compiled = compiled
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let stored = try CatalogStore(transaction).current(in: number)
            else { return (CatalogDocument(revision: 0, text: "", format: .yaml), nil) }
            do {
                let read = try compiled.catalog(stored.revision, of: number, in: caller.scope, transaction)
                return (CatalogDocument(stored), read.catalog)
            } catch is InvalidDocument {
                return (CatalogDocument(stored), nil)
            }
        }
    }

    /// Puts a document in force, if it is valid and made from the revision in force.
    ///
    /// - Returns: the revision and the differences; the text in force applied again makes no new revision.
    /// - Throws: `invalidCatalog`, `catalogChanged`, `busy`.
    package func apply(
        _ text: String, format: CatalogDocument.Format, expectedRevision: Int, message: String?, dryRun: Bool,
        caller: Caller
    ) async throws -> CatalogApplied {
        // Beside the transaction, which keeps all others from recording anything.
        let (catalog, changes) = try await work.run {
            let catalog = try CatalogDocument.catalog(text, isJSON: format == .json, for: caller.scope)
            let inForce = try await current(caller: caller)
            guard inForce.revision == expectedRevision else {
                throw RequestError.catalogChanged(current: inForce.revision)
            }
            var old = Catalog(bundleId: caller.scope.bundleId)
            if inForce.revision > 0 { old = try CatalogReader.read(inForce.text).value }
            return (catalog, CatalogDifference.all(from: old, to: catalog).map(CatalogChange.init))
        }
        let digest = Hexadecimal.lowercase(digest.sha256(Array(text.utf8)))
        let body: @Sendable (any StoreTransaction) throws -> CatalogApplied = { transaction in
            let scopes = ScopeStore(transaction)
            let number = try dryRun ? scopes.number(of: caller.scope) : scopes.findOrAdd(caller.scope)
            let current = try number.map { try CatalogStore(transaction).current(in: $0) } ?? nil
            let revision = Int(current?.revision ?? 0)
            guard revision == expectedRevision else { throw RequestError.catalogChanged(current: revision) }
            if let number { try FrozenOffers.check(catalog, text: text, in: number, transaction) }
            guard !dryRun, let number, current?.digest != digest else {
                return CatalogApplied { ($0.revision, $0.changes) = (revision, changes) }
            }
            let storeClock = StoreClock(transaction)
            let now = try clock.instant(transaction)
            let next = CatalogRevision(
                revision: Int64(revision) + 1, document: text, format: format == .yaml ? .yaml : .json,
                digest: digest, actor: caller.actor, message: message, createdAt: now)
            try CatalogStore(transaction).apply(next, expected: Int64(revision), in: number)
            try storeClock.advance(to: now)
            return CatalogApplied { ($0.revision, $0.changes) = (revision + 1, changes) }
        }
        return try await dryRun ? database.read(body) : database.write(by: caller.author, body)
    }

    /// Who applied what, newest first, without the documents.
    package func page(before: Int64?, limit: Int, caller: Caller) async throws -> PageBody<AppliedRevision> {
        let found = try await database.read { transaction -> [AppliedRevision] in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return [] }
            // One more than asked for tells whether there is another page.
            let stored = try CatalogStore(transaction).page(before: before, limit: limit + 1, in: number)
            // Few keys apply catalogs, however many revisions there are.
            var labels: [String: String?] = [:]
            for actor in Set(stored.map(\.actor)) {
                labels[actor] = try APIKeyStore(transaction).key(RecordedActor(actor).key)?.key.label
            }
            return stored.map { AppliedRevision($0, label: labels[$0.actor] ?? nil) }
        }
        let shown = found.prefix(limit)
        return PageBody(
            items: Array(shown),
            next: found.count > limit ? shown.last.map { ListCursor.revisions.text(Int64($0.revision)) } : nil)
    }

    /// - Throws: `unknownRevision`.
    package func revision(_ revision: Int, caller: Caller) async throws -> AppliedRevision {
        let applied = try await database.read { transaction -> AppliedRevision? in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let stored = try CatalogStore(transaction).revision(Int64(revision), in: number)
            else { return nil }
            let label = try APIKeyStore(transaction).key(RecordedActor(stored.actor).key)?.key.label
            var applied = AppliedRevision(stored, label: label)
            applied.format = stored.format.rawValue
            applied.document = stored.document
            return applied
        }
        guard let applied else { throw RequestError.unknownRevision(String(revision)) }
        return applied
    }
}

extension CatalogChange {
    package init(_ difference: CatalogDifference) {
        self.init()
        (offerId, change, path) = (difference.offerId, difference.kind.rawValue, difference.path)
        (from, to) = (difference.from, difference.to)
    }
}

extension AppliedRevision {
    fileprivate init(_ stored: CatalogRevision, label: String?) {
        self.init()
        actorLabel = label
        let author = RecordedActor(stored.actor)
        (actor, person) = (author.key, author.person)
        (revision, message) = (Int(stored.revision), stored.message)
        createdAt = stored.createdAt
    }
}

extension CatalogDocument {
    fileprivate init(_ stored: CatalogRevision) {
        self.init(
            revision: Int(stored.revision), text: stored.document, format: stored.format == .yaml ? .yaml : .json)
    }
}

/// A catalog as it was applied: the text itself, comments and all.
public struct CatalogDocument: Sendable, Hashable {
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case yaml
        case json
    }

    /// The revision; 0 is the empty catalog before the first is applied.
    public var revision: Int
    public var text: String
    public var format: Format
}

extension CatalogDocument {
    /// Reads a document that is meant for an app.
    ///
    /// - Throws: `invalidCatalog` with everything that is wrong with it.
    static func catalog(
        _ text: String, isJSON: Bool = false, for scope: Scope
    ) throws(RequestError) -> Catalog {
        let catalog: Catalog
        do throws(InvalidDocument) {
            catalog = try CatalogReader.read(text, isJSON: isJSON).value
        } catch {
            throw .invalidCatalog(error.errors)
        }
        guard catalog.bundleId == scope.bundleId else {
            throw .invalidCatalog([
                DocumentPlaces(text).issue(
                    .wrongApp, at: "bundleId",
                    detail: "the catalog is for `\(catalog.bundleId)`, the API key for `\(scope.bundleId)`",
                    hint: "use an API key of that app")
            ])
        }
        try checkGroups(catalog, text: text, in: scope.environment)
        return catalog
    }

    /// Groups have other ids only where the App Store is not Apple's: Xcode signs what its StoreKit configuration file
    /// says.
    private static func checkGroups(
        _ catalog: Catalog, text: String, in environment: AppStoreEnvironment
    ) throws(RequestError) {
        guard environment == .production || environment == .sandbox else { return }
        var issues: [DocumentIssue] = []
        lazy var places = DocumentPlaces(text)
        for (index, group) in catalog.subscriptionGroups.enumerated() where issues.count < DocumentLimits.issues {
            guard !group.id.rawValue.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
            issues.append(
                places.issue(
                    .invalidValue, at: "subscriptionGroups[\(index)].id",
                    detail: "`\(group.id)` is not a subscription group of App Store Connect: its ids are digits",
                    hint: "copy it from App Store Connect; other ids are for Xcode and LocalTesting"))
        }
        guard issues.isEmpty else { throw .invalidCatalog(issues) }
    }
}

/// What may no longer change once an offer was issued: its kind and Apple's name of it, because its issued offers,
/// limits and redemptions are found by them (docs/catalog.md).
enum FrozenOffers {
    /// Holds a new catalog to the offers issued so far.
    ///
    /// - Throws: `invalidCatalog` naming every offer that differs.
    static func check(_ catalog: Catalog, text: String, in scope: ScopeNumber, _ transaction: any StoreTransaction)
        throws
    {
        var issues: [DocumentIssue] = []
        let everIssued = Set(try EvaluationStore(transaction).issuedOffers(in: scope))
        // Found once, however many offers differ.
        lazy var places = DocumentPlaces(text)
        for (index, offer) in catalog.offers.enumerated() where issues.count < DocumentLimits.issues {
            let issued = try offer.ids.filter(everIssued.contains).compactMap {
                try IssuedOfferStore(transaction).firstIssued(of: $0, in: scope)?.issuedOffer
            }
            let fields: [(name: String, was: [String?], now: String?)] = [
                ("type", issued.map(\.offerType.rawValue), offer.type.rawValue),
                ("offerIdentifier", issued.map { $0.offerIdentifier?.rawValue }, offer.offerIdentifier?.rawValue),
            ]
            for (field, all, now) in fields {
                guard let was = all.first(where: { $0 != now }) else { continue }
                issues.append(
                    places.issue(
                        .frozenOnceIssued, at: "offers[\(index)].\(field)",
                        detail:
                            "`\(field)` of offer `\(offer.id)` was `\(was ?? "")` when it was first issued and is now "
                            + "`\(now ?? "")`",
                        hint: offer.formerly.isEmpty
                            ? "archive this offer and add a new one under another id"
                            : "`formerly` renames one offer; leave it out for another one"))
            }
        }
        guard issues.isEmpty else { throw RequestError.invalidCatalog(issues) }
    }
}
