package import OfferAPI
package import OfferModel
import OfferStore

/// Goodwill: support lets one customer have one offer once, although its rules or limits say no (docs/decisions/0076).
public struct CustomerGrants: Sendable {
    let database: Ledger
    let catalogs: CompiledCatalogs
    let random: any RandomSource
    let clock: RequestClock
    let terms: GrantTerms

    /// Grants one use of an offer of the catalog in force, which the customer's next request for it may use.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`, `unknownOffer`, `noCatalog`, `invalidRequest` for an archived
    ///   offer and for an end that has passed, `grantExists`, `grantLimitReached`, `clockBehind`.
    package func grant(
        _ offerId: OfferId, to identifiers: CustomerIdentifiers, reason: String, expiresAt: Instant?, caller: Caller
    ) async throws -> GrantView {
        let id = try random.uuid()
        return try await database.write(by: caller.author) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let now = try clock.instant(transaction)
            let revision = try CatalogStore(transaction).currentNumber(in: number)
            let catalog = try catalogs.catalog(revision, of: number, in: caller.scope, transaction)
            let offer = try caller.requested(offerId, of: catalog, at: now).offer
            guard offer.status != .archived else {
                throw RequestError.invalidRequest(
                    pointer: "/offerId", detail: "the offer `\(offerId)` is archived, so it is not issued any more",
                    hint: "a grant lifts the offer's rules and limits, not its status")
            }
            if let expiresAt, expiresAt <= now {
                throw RequestError.invalidRequest(
                    pointer: "/expiresAt", detail: "the grant would have ended at `\(expiresAt)`, which has passed",
                    hint: "give a later moment, or leave it out")
            }
            let customer = try customer(identifiers, in: number, transaction)
            let store = GrantStore(transaction)
            let open = try store.grants(of: [customer]).first {
                offer.has($0.grant.offerId) && $0.grant.isOpen(at: now)
            }
            if let open { throw RequestError.grantExists(open.grant.id, offer: offerId) }
            let day = now.utcDay
            let persons = RecordedActor.pattern(ofPersonsWith: caller.apiKeyId)
            let count = try store.count(by: caller.apiKeyId, orLike: persons, in: day, scope: number)
            guard count < terms.perKeyAndDay else {
                throw RequestError.grantLimitReached(
                    perDay: terms.perKeyAndDay, resets: day.upperBound,
                    secondsToWait: Int(clamping: (day.upperBound.milliseconds(since: now) + 999) / 1_000))
            }
            let grant = StoredGrant(
                Grant(id: id, offerId: offer.id, grantedAt: now, expiresAt: expiresAt), to: customer, reason: reason,
                actor: caller.actor)
            try store.add(grant, in: number)
            try StoreClock(transaction).advance(to: now)
            return GrantView(grant, at: now)
        }
    }

    /// The one customer that is named: by signed data where the app's word names more.
    private func customer(
        _ identifiers: CustomerIdentifiers, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> CustomerNumber {
        let named = try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction).customers
        guard !named.isEmpty else { throw RequestError.unknownCustomer }
        if named.count == 1 { return named[0] }
        let proven = try CustomerStore(transaction).customers(named).filter {
            !$0.originalTransactionIds.isEmpty || !$0.appTransactionIds.isEmpty
        }
        guard proven.count == 1 else {
            throw RequestError.ambiguousCustomer(
                detail: "\(named.count) customers have these identifiers, and a grant is for one")
        }
        return proven[0].number
    }

    /// Every grant ever made to the customers that the identifiers name, the newest first.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`.
    package func grants(of identifiers: CustomerIdentifiers, caller: Caller) async throws -> PageBody<GrantView> {
        try await list(caller) { try NamedCustomers.resolve(identifiers, signed: [], in: $0, $1) }
    }

    /// The same of the customers that a text names, whichever kind of identifier it is.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousIdentifier`, `ambiguousCustomer`.
    package func grants(ofAny text: String, caller: Caller) async throws -> PageBody<GrantView> {
        try await list(caller) { try AnyIdentifier.resolve(text, in: $0, $1) }
    }

    private func list(
        _ caller: Caller, _ find: @escaping @Sendable (ScopeNumber, any StoreTransaction) throws -> NamedCustomers
    ) async throws -> PageBody<GrantView> {
        try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let subject = try find(number, transaction)
            guard !subject.customers.isEmpty else { throw RequestError.unknownCustomer }
            let now = try clock.tolerantInstant(transaction)
            let grants = try GrantStore(transaction).grants(of: subject.customers)
            return PageBody(items: grants.reversed().map { GrantView($0, at: now) }, next: nil)
        }
    }

    /// Revokes a grant that was not used; one that was revoked before stays as it is.
    ///
    /// - Throws: `unknownGrant`, `grantUsed`.
    package func revoke(_ id: LowercaseUUID, caller: Caller) async throws -> GrantView {
        try await database.write(by: caller.author) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownGrant(id.description)
            }
            let store = GrantStore(transaction)
            // To stop is never too early: it does not wait for a clock that is behind.
            let now = try clock.tolerantInstant(transaction)
            if try store.revoke(id, actor: caller.actor, at: now, in: number) {
                try StoreClock(transaction).advance(to: now)
            }
            guard let stored = try store.grant(id, in: number) else {
                throw RequestError.unknownGrant(id.description)
            }
            if let issuedOffer = stored.grant.issuedOfferId { throw RequestError.grantUsed(id, by: issuedOffer) }
            return GrantView(stored, at: now)
        }
    }
}

extension GrantView {
    init(_ stored: StoredGrant, at now: Instant) {
        self.init()
        grantId = stored.grant.id
        offerId = stored.grant.offerId
        state = stored.grant.state(at: now)
        grantedAt = stored.grant.grantedAt
        let author = RecordedActor(stored.actor)
        (actor, person) = (author.key, author.person)
        reason = stored.reason
        expiresAt = stored.grant.expiresAt
        issuedOfferId = stored.grant.issuedOfferId
        revokedAt = stored.grant.revokedAt
        let revoker = stored.revokedBy.map(RecordedActor.init)
        (revokedBy, revokedByPerson) = (revoker?.key, revoker?.person)
    }
}
