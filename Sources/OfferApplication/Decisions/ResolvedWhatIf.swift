import AppStoreData
import OfferAPI
import OfferDocuments
import OfferModel
import OfferSigning
import OfferStore

/// A what-if whose documents are read, before any database is held for it.
struct ResolvedWhatIf: Sendable {
    enum Catalog: Sendable {
        case document(String, OfferModel.Catalog)
        case revision(Int)
    }

    /// A history that replaces the stored one.
    struct Supplied: Sendable {
        var payloads: DecodedHistory
        var issuedOffers: [SuppliedOffer]?
        var isComplete: Bool
    }

    let asOf: Instant?
    let history: Supplied?
    let catalog: Catalog?

    /// - Throws: `invalidRequest` at a payload that cannot be taken, `invalidCatalog`, `busy`.
    init(_ inquiry: Inquiry, scope: Scope, checking: LongWork) async throws {
        asOf = inquiry.asOf
        history = try inquiry.history.map { try Supplied($0, scope: scope) }
        guard let text = inquiry.catalog else {
            catalog = inquiry.catalogRevision.map(Catalog.revision)
            return
        }
        catalog = .document(text, try await checking.run { try CatalogDocument.catalog(text, for: scope) })
    }
}

extension ResolvedWhatIf.Supplied {
    fileprivate init(_ supplied: SuppliedHistory, scope: Scope) throws(RequestError) {
        do throws(SuppliedPayloadRefusal) {
            payloads = try SuppliedHistoryReader(scope: scope).read(supplied)
        } catch {
            throw .invalidRequest(
                pointer: "/history/" + error.path.joined(separator: "/"), detail: error.refusal.detail,
                hint: Self.hint(error.refusal))
        }
        issuedOffers = supplied.issuedOffers
        isComplete = supplied.isComplete
    }

    private static func hint(_ refusal: SignedDataRefusal) -> String? {
        switch refusal.code {
        case .wrongBundleId: "use an API key of that app"
        case .wrongEnvironment: "use an API key of that environment, or leave the member out"
        default:
            refusal.member == nil
                ? "`transactions`, `renewalInfos` and `appTransaction` take Apple's payloads decoded: the JSON object in the middle part of each JWS"
                : nil
        }
    }
}

extension ResolvedWhatIf.Supplied {
    /// The facts of the subject, with this history instead of the stored one.
    ///
    /// - Throws: `invalidRequest` at an offer that the catalog cannot have issued.
    func facts(
        replacing stored: SubjectFacts, at now: Instant, in catalog: Catalog, _ policy: Policy
    ) throws(RequestError) -> SubjectFacts {
        var facts = stored
        facts.history = History(payloads, isComplete: isComplete, at: now)
        facts.keptEvidence = []
        guard let issuedOffers else { return facts }
        // Which grants are used is told by the issued offers, and these are others.
        (facts.issuedOffers, facts.grants) = ([], [])
        for (place, offer) in issuedOffers.enumerated() {
            do throws(SuppliedOfferFault) {
                facts.issuedOffers.append(try IssuedOffer(offer, place: place, in: catalog, policy: policy))
            } catch {
                throw .invalidRequest(
                    pointer: "/history/issuedOffers/\(place)/\(error.member)", detail: error.detail(offer),
                    hint: error.hint(catalog.offer(everNamed: offer.offerId)))
            }
        }
        return facts
    }

    /// Refuses what was signed or issued after the instant that is decided at: it would count although it cannot be
    /// known yet. Not for a supposed instant, which leaves such evidence out.
    ///
    /// - Throws: `invalidRequest`.
    func requireKnown(at now: Instant) throws(RequestError) {
        let latest = now.adding(milliseconds: SignedDataReader.allowedClockSkewMilliseconds)
        let dates: [(date: Instant, place: String)] =
            payloads.transactions.enumerated().map { ($1.payload.signedDate, "transactions/\($0)/signedDate") }
            + payloads.renewalInfos.enumerated().map { ($1.payload.signedDate, "renewalInfos/\($0)/signedDate") }
            + (payloads.appTransaction.map {
                [($0.payload.receiptCreationDate, "appTransaction/receiptCreationDate")]
            } ?? [])
            + (issuedOffers ?? []).enumerated().map { ($1.issuedAt, "issuedOffers/\($0)/issuedAt") }
        guard let first = dates.first(where: { $0.date > latest }) else { return }
        throw .invalidRequest(
            pointer: "/history/\(first.place)",
            detail: "`\(first.date)` is after the instant that is decided at, `\(now)`",
            hint: "correct the date, or give `asOf`, which decides at another instant")
    }
}

