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
            let pauses = try ShownPauses(in: number, transaction)
            let removed = try catalogs.removedOffers(
                missingIn: catalog.catalog, of: number, in: caller.scope, transaction)
            guard let list = OfferList(offers: catalog.catalog.offers, removed: removed, from: place) else {
                return nil
            }
            let page = list.page(limit: limit)
            let groups = catalog.catalog.offerGroups
            let now = try clock.tolerantInstant(transaction)
            let items = try page.offers.map { offer in
                try summary(
                    of: offer, in: groups[offer.id], catalog.catalog, pauses, at: now, caller.scope.environment, number,
                    transaction)
            }
            return PageBody(items: items, next: page.next?.description)
        }
    }

    private func summary(
        of offer: Offer, in group: SubscriptionGroupId?, _ catalog: Catalog, _ pauses: ShownPauses, at now: Instant,
        _ environment: AppStoreEnvironment, _ number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> OfferSummary {
        let store = CounterStore(transaction)
        let counters = try store.counters(of: offer, in: group, open: [], at: now, in: number)
        let usage = OfferUsage(counters, of: offer, in: catalog)
        let allowances = SharedLimit.all(of: offer).map(usage.allowance)
        let products = offer.products.compactMap { catalog.product($0)?.product }
        let pause = pauses.active.pause(of: offer, at: now)
        let standing = OfferStanding(
            offer, in: environment, at: now, pause: pause.map { PauseTerm(until: $0.endsAt) },
            isExhausted: SharedAllowance.isExhausted(allowances, products, of: offer))
        var pace = OfferPace()
        if standing == .running, !allowances.isEmpty, let group {
            let recent = try store.redemptions(
                of: offer, in: group, after: now.adding(milliseconds: -OfferPace.window), upTo: now, in: number)
            pace = OfferPace(recent, of: offer, in: catalog)
        }
        let issued = try store.counting(of: offer, at: now, in: number)
        var summary = OfferSummary(
            offer, paused: pauses.active.killSwitch(of: offer, at: now) != nil, used: .init(usage, issued: issued))
        (summary.standing, summary.pause) = (standing, pause.map(pauses.body))
        for allowance in allowances {
            summary.limits?[allowance.limit.index].note(
                allowance, usedUpAt: pace.end(of: allowance, offer: offer, at: now))
        }
        return summary
    }

    private func offer(everNamed id: OfferId, caller: Caller) async throws -> Offer? {
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            let revision = try CatalogStore(transaction).currentNumber(in: number)
            return try catalogs.catalog(revision, of: number, in: caller.scope, transaction)
                .catalog.offer(everNamed: id)
        }
    }

    /// The longest that a pause may be said to last, in milliseconds: what is not to come back is archived.
    package static let longest = 366 * Instant.Duration.day

    /// Pauses an offer, or every offer at once; in force for the next request, in every process.
    ///
    /// Pausing every offer and pausing one are independent: an offer is issued only if neither is on. An offer may be
    /// named by a former id, and a pause of one is its pause too. Of two pauses of the same, the later call sets the end
    /// and the reason.
    ///
    /// - Parameters:
    ///   - end: the instant from which it is over without anyone lifting it; `nil` if it is to be lifted.
    ///   - reason: `nil` keeps that of a pause with the same end, an empty one removes it.
    /// - Throws: `unknownOffer` for an offer that the catalog in force does not have and that is not paused, `noCatalog`;
    ///   `RequestFault` for an end that has passed, or is too far off.
    package func pause(
        _ offerId: OfferId?, until end: Instant? = nil, reason: String? = nil, caller: Caller
    ) async throws -> PauseState {
        // On a full disk, too: a pause may use the room that is kept for it.
        try await KeptRoom.$isOpen.withValue(true) {
            try await change(offerId, caller) { pauses, ids, active, number, transaction in
                // To stop is never too early: only resuming waits for a clock that is behind.
                let now = try clock.tolerantInstant(transaction)
                try Self.check(end, at: now)
                // What is paused so is paused without a write: on a full disk there is room for few.
                let isWritten = try pauses.pause(
                    ids[0], formerly: ids.dropFirst().compactMap(\.self), until: end, reason: reason,
                    actor: caller.actor, at: now, in: number)
                if isWritten { try StoreClock(transaction).advance(to: now) }
                return isWritten && (active.isEmpty || !active.allSatisfy { $0.isSame(until: end, reason: reason) })
            }
        }
    }

    private static func check(_ end: Instant?, at now: Instant) throws(RequestFault) {
        guard let end else { return }
        let pointer = JSONPointer.root.appending("until")
        guard now < end else {
            throw RequestFault(
                pointer, .invalidValue, "`\(end)` has passed: it is \(now)", hint: "give a moment to come")
        }
        guard end <= now.adding(milliseconds: longest) else {
            throw RequestFault(
                pointer, .invalidValue, "`\(end)` is more than 366 days ahead",
                hint: "leave it out for a pause that lasts until it is lifted, or archive the offer in the catalog")
        }
    }

    /// The pause of the kill switch that is in force of an offer by itself, or of every offer.
    package func present(_ offerId: OfferId?, caller: Caller) async throws -> OfferPauseBody? {
        let known: Offer? = if let offerId { try await offer(everNamed: offerId, caller: caller) } else { nil }
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            let now = try clock.tolerantInstant(transaction)
            let pauses = try ShownPauses(in: number, transaction)
            return pauses.active.filter { $0.isInForce(at: now) && $0.isOfKillSwitch }
                .longest(of: known?.ids ?? [offerId]).map(pauses.body)
        }
    }

    /// Lifts the pause of an offer, or that of every offer; that of single offers stays then.
    ///
    /// - Throws: as ``pause(_:until:reason:caller:)`` does, and `clockBehind`.
    package func resume(_ offerId: OfferId?, caller: Caller) async throws -> PauseState {
        try await change(offerId, caller) { pauses, ids, active, number, transaction in
            let now = try clock.instant(transaction)
            guard !active.isEmpty else { return false }
            for id in ids { _ = try pauses.resume(id, actor: caller.actor, at: now, in: number) }
            try StoreClock(transaction).advance(to: now)
            return true
        }
    }

    /// - Parameter change: gets every id of the offer, its own first, and the pauses of these in force; returns whether
    ///   it changed anything.
    private func change(
        _ offerId: OfferId?, _ caller: Caller,
        _ change:
            @escaping @Sendable (PauseStore, [OfferId?], [ActivePause], ScopeNumber, any StoreTransaction) throws
            -> Bool
    ) async throws -> PauseState {
        let known: Offer? = if let offerId { try await offer(everNamed: offerId, caller: caller) } else { nil }
        return try await database.write(by: caller.author) { transaction in
            let number = try ScopeStore(transaction).findOrAdd(caller.scope)
            let pauses = PauseStore(transaction)
            let ids: [OfferId?] = known?.ids ?? [offerId]
            let id = known?.id ?? offerId
            func active() throws -> [ActivePause] {
                let now = try clock.tolerantInstant(transaction)
                return try pauses.active(in: number).filter { $0.isOfKillSwitch && $0.isInForce(at: now) }
            }
            let before = try active().filter { ids.contains($0.offerId) }
            if let offerId, known == nil, before.isEmpty {
                throw try CompiledCatalogs.unknown(offerId, of: number, in: caller.scope, transaction)
            }
            let changed = try change(pauses, [id] + ids.filter { $0 != id }, before, number, transaction)
            let after = try active()
            let own = after.longest(of: ids)
            return PauseState {
                ($0.offerId, $0.paused, $0.changed) = (id, own != nil, changed)
                ($0.reason, $0.until) = (own?.reason, own?.endsAt)
                $0.everyOfferPaused = after.contains { $0.covers == .everyOffer }
            }
        }
    }
}

