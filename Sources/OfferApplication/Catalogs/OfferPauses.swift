package import OfferAPI
import OfferDocuments
package import OfferModel
import OfferStore

/// The kill switch: pauses that override the catalog and that no catalog lifts (docs/design.md#decisions).
public struct OfferPauses: Sendable {
    let database: Ledger
    let catalogs: CompiledCatalogs
    let clock: RequestClock

    /// A page of the offers of the catalog in force with their pauses, in the catalog's order, and behind them by id
    /// those that an earlier one had, as archived.
    ///
    /// Further pages are of the revision that the first was of, so that none is missed and none is shown twice when
    /// another is applied meanwhile; pauses are as they are now, and so is an offer that it lacks and another has
    /// since.
    ///
    /// - Returns: `nil` for a place that no page has led to.
    package func offers(
        from place: OfferPlace?, limit: Int, caller: Caller
    ) async throws -> PageBody<OfferSummary>? {
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                return place == nil ? PageBody(items: [], next: nil) : nil
            }
            let inForce = try CatalogStore(transaction).currentNumber(in: number)
            let place = place ?? OfferPlace(revision: inForce, passed: .count(0))
            guard place.revision <= inForce else { return nil }
            let catalog = try catalogs.catalog(place.revision, of: number, in: caller.scope, transaction)
            let paused = Set(
                try PauseStore(transaction).active(in: number).filter { $0.endsAt == nil }.map(\.offerId))
            let removed = try catalogs.removedOffers(
                missingIn: catalog.catalog, of: number, in: caller.scope, transaction)
            guard let list = OfferList(offers: catalog.catalog.offers, removed: removed, from: place) else {
                return nil
            }
            let page = list.page(limit: limit)
            let groups = catalog.catalog.offerGroups
            let now = try clock.tolerantInstant(transaction)
            let store = CounterStore(transaction)
            let items = try page.offers.map { offer in
                let counters = try store.counters(
                    of: offer, in: groups[offer.id], open: [], at: now, in: number)
                return OfferSummary(
                    offer, paused: paused.contains(nil) || !paused.isDisjoint(with: offer.ids),
                    used: .init(counters, of: offer, in: catalog.catalog))
            }
            return PageBody(items: items, next: page.next?.description)
        }
    }

    private func offer(everNamed id: OfferId, caller: Caller) async throws -> Offer? {
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            let revision = try CatalogStore(transaction).currentNumber(in: number)
            return try catalogs.catalog(revision, of: number, in: caller.scope, transaction)
                .catalog.offer(everNamed: id)
        }
    }

    /// Pauses or resumes an offer, or every offer at once; in force for the next request, in every process.
    ///
    /// Pausing every offer and pausing one are independent: an offer is issued only if neither is on. An offer may be
    /// named by a former id, and a pause of one is its pause too.
    ///
    /// - Throws: `unknownOffer` for an offer that the catalog in force does not have and that is not paused, `noCatalog`.
    package func set(_ offerId: OfferId?, paused: Bool, caller: Caller) async throws -> PauseState {
        // On a full disk, too: a pause may use the room that is kept for it. To resume can wait.
        try await KeptRoom.$isOpen.withValue(paused) { try await change(offerId, paused: paused, caller: caller) }
    }

    private func change(_ offerId: OfferId?, paused: Bool, caller: Caller) async throws -> PauseState {
        let known: Offer? = if let offerId { try await offer(everNamed: offerId, caller: caller) } else { nil }
        return try await database.write(by: caller.author) { transaction in
            let number = try ScopeStore(transaction).findOrAdd(caller.scope)
            let pauses = PauseStore(transaction)
            let ids: [OfferId?] = known?.ids ?? [offerId]
            let id = known?.id ?? offerId
            let active = try pauses.active(in: number).filter { $0.endsAt == nil }
            let isPaused = active.contains { ids.contains($0.offerId) }
            if let offerId, known == nil, !isPaused {
                throw try CompiledCatalogs.unknown(offerId, of: number, in: caller.scope, transaction)
            }
            // What is paused is paused without a write: on a full disk there is room for few.
            if paused, active.contains(where: { $0.offerId == id }) {
                let everyOffer = active.contains(where: \.isOfEveryOffer)
                return PauseState {
                    ($0.offerId, $0.paused, $0.changed, $0.everyOfferPaused) = (id, true, false, everyOffer)
                }
            }
            // To stop is never too early: only resuming waits for a clock that is behind.
            let now = try paused ? clock.tolerantInstant(transaction) : clock.instant(transaction)
            let changed =
                paused
                ? try pauses.pause(id, actor: caller.apiKeyId, at: now, in: number) && !isPaused
                : try ids.map { try pauses.resume($0, actor: caller.apiKeyId, at: now, in: number) }.contains(true)
            try StoreClock(transaction).advance(to: now)
            let everyOffer = try pauses.active(in: number).contains(where: \.isOfEveryOffer)
            return PauseState {
                ($0.offerId, $0.paused, $0.changed, $0.everyOfferPaused) = (id, paused, changed, everyOffer)
            }
        }
    }
}

