import OfferCatalog
import OfferEligibility
import OfferModel
import OfferStore

/// Everything one decision is made from, read in one transaction (docs/design.md#issuing step 2).
struct Snapshot: Sendable {
    /// The store's number of the scope; absent if nothing was ever stored in it.
    var scope: ScopeNumber?
    /// Whom the request names.
    var subject: Subject
    /// What moves when anything of the subject changes.
    var version: SubjectVersion
    /// What moves when the catalog, the pauses or the keys change.
    var generation: Int64
    /// The one instant of the request: never before anything that was committed.
    var now: Instant
    /// The same, also where another instant is supposed.
    var present: Instant
    /// The newest event that was seen.
    var sequence: Int64
    /// The catalog in force.
    var catalogRevision: Int
    /// The same, made ready to decide about.
    var compiledCatalog: CompiledCatalog
    /// The pauses in force.
    var pauses: [ActivePause]
    /// History and slots.
    var facts: SubjectFacts
    /// The slots of the offers asked about that may be open, by id.
    var openSlots: [LowercaseUUID: OpenSlot]
    /// The app's account that the request names.
    var signUp: SignUp
    /// Whether the history was supplied for a "what if"; never where something is signed.
    var takesHistoryAsProven = false

    /// Reads a snapshot of whom the identifiers name.
    ///
    /// - Parameter offers: the offers whose open slots are wanted; every offer's if absent.
    static func read(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], scope: Scope, clock: RequestClock,
        catalogs: CompiledCatalogs, openSlotsOf offers: [OfferId]?, _ transaction: any StoreTransaction
    ) throws -> Snapshot {
        let state = try ScopeStore(transaction).presentState(around: scope)
        let now = try clock.instant(after: state.marks)
        let customers = CustomerStore(transaction)
        guard let present = state.scope else {
            return Snapshot(
                scope: nil, subject: Subject(customers: []), version: try customers.overview(of: []).version,
                generation: 0,
                now: now, present: now, sequence: 0, catalogRevision: 0,
                compiledCatalog: CompiledCatalog(Catalog(bundleId: scope.bundleId)), pauses: [],
                facts: SubjectFacts(rolloutKey: identifiers.rolloutKey), openSlots: [:], signUp: identifiers.signUp)
        }
        let number = present.number
        let subject = try Subject.resolve(identifiers, signed: signed, in: number, transaction)
        let overview = try customers.overview(of: subject.customers)
        let facts = try SubjectFacts.read(subject.customers, overview, named: identifiers, transaction)
        return Snapshot(
            scope: number, subject: subject, version: overview.version, generation: present.generation, now: now,
            present: now, sequence: state.newestSequence, catalogRevision: Int(present.catalogRevision),
            compiledCatalog: try catalogs.catalog(present.catalogRevision, of: number, in: scope, transaction),
            pauses: present.hasPauses ? try PauseStore(transaction).active(in: number) : [],
            facts: facts,
            openSlots: try openSlots(among: facts.slots, of: offers, at: now, in: number, transaction),
            signUp: identifiers.signUp)
    }

    /// Of some slots those that may be open, with the signatures made by an instant.
    static func openSlots(
        among slots: [Slot], of offers: [OfferId]?, at now: Instant, signedBy latest: Instant = .distantFuture,
        in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> [LowercaseUUID: OpenSlot] {
        var open: [LowercaseUUID: OpenSlot] = [:]
        for slot in slots where slot.isOpen(at: now) && offers?.contains(slot.offerId) != false {
            guard let issued = try SlotStore(transaction).issuedOffer(slot.id, in: number) else { continue }
            open[slot.id] = OpenSlot(
                slot: slot, catalogRevision: Int(issued.catalogRevision),
                newestSigning: try SlotStore(transaction).newestSigning(of: issued, by: latest))
        }
        return open
    }

    /// The catalog in force.
    var catalog: Catalog { compiledCatalog.catalog }

    /// The slot of an offer that asking again would use.
    func open(_ offer: Offer, about subject: PreparedSubject) -> OpenSlot? {
        subject.openSlot(of: offer, at: now).flatMap { openSlots[$0.id] }
    }

    /// Whether nothing this snapshot showed has changed since.
    func stillHolds(
        _ identifiers: CustomerIdentifiers, signed: [ProvenIdentifier], in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws -> Bool {
        guard try ScopeStore(transaction).generation(of: number) == generation else { return false }
        let customers =
            subject.isProvenWhole
            ? subject.customers
            : try Subject.resolve(identifiers, signed: signed, in: number, transaction).customers
        return try CustomerStore(transaction).version(of: customers) == version
    }

    /// The pause that is on an offer.
    func pause(of offer: OfferId) -> Pause {
        if pauses.contains(where: { $0.offerId == nil }) { return .everyOffer }
        return pauses.contains { $0.offerId == offer } ? .offer : .none
    }

    /// The question whether the subject may have the offer.
    func question(
        _ offer: Offer, productId: ProductId, scope: Scope, signals: [String: FactValue],
        request: DeviceRequest, needsNewSigning: Bool, formats: Set<SignatureFormat> = Set(SignatureFormat.allCases)
    ) -> Question {
        Question(
            offer, productId: productId, of: compiledCatalog, scope: scope, at: now, pause: pause(of: offer.id),
            signals: signals, request: request, signUp: signUp, needsNewSigning: needsNewSigning,
            formats: formats, takesHistoryAsProven: takesHistoryAsProven)
    }
}