extension SuppliedOfferFault {
    fileprivate func detail(_ offer: SuppliedOffer) -> String {
        switch self {
        case .unknownOffer: "the catalog has no offer `\(offer.offerId)`"
        case .productRequired: "the offer `\(offer.offerId)` has several products and none is named"
        case .unknownProduct: "the offer `\(offer.offerId)` is not for `\(offer.productId?.rawValue ?? "")`"
        }
    }

    fileprivate func hint(_ offer: Offer?) -> String {
        guard let offer else { return "`offerId` is the offer's `id` in the catalog that is decided by" }
        return "set `productId` to one of " + offer.products.map { "`\($0)`" }.joined(separator: ", ")
    }
}

extension Snapshot {
    /// The same under a dry-run's what-if. The customers that the request names stay as known now.
    ///
    /// - Throws: ``RequestError`` at what cannot be supposed, and ``StoreError``.
    func supposing(
        _ whatIf: ResolvedWhatIf, catalogs: CompiledCatalogs, policy: Policy, _ transaction: any StoreTransaction
    ) throws -> Snapshot {
        var supposed = self
        if let asOf = whatIf.asOf { try supposed.turn(to: asOf, transaction) }
        try supposed.takeCatalog(whatIf, catalogs: catalogs, transaction)
        guard let history = whatIf.history else { return supposed }
        if whatIf.asOf == nil { try history.requireKnown(at: supposed.now) }
        supposed.facts = try history.facts(
            replacing: supposed.facts, at: supposed.now, in: supposed.catalog, policy)
        if let asOf = whatIf.asOf { supposed.facts = supposed.facts.known(asOf: asOf) }
        supposed.takesHistoryAsProven = true
        return supposed
    }

    /// Turns the clock: what was signed, bought, issued or paused later is not known, what ended later still holds.
    private mutating func turn(to instant: Instant, _ transaction: any StoreTransaction) throws {
        now = instant
        guard let number else { return }
        facts = try facts.turned(to: instant, of: subject.customers, transaction)
        pauses = try PauseStore(transaction).active(in: number, at: instant)
        openIssuedOffers = try Self.openIssuedOffers(
            among: facts.issuedOffers, at: instant, signedBy: instant, in: number, transaction)
    }

    /// Takes the catalog that is supposed; without one, that of the supposed instant.
    private mutating func takeCatalog(
        _ whatIf: ResolvedWhatIf, catalogs: CompiledCatalogs, _ transaction: any StoreTransaction
    ) throws {
        switch whatIf.catalog {
        case .document(let text, let document):
            if let number { try FrozenOffers.check(document, text: text, in: number, transaction) }
            catalogRevision = 0
            compiledCatalog = CompiledCatalog(document)
        case .revision(let revision):
            guard let number else { throw RequestError.unknownRevision(String(revision)) }
            try take(revision: Int64(revision), in: number, catalogs: catalogs, transaction)
        case nil:
            guard let number, let asOf = whatIf.asOf else { return }
            try takeCatalog(
                try CatalogStore(transaction).number(inForceAt: asOf, in: number), of: number, catalogs: catalogs,
                transaction)
        }
    }

    /// Takes a revision of the catalog.
    ///
    /// - Throws: `unknownRevision`, `invalidCatalog`.
    mutating func take(
        revision: Int64, in number: ScopeNumber, catalogs: CompiledCatalogs, _ transaction: any StoreTransaction
    ) throws {
        guard try CatalogStore(transaction).revision(revision, in: number) != nil else {
            throw RequestError.unknownRevision(String(revision))
        }
        try takeCatalog(revision, of: number, catalogs: catalogs, transaction)
    }

    private mutating func takeCatalog(
        _ asked: Int64, of number: ScopeNumber, catalogs: CompiledCatalogs, _ transaction: any StoreTransaction
    ) throws {
        catalogRevision = Int(asked)
        do {
            compiledCatalog = try catalogs.catalog(asked, of: number, in: scope, transaction)
        } catch let invalid as InvalidDocument {
            // It was valid for the version that applied it; only the one in force is known to be so for this one.
            throw RequestError.invalidCatalog(invalid.errors)
        }
    }
}
