import OfferEligibility
public import OfferModel
import OfferStore

/// What support reads: one customer's story, and issued offers.
public struct CustomerLookup: Sendable {
    private let database: any StoreDatabase
    private let catalogs: CompiledCatalogs
    private let policy: Policy
    private let clock: RequestClock

    init(database: any StoreDatabase, catalogs: CompiledCatalogs, policy: Policy, clock: RequestClock) {
        self.database = database
        self.catalogs = catalogs
        self.policy = policy
        self.clock = clock
    }

    /// What is known of whom the identifiers name, with a page of what happened to them.
    ///
    /// - Parameters:
    ///   - limit: so many entries of the timeline, the newest first.
    ///   - cursor: where the timeline goes on, as the page before said.
    /// - Throws: ``RequestError/unknownCustomer``, ``RequestError/ambiguousCustomer(detail:)``, and what the store
    ///   throws.
    public func story(
        _ identifiers: CustomerIdentifiers, limit: Int = 50, from cursor: TimelineCursor? = nil, caller: Caller
    ) async throws -> CustomerDetails {
        let (clock, catalogs, policy) = (clock, catalogs, policy)
        let read = try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let subject = try Subject.resolve(identifiers, signed: [], in: number, transaction)
            guard !subject.customers.isEmpty else { throw RequestError.unknownCustomer }
            let facts = try SubjectFacts.read(subject.customers, transaction)
            let now = try clock.instantOfLooking(transaction)
            let store = CustomerStore(transaction)
            let stored = try store.customers(subject.customers)
            let origins = Dictionary(
                grouping: try store.sourcedIdentifiers(of: subject.customers), by: \.customer)
            let issued = try SlotStore(transaction).page(
                of: subject.customers, offer: nil, before: nil, limit: Self.shownOffers, in: number)
            let timeline = try Timeline.read(of: subject.customers, from: cursor, limit: limit, at: now, transaction)
            let page = timeline.page(from: cursor, limit: limit) { record, offer in
                try record.decideAgain(
                    offer,
                    by: catalogs.catalog(Int64(record.catalogRevision), of: number, in: caller.scope, transaction),
                    scope: caller.scope, policy: policy, in: number, transaction)
            }
            return (
                customers: stored.map(KnownIdentifiers.init),
                origins: stored.map { (origins[$0.number] ?? []).map(IdentifierOrigin.init) }, now: now, facts: facts,
                issued: try IssuedOfferRows(issued, united: facts, in: number, transaction),
                redemptions: timeline.redemptions, timeline: page
            )
        }
        return CustomerDetails(
            customers: read.customers, origins: read.origins, attributes: read.facts.attributes, now: read.now,
            history: read.facts.history, issuedOffers: read.issued.offers(scope: caller.scope, at: read.now),
            redemptions: read.redemptions.sorted { $0.firstEvidence < $1.firstEvidence }, timeline: read.timeline)
    }

    /// One issued offer of the caller's app and environment.
    ///
    /// - Throws: ``RequestError/unknownIssuedOffer(_:)`` and what the store throws.
    public func issuedOffer(_ id: LowercaseUUID, caller: Caller) async throws -> IssuedOfferView {
        let clock = clock
        let (rows, now) = try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let issued = try SlotStore(transaction).issuedOffer(id, in: number)
            else { throw RequestError.unknownIssuedOffer(id) }
            return (
                try IssuedOfferRows([issued], in: number, transaction),
                try clock.instantOfLooking(transaction)
            )
        }
        guard let offer = rows.offers(scope: caller.scope, at: now).first else {
            throw RequestError.unknownIssuedOffer(id)
        }
        return offer
    }

    /// A page of the offers issued to whom the identifiers name, or to everyone if they name nobody, newest first.
    ///
    /// - Parameter before: the `next` of the page before.
    /// - Throws: ``RequestError/ambiguousCustomer(detail:)`` and what the store throws.
    public func issuedOffers(
        _ identifiers: CustomerIdentifiers, offerId: OfferId?, limit: Int, before: Int64?, caller: Caller
    ) async throws -> IssuedOfferPage {
        let clock = clock
        let read = try await database.read { transaction -> (IssuedOfferRows, Int64?, Instant)? in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            let names = !identifiers.proven.isEmpty || !identifiers.aliases.isEmpty
            let customers =
                names
                ? try Subject.resolve(identifiers, signed: [], in: number, transaction).customers : nil
            // One more than asked for tells whether there is another page.
            let found = try SlotStore(transaction).page(
                of: customers, offer: offerId, before: before, limit: limit + 1, in: number)
            let shown = Array(found.prefix(limit))
            let united = try customers.map { try SubjectFacts.read($0, transaction) }
            return (
                try IssuedOfferRows(shown, united: united, in: number, transaction),
                found.count > limit ? shown.last?.sequence : nil,
                try clock.instantOfLooking(transaction)
            )
        }
        guard let (rows, next, now) = read else { return IssuedOfferPage(items: [], next: nil) }
        return IssuedOfferPage(items: rows.offers(scope: caller.scope, at: now), next: next)
    }

    /// How many of the newest issued offers a story shows; the list has them all.
    private static let shownOffers = 200
}
