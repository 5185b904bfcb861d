import OfferEligibility
public import OfferModel
import OfferStore

/// The kill switch: pauses that lie over the catalog and that no catalog lifts (docs/design.md#http).
public struct OfferPauses: Sendable {
    private let database: Ledger
    private let catalogs: CompiledCatalogs
    private let clock: RequestClock

    init(database: Ledger, catalogs: CompiledCatalogs, clock: RequestClock) {
        self.database = database
        self.catalogs = catalogs
        self.clock = clock
    }

    /// A page of the offers of the catalog in force with their pauses, in the catalog's order, and behind them by id those
    /// that an earlier one had, as archived.
    ///
    /// Further pages are of the revision that the first was of, so that none is missed and none is shown twice when
    /// another is applied meanwhile; pauses are as they are now, and so is an offer that it lacks and another has since.
    ///
    /// - Parameter place: where to go on; at the beginning if absent.
    /// - Returns: the offers, and where the next page starts; `nil` for a place that no page has led to.
    /// - Throws: what the store throws.
    public func offers(
        from place: OfferPlace?, limit: Int, caller: Caller
    ) async throws -> (items: [PausableOffer], next: OfferPlace?)? {
        let catalogs = catalogs
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                return place == nil ? ([], nil) : nil
            }
            let inForce = try CatalogStore(transaction).currentNumber(in: number)
            let place = place ?? OfferPlace(revision: inForce, passed: .count(0))
            guard place.revision <= inForce else { return nil }
            let catalog = try catalogs.catalog(place.revision, of: number, in: caller.scope, transaction)
            let paused = Set(try PauseStore(transaction).active(in: number).map(\.offerId))
            let removed = try RemovedOffers(
                catalogs: catalogs, scope: caller.scope, number: number, transaction: transaction
            ).missing(in: catalog.catalog)
            guard let list = OfferList(offers: catalog.catalog.offers, removed: removed, from: place) else {
                return nil
            }
            let page = list.page(limit: limit)
            let items = page.offers.map {
                PausableOffer(offer: $0, isPaused: paused.contains(nil) || paused.contains($0.id))
            }
            return (items, page.next)
        }
    }

    private func offerIds(caller: Caller) async throws -> Set<OfferId> {
        let catalogs = catalogs
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return [] }
            let revision = try CatalogStore(transaction).currentNumber(in: number)
            let catalog = try catalogs.catalog(revision, of: number, in: caller.scope, transaction)
            return Set(catalog.catalog.offers.map(\.id))
        }
    }

    /// Pauses or resumes an offer, or every offer at once; in force for the next request, in every process.
    ///
    /// Pausing every offer and pausing one are independent: an offer is issued only if neither is on.
    ///
    /// - Parameter offerId: absent for every offer.
    /// - Throws: ``RequestError/unknownOffer(_:)`` for an offer that the catalog in force does not have and that is not
    ///   paused, and what the store throws.
    public func set(_ offerId: OfferId?, paused: Bool, caller: Caller) async throws -> PauseState {
        let clock = clock
        let known = try await offerIds(caller: caller)
        return try await database.write(by: caller.author) { transaction in
            let number = try ScopeStore(transaction).findOrAdd(caller.scope)
            let pauses = PauseStore(transaction)
            if let offerId, !known.contains(offerId),
                try !pauses.active(in: number).contains(where: { $0.offerId == offerId })
            {
                throw RequestError.unknownOffer(offerId)
            }
            // To stop is never too early: only resuming waits for a clock that is behind.
            let now = try paused ? clock.instantOfLooking(transaction) : clock.instant(transaction)
            let changed =
                paused
                ? try pauses.pause(offerId, actor: caller.apiKeyId, at: now, in: number)
                : try pauses.resume(offerId, actor: caller.apiKeyId, at: now, in: number)
            try StoreClock(transaction).advance(to: now)
            let everyOffer = try pauses.active(in: number).contains { $0.offerId == nil }
            return PauseState(offerId: offerId, isPaused: paused, hasChanged: changed, isEveryOfferPaused: everyOffer)
        }
    }
}

/// An offer of the catalog and whether it is paused.
public struct PausableOffer: Sendable, Hashable {
    /// The offer.
    public var offer: Offer
    /// Whether it is paused, by itself or with every offer.
    public var isPaused: Bool

    /// An offer by its parts.
    public init(offer: Offer, isPaused: Bool) {
        self.offer = offer
        self.isPaused = isPaused
    }
}

/// How the kill switch stands after a request.
public struct PauseState: Sendable, Hashable {
    /// The offer; absent where every offer was meant.
    public var offerId: OfferId?
    /// Whether it, or every offer, is paused now.
    public var isPaused: Bool
    /// Whether this request changed that.
    public var hasChanged: Bool
    /// Whether every offer is paused.
    public var isEveryOfferPaused: Bool

    /// A state by its parts.
    public init(offerId: OfferId?, isPaused: Bool, hasChanged: Bool, isEveryOfferPaused: Bool) {
        self.offerId = offerId
        self.isPaused = isPaused
        self.hasChanged = hasChanged
        self.isEveryOfferPaused = isEveryOfferPaused
    }
}