extension OfferSummary.Used {
    fileprivate init(_ counters: OfferCounters, of offer: Offer, in catalog: Catalog) {
        let usage = OfferUsage(counters, of: offer, in: catalog)
        self.init()
        uses = usage.uses
        spent = usage.spent.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map {
            Price(Money(milliunits: $0.value, currency: $0.key))
        }
    }
}

/// What is left of the list of a revision's offers from a place on.
struct OfferList {
    private let revision: Int64
    /// Offers of the catalog that passed before.
    private let passed: Int
    private let offers: ArraySlice<Offer>
    private let removed: [Offer]

    /// - Returns: `nil` for a place that the list does not have.
    init?(offers: [Offer], removed: [Offer], from place: OfferPlace) {
        revision = place.revision
        switch place.passed {
        case .count(let count):
            guard count <= offers.count else { return nil }
            passed = count
            self.removed = removed
        case .removed(let last):
            passed = offers.count
            self.removed = removed.filter { $0.id > last }
        }
        self.offers = offers.dropFirst(passed)
    }

    /// The next offers, and where the page behind them starts if there is one.
    func page(limit: Int) -> (offers: [Offer], next: OfferPlace?) {
        let page = Array((offers + removed).prefix(limit))
        guard let last = page.last, page.count < offers.count + removed.count else { return (page, nil) }
        let isOfCatalog = page.count <= offers.count
        return (
            page, OfferPlace(revision: revision, passed: isOfCatalog ? .count(passed + page.count) : .removed(last.id))
        )
    }
}

/// A place in the list of a catalog's offers, written `12-50`: after the first 50 offers of revision 12; or
/// `12~comeback`: in that revision's list after the removed offer `comeback`.
public struct OfferPlace: Sendable, Hashable, CustomStringConvertible {
    enum Passed: Sendable, Hashable {
        /// The number of offers of the catalog.
        case count(Int)
        /// All of them, and the removed ones up to this one. Not how many: others may come in between.
        case removed(OfferId)
    }

    let revision: Int64
    let passed: Passed

    public var description: String {
        switch passed {
        case .count(let count): "\(revision)-\(count)"
        case .removed(let id): "\(revision)~\(id)"
        }
    }
}

extension OfferPlace {
    /// Reads a place as ``description`` writes it; `nil` for anything else.
    public init?(_ text: String) {
        guard let mark = text.firstIndex(where: { $0 == "-" || $0 == "~" }), let revision = Int64(text[..<mark]),
            revision > 0
        else { return nil }
        let rest = text[text.index(after: mark)...]
        if text[mark] == "~" {
            guard !rest.isEmpty else { return nil }
            self.init(revision: revision, passed: .removed(OfferId(String(rest))))
        } else {
            guard let count = Int(rest), count > 0 else { return nil }
            self.init(revision: revision, passed: .count(count))
        }
        guard description == text else { return nil }
    }
}