extension [ActivePause] {
    /// The one of an offer, by any of its ids, that ends last; `nil` among the ids is every offer.
    fileprivate func longest(of ids: [OfferId?]) -> ActivePause? {
        filter { ids.contains($0.offerId) }.max { ($0.endsAt ?? .distantFuture) < ($1.endsAt ?? .distantFuture) }
    }
}

/// The pauses of a scope, as they are shown.
struct ShownPauses {
    let active: [ActivePause]
    /// The labels of the keys that paused, where they have one.
    private let labels: [String: String]

    init(in number: ScopeNumber, _ transaction: any StoreTransaction) throws {
        active = try PauseStore(transaction).active(in: number)
        var labels: [String: String] = [:]
        for actor in Set(active.map(\.actor)) {
            labels[actor] = try APIKeyStore(transaction).key(RecordedActor(actor).key)?.key.label
        }
        self.labels = labels
    }

    func body(_ pause: ActivePause) -> OfferPauseBody {
        let author = RecordedActor(pause.actor)
        return OfferPauseBody {
            ($0.actor, $0.actorLabel, $0.covers) = (author.key, labels[pause.actor], .init(pause.covers))
            $0.person = author.person
            ($0.reason, $0.since, $0.until) = (pause.reason, pause.pausedAt, pause.endsAt)
        }
    }
}

extension OfferSummary.Used {
    fileprivate init(_ usage: OfferUsage, issued: Int) {
        self.init()
        uses = usage.uses
        // What a clock that is set back counts again is issued, and not redeemed.
        self.issued = min(issued, uses)
        redeemed = uses - min(issued, uses)
        notIssuedHere = min(usage.unmatched, uses - min(issued, uses))
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
