import OfferEligibility
public import OfferModel
import OfferStore

/// What support reads: one customer's story, and issued offers.
public struct CustomerStories: Sendable {
    private let database: any StoreDatabase
    private let clock: @Sendable () -> Instant

    init(database: any StoreDatabase, clock: @escaping @Sendable () -> Instant) {
        self.database = database
        self.clock = clock
    }

    /// Everything known of whom the identifiers name.
    ///
    /// - Throws: ``RequestError/unknownCustomer``, ``RequestError/ambiguousCustomer(detail:)``, and what the store
    ///   throws.
    public func story(_ identifiers: CustomerIdentifiers, caller: Caller) async throws -> CustomerStory {
        let wallClock = clock()
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let subject = try Subject.resolve(identifiers, signed: [], in: number, transaction)
            guard !subject.customers.isEmpty else { throw RequestError.unknownCustomer }
            let reader = IssuedOfferReader(scope: caller.scope, number: number, transaction: transaction)
            let now = max(wallClock, try StoreClock(transaction).lastInstant() ?? wallClock)
            let issued = try SlotStore(transaction).page(
                of: subject.customers, offer: nil, before: nil, limit: Self.shownOffers, in: number)
            return CustomerStory(
                customers: try CustomerStore(transaction).customers(subject.customers).map(KnownIdentifiers.init),
                now: now, history: try HistoryStore(transaction).history(of: subject.customers),
                issuedOffers: try issued.map { try reader.read($0, now: now) })
        }
    }

    /// One issued offer of the caller's app and environment.
    ///
    /// - Throws: ``RequestError/unknownIssuedOffer(_:)`` and what the store throws.
    public func issuedOffer(_ id: LowercaseUUID, caller: Caller) async throws -> IssuedOffer {
        let wallClock = clock()
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let issued = try SlotStore(transaction).issuedOffer(id, in: number)
            else { throw RequestError.unknownIssuedOffer(id) }
            let now = max(wallClock, try StoreClock(transaction).lastInstant() ?? wallClock)
            return try IssuedOfferReader(scope: caller.scope, number: number, transaction: transaction)
                .read(issued, now: now)
        }
    }

    /// A page of the offers issued to whom the identifiers name, or to everyone if they name nobody, newest first.
    ///
    /// - Parameter before: the `next` of the page before.
    /// - Throws: ``RequestError/ambiguousCustomer(detail:)`` and what the store throws.
    public func issuedOffers(
        _ identifiers: CustomerIdentifiers, offerId: OfferId?, limit: Int, before: Int64?, caller: Caller
    ) async throws -> IssuedOfferPage {
        let wallClock = clock()
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                return IssuedOfferPage(items: [], next: nil)
            }
            let names = !identifiers.proven.isEmpty || !identifiers.aliases.isEmpty
            let customers =
                names
                ? try Subject.resolve(identifiers, signed: [], in: number, transaction).customers : nil
            // One more than asked for tells whether there is another page.
            let found = try SlotStore(transaction).page(
                of: customers, offer: offerId, before: before, limit: limit + 1, in: number)
            let reader = IssuedOfferReader(scope: caller.scope, number: number, transaction: transaction)
            let now = max(wallClock, try StoreClock(transaction).lastInstant() ?? wallClock)
            let shown = found.prefix(limit)
            return IssuedOfferPage(
                items: try shown.map { try reader.read($0, now: now) },
                next: found.count > limit ? shown.last?.sequence : nil)
        }
    }

    /// How many of the newest issued offers a story shows; the list has them all.
    private static let shownOffers = 200
}
