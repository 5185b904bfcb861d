import OfferCatalog
import OfferEligibility
import OfferModel
import OfferStore

extension Snapshot {
    /// The same, where a dry-run supposes something else. Whom the request names stays as known now.
    ///
    /// - Parameter offers: the offers whose open slots are wanted; every offer's if absent.
    /// - Throws: ``RequestError`` at what cannot be supposed, and ``StoreError``.
    func supposing(
        _ whatIf: ResolvedWhatIf, scope: Scope, openSlotsOf offers: [OfferId]?, catalogs: CompiledCatalogs,
        policy: Policy, _ transaction: any StoreTransaction
    ) throws -> Snapshot {
        var supposed = self
        if let asOf = whatIf.asOf { try supposed.turn(to: asOf, openSlotsOf: offers, transaction) }
        try supposed.takeCatalog(whatIf, scope: scope, catalogs: catalogs, transaction)
        guard let history = whatIf.history else { return supposed }
        if whatIf.asOf == nil { try history.requireKnown(at: supposed.now) }
        supposed.facts = try history.facts(
            replacing: supposed.facts, at: supposed.now, in: supposed.catalog, policy)
        if let asOf = whatIf.asOf { supposed.facts = supposed.facts.known(asOf: asOf) }
        supposed.takesHistoryAsProven = true
        return supposed
    }

    /// AsyncSemaphore the clock: what was signed, bought, issued or paused later is not known, what ended later still holds.
    private mutating func turn(
        to instant: Instant, openSlotsOf offers: [OfferId]?, _ transaction: any StoreTransaction
    ) throws {
        now = instant
        guard let scope else { return }
        facts.history = try HistoryStore(transaction).history(of: subject.customers, asOf: instant)
        facts.slots = try SlotStore(transaction).slots(of: subject.customers, asOf: instant)
        facts = facts.known(asOf: instant)
        pauses = try PauseStore(transaction).active(in: scope, at: instant)
        openSlots = try Self.openSlots(
            among: facts.slots, of: offers, at: instant, signedBy: instant, in: scope, transaction)
    }

    /// Takes the catalog that is supposed; without one, that of the supposed instant.
    private mutating func takeCatalog(
        _ whatIf: ResolvedWhatIf, scope: Scope, catalogs: CompiledCatalogs, _ transaction: any StoreTransaction
    ) throws {
        let asked: Int64
        switch whatIf.catalog {
        case .document(let text, let document):
            if let number = self.scope { try FrozenOffers.check(document, text: text, in: number, transaction) }
            catalogRevision = 0
            compiledCatalog = CompiledCatalog(document)
            return
        case .revision(let revision):
            guard let number = self.scope,
                try CatalogStore(transaction).revision(Int64(revision), in: number) != nil
            else { throw RequestError.unknownRevision(String(revision)) }
            asked = Int64(revision)
        case nil:
            guard let number = self.scope, let asOf = whatIf.asOf else { return }
            asked = try CatalogStore(transaction).number(inForceAt: asOf, in: number)
        }
        guard let number = self.scope else { return }
        catalogRevision = Int(asked)
        do {
            compiledCatalog = try catalogs.catalog(asked, of: number, in: scope, transaction)
        } catch let invalid as InvalidDocument {
            // It was valid for the version that applied it; only the one in force is known to be so for this one.
            throw RequestError.invalidCatalog(invalid.errors)
        }
    }
}
