import OfferAPI
import OfferDocuments
import OfferModel
import OfferStore

/// Everything one decision is made from, read in one transaction (docs/design.md#issuing step 2).
struct Snapshot: Sendable {
    var scope: Scope
    /// The store's number of the scope; absent if nothing was ever stored in it.
    var number: ScopeNumber?
    var subject: NamedCustomers
    /// The version of the subject: it changes with anything of the subject's.
    var version: SubjectVersion
    /// The generation: it changes with the catalog, the pauses and the keys.
    var generation: Int64
    /// The one instant of the request: never before anything that was committed.
    var now: Instant
    /// The same, also where another instant is supposed.
    var present: Instant
    /// The newest event that was seen.
    var sequence: Int64
    var catalogRevision: Int
    var compiledCatalog: CompiledCatalog
    var pauses: [ActivePause]
    var facts: SubjectFacts
    /// The issued offers of the offers asked about that may be open, by id.
    var openIssuedOffers: [LowercaseUUID: OpenIssuedOffer]
    var signUp: SignUp
    /// The app account's other Apple Accounts, and what moves when anything of them changes, where a limit counts their
    /// uses.
    var account: (others: OthersOfAccount, version: SubjectVersion)?
    /// Whether the history was supplied for a "what if"; never where something is signed.
    var takesHistoryAsProven = false

