package import OfferAPI
package import OfferModel
import OfferStore

/// Lookups for support: one customer's story, and issued offers.
public struct CustomerLookup: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock
    let work: LongWork

    /// The customers that the identifiers name, with a page of their timeline.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`, `busy`.
    package func story(
        _ identifiers: CustomerIdentifiers, limit: Int = 50, from cursor: TimelineCursor? = nil, caller: Caller
    ) async throws -> CustomerDetails {
        try await story(limit, from: cursor, caller) {
            try NamedCustomers.resolve(identifiers, signed: [], in: $0, $1)
        }
    }

    /// The same of the customers that a text names, whichever kind of identifier it is.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousIdentifier`, `ambiguousCustomer`, `busy`.
    package func story(
        ofAny text: String, limit: Int = 50, from cursor: TimelineCursor? = nil, caller: Caller
    ) async throws -> CustomerDetails {
        try await story(limit, from: cursor, caller) { try AnyIdentifier.resolve(text, in: $0, $1) }
    }

    /// The customers that an alias names, of which several Apple Accounts may have the same.
    package func namesakes(_ alias: String, caller: Caller) async throws -> [KnownIdentifiers] {
        try await work.read(database) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return [] }
            let store = CustomerStore(transaction)
            let tokens = AppAccountToken(alias).map { [CustomerAlias.appAccountToken($0)] } ?? []
            let found = try store.customers(aliases: tokens + [.customerId(CustomerId(alias))], in: number)
            return try store.customers(found).map(KnownIdentifiers.init)
        }
    }

    /// The customer of an issued offer, or of a refusal by its `decisionId`; `nil` where none is known.
    package func customer(ofRecord id: LowercaseUUID, caller: Caller) async throws -> KnownIdentifiers? {
        try await work.read(database) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            let owner =
                try IssuedOfferStore(transaction).issuedOffer(id, in: number)?.customer
                ?? RefusalStore(transaction).refusal(id, in: number)?.customer
            return try CustomerStore(transaction).customers([owner].compactMap(\.self)).first.map(KnownIdentifiers.init)
        }
    }

    private func story(
        _ limit: Int, from cursor: TimelineCursor?, _ caller: Caller,
        _ find: @escaping @Sendable (ScopeNumber, any StoreTransaction) throws -> NamedCustomers
    ) async throws -> CustomerDetails {
        try await work.run {
            let read = try await database.read { transaction in
                guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                    throw RequestError.unknownCustomer
                }
                let subject = try find(number, transaction)
                guard !subject.customers.isEmpty else { throw RequestError.unknownCustomer }
                let facts = try SubjectFacts.read(subject.customers, transaction)
                let now = try clock.tolerantInstant(transaction)
                let store = CustomerStore(transaction)
                let origins = Dictionary(
                    grouping: try store.sourcedIdentifiers(of: subject.customers), by: \.customer)
                let customers = try store.customers(subject.customers).map { stored in
                    var known = KnownIdentifiers(stored)
                    known.identifiers = (origins[stored.number] ?? []).map(IdentifierOrigin.init)
                    return known
                }
                let issued = try IssuedOfferStore(transaction).page(
                    of: subject.customers, offer: nil, descending: true, after: nil, limit: Self.shownOffers, in: number
                )
                let timeline = try Timeline.read(
                    of: subject.customers, from: cursor, limit: limit, at: now, transaction)
                let page = timeline.page(from: cursor, limit: limit) { record, offer in
                    try record.decideAgain(
                        offer,
                        by: catalogs.catalog(Int64(record.catalogRevision), of: number, in: caller.scope, transaction),
                        scope: caller.scope, policy: policy, in: number, transaction)
                }
                let rows = try ShownIssuedOffers(issued, united: facts, in: number, transaction)
                return (
                    customers: customers, now: now, facts: facts, issued: rows, grants: timeline.grants, timeline: page
                )
            }
            let history = read.facts.history
            let transactions = history.purchases.rows
            let older = transactions.count - Self.shownTransactions
            let states = history.subscriptionStates(
                at: read.now, policy: policy.scaled(for: caller.scope.environment))
            return CustomerDetails { details in
                details.customers = read.customers
                details.attributes = read.facts.attributes
                details.coverage = history.coverage
                details.subscriptions = states.map(SubscriptionSummary.init)
                details.transactions = transactions.suffix(Self.shownTransactions).map {
                    TransactionSummary($0.payload, provenance: $0.provenance)
                }
                details.olderTransactions = older > 0 ? older : nil
                details.issuedOffers = read.issued.offers(for: caller, at: read.now)
                let grants = read.grants.reversed().map { GrantView($0, at: read.now) }
                details.grants = grants.isEmpty ? nil : grants
                details.timeline = read.timeline.items
                details.next = read.timeline.next
            }
        }
    }

    /// - Throws: `unknownIssuedOffer`.
    package func issuedOffer(_ id: LowercaseUUID, caller: Caller) async throws -> IssuedOfferView {
        let (rows, now) = try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let issued = try IssuedOfferStore(transaction).issuedOffer(id, in: number)
            else { throw RequestError.unknownIssuedOffer(id.description) }
            return (
                try ShownIssuedOffers([issued], in: number, transaction),
                try clock.tolerantInstant(transaction)
            )
        }
        guard let offer = rows.offers(for: caller, at: now).first else {
            throw RequestError.unknownIssuedOffer(id.description)
        }
        return offer
    }

    /// A page of the offers issued to the customers that the identifiers name, or of all offers without identifiers,
    /// newest first.
    ///
    /// - Throws: `ambiguousCustomer`, `busy`.
    package func issuedOffers(
        _ identifiers: CustomerIdentifiers, offerId: OfferId?, limit: Int, before: Int64?, caller: Caller
    ) async throws -> PageBody<IssuedOfferView> {
        try await work.run {
            let read = try await database.read { transaction -> (ShownIssuedOffers, Int64?, Instant)? in
                guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
                let names = !identifiers.proven.isEmpty || !identifiers.aliases.isEmpty
                let customers =
                    names
                    ? try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction).customers : nil
                // One more than asked for tells whether there is another page.
                let found = try IssuedOfferStore(transaction).page(
                    of: customers, offer: offerId, descending: true, after: before, limit: limit + 1,
                    in: number)
                let shown = Array(found.prefix(limit))
                let united = try customers.map { try SubjectFacts.read($0, transaction) }
                return (
                    try ShownIssuedOffers(shown, united: united, in: number, transaction),
                    found.count > limit ? shown.last?.sequence : nil,
                    try clock.tolerantInstant(transaction)
                )
            }
            guard let (rows, next, now) = read else { return PageBody(items: [], next: nil) }
            return PageBody(
                items: rows.offers(for: caller, at: now), next: next.map { ListCursor.issuedOffers.text($0) })
        }
    }

    /// How many of the newest issued offers a story shows; the list has them all.
    private static let shownOffers = 200
    /// How many of the newest transactions are shown; the timeline has them all.
    private static let shownTransactions = 100
}

extension IdentifierOrigin {
    fileprivate init(_ stored: SourcedIdentifier) {
        self.init()
        kind = stored.kind.rawValue
        value = stored.value
        since = stored.since
        provenance = stored.provenance
        transactionId = stored.transactionId
        requestId = stored.requestId
    }
}

extension SubscriptionSummary {
    fileprivate init(_ state: SubscriptionState) {
        self.init()
        subscriptionGroupIdentifier = state.subscriptionGroupIdentifier
        self.state = state.name
        undeterminedBecause = state.resolution.undeterminedReason?.rawValue
        hasAccess = state.hasAccess
        willAutoRenew = state.willAutoRenew
        productId = state.transaction?.productId
        expiresDate = state.accessEnds
        daysLeft = state.daysLeft
        lastMomentToCancel = state.lastMomentToCancel
        transactionId = state.transaction?.transactionId
    }
}