    /// Reads a snapshot of the customers that the identifiers name.
    ///
    /// - Parameters:
    ///   - offers: the offers whose open issued offers are wanted; every offer's if absent.
    ///   - known: the customers that the identifiers named when the request was first looked at.
    ///   - next: what the caller asks afterwards, to ask ahead.
    /// - Throws: `busy` if one of those was erased since.
    static func read(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], scope: Scope, clock: RequestClock,
        catalogs: CompiledCatalogs, openIssuedOffersOf offers: [OfferId]?, known: NamedCustomers? = nil,
        next: @escaping (any StoreTransaction) throws -> Void = { _ in },
        _ transaction: any StoreTransaction
    ) throws -> Snapshot {
        try expect(identifiers, signed: signed, of: known, scope: scope, catalogs: catalogs, transaction)
        try known?.requireNotErased(transaction)
        let state = try ScopeStore(transaction).presentState(around: scope)
        let now = try clock.instant(after: state.marks)
        let customers = CustomerStore(transaction)
        guard let present = state.scope else {
            return Snapshot(
                scope: scope, number: nil, subject: NamedCustomers(customers: []),
                version: try customers.overview(of: []).version, generation: 0, now: now, present: now, sequence: 0,
                catalogRevision: 0,
                compiledCatalog: CompiledCatalog(Catalog(bundleId: scope.bundleId)), pauses: [],
                facts: SubjectFacts(rolloutKey: identifiers.rolloutKey), openIssuedOffers: [:],
                signUp: identifiers.signUp)
        }
        let number = present.number
        var subject = try NamedCustomers.resolve(identifiers, signed: signed, in: number, transaction)
        subject.seenAt = state.newestSequence
        let catalog = try catalogs.catalog(present.catalogRevision, of: number, in: scope, transaction)
        try transaction.expect(
            { [customers = subject.customers] in
                if customers != known?.customers { try read(of: customers, identifiers, $0) }
            },
            { try askBeforeReadingCounters(of: offers ?? [], of: catalog, in: number, $0) }, next)
        let overview = try customers.overview(of: subject.customers)
        let facts = try SubjectFacts.read(subject.customers, overview, named: identifiers, transaction)
        let ids = offers.map { $0.flatMap { catalog.compiledOffer($0)?.offer.ids ?? [] } }
        return Snapshot(
            scope: scope, number: number, subject: subject, version: overview.version,
            generation: present.generation, now: now, present: now, sequence: state.newestSequence,
            catalogRevision: Int(present.catalogRevision),
            compiledCatalog: catalog,
            pauses: present.hasPauses ? try PauseStore(transaction).active(in: number) : [],
            facts: facts,
            openIssuedOffers: try openIssuedOffers(
                among: facts.issuedOffers, of: ids, at: now, in: number, transaction),
            signUp: identifiers.signUp)
    }

    /// Asks ahead what can be asked before the first answer.
    private static func expect(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], of known: NamedCustomers?, scope: Scope,
        catalogs: CompiledCatalogs, _ transaction: any StoreTransaction
    ) throws {
        try transaction.expect(
            { try known?.requireNotErased($0) },
            { _ = try ScopeStore($0).presentState(around: scope) },
            { transaction in
                guard let number = catalogs.lastNumber(of: scope) else { return }
                _ = try NamedCustomers.resolve(identifiers, signed: signed, in: number, transaction)
            },
            { if let known { try read(of: known.customers, identifiers, $0) } })
    }

    private static func read(
        of customers: [CustomerNumber], _ identifiers: CustomerIdentifiers, _ transaction: any StoreTransaction
    ) throws {
        let overview = try CustomerStore(transaction).overview(of: customers)
        _ = try SubjectFacts.read(customers, overview, named: identifiers, transaction)
    }

    /// Of some issued offers those that may be open, with the signatures made by an instant.
    ///
    /// - Parameter ids: every id of the offers whose issued offers are wanted; every offer's if absent.
    static func openIssuedOffers(
        among issuedOffers: [IssuedOffer], of ids: [OfferId]? = nil, at now: Instant,
        signedBy latest: Instant = .distantFuture,
        in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> [LowercaseUUID: OpenIssuedOffer] {
        var open: [LowercaseUUID: OpenIssuedOffer] = [:]
        for issuedOffer in issuedOffers where issuedOffer.isOpen(at: now) && ids?.contains(issuedOffer.offerId) != false
        {
            guard let issued = try IssuedOfferStore(transaction).issuedOffer(issuedOffer.id, in: number) else {
                continue
            }
            open[issuedOffer.id] = OpenIssuedOffer(
                issuedOffer: issuedOffer, catalogRevision: Int(issued.catalogRevision),
                newestSigning: try IssuedOfferStore(transaction).newestSigning(of: issued, by: latest))
        }
        return open
    }

    var catalog: Catalog { compiledCatalog.catalog }

    /// The issued offer of an offer that asking again would use.
    func open(_ offer: Offer, about subject: PreparedSubject) -> OpenIssuedOffer? {
        subject.openIssuedOffer(of: offer, at: now).flatMap { openIssuedOffers[$0.id] }
    }

    /// Whether nothing this snapshot showed has changed since.
    func stillHolds(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws -> Bool {
        guard try ScopeStore(transaction).generation(of: number) == generation else { return false }
        if let account {
            guard try othersOfAccount(account.others.offers, in: number, transaction) == account.others,
                try CustomerStore(transaction).version(of: account.others.all) == account.version
            else { return false }
        }
        let customers =
            subject.isProvenWhole
            ? subject.customers
            : try NamedCustomers.resolve(identifiers, signed: signed, in: number, transaction).customers
        return try CustomerStore(transaction).version(of: customers) == version
    }

    /// The pause that keeps an offer back, and until when: the last end of all that do.
    private func pause(of offer: Offer, needsNewSigning: Bool) -> (Pause, until: Instant?) {
        guard !pauses.isEmpty else { return (.none, nil) }
        let limited = offer.isLimited ? pauses.filter { $0.covers == .limitedOffers && $0.isInForce(at: now) } : []
        let limitedEnd = limited.compactMap(\.endsAt).max()
        guard let killSwitch = pauses.killSwitch(of: offer, at: now) else {
            return limitedEnd.map { (.limitedOffers, $0) } ?? (.none, nil)
        }
        guard let end = killSwitch.endsAt else { return (killSwitch.covers, nil) }
        return (killSwitch.covers, needsNewSigning ? max(end, limitedEnd ?? end) : end)
    }

    func question(
        _ offer: CompiledOffer, productId: ProductId, signals: [String: FactValue] = [:],
        request: DeviceRequest = DeviceRequest(), needsNewSigning: Bool = true,
        formats: Set<SignatureFormat> = SignatureFormat.all
    ) -> Question {
        let (pause, pausedUntil) = pause(of: offer.offer, needsNewSigning: needsNewSigning)
        return Question(
            offer, productId: productId, of: compiledCatalog, scope: scope, at: now, pause: pause,
            pausedUntil: pausedUntil, signals: signals, request: request, signUp: signUp,
            needsNewSigning: needsNewSigning,
            formats: formats, takesHistoryAsProven: takesHistoryAsProven)
    }
}
