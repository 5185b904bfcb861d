public import OfferEligibility
public import OfferModel
import OfferStore

/// What support reads: one customer's story, and issued offers.
public struct CustomerLookup: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock

    /// The customers that the identifiers name, with a page of their timeline.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`.
    public func story(
        _ identifiers: CustomerIdentifiers, limit: Int = 50, from cursor: TimelineCursor? = nil, caller: Caller
    ) async throws -> CustomerDetails {
        let read = try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                throw RequestError.unknownCustomer
            }
            let subject = try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction)
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
            customers: read.customers, origins: read.origins, now: read.now, attributes: read.facts.attributes,
            history: read.facts.history, issuedOffers: read.issued.offers(scope: caller.scope, at: read.now),
            redemptions: read.redemptions.sorted { $0.firstEvidence < $1.firstEvidence }, timeline: read.timeline)
    }

    /// One issued offer of the caller's app and environment.
    ///
    /// - Throws: `unknownIssuedOffer`.
    public func issuedOffer(_ id: LowercaseUUID, caller: Caller) async throws -> IssuedOfferView {
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

    /// A page of the offers issued to the customers that the identifiers name, or of all offers without identifiers, newest first.
    ///
    /// - Throws: `ambiguousCustomer`.
    public func issuedOffers(
        _ identifiers: CustomerIdentifiers, offerId: OfferId?, limit: Int, before: Int64?, caller: Caller
    ) async throws -> IssuedOfferPage {
        let read = try await database.read { transaction -> (IssuedOfferRows, Int64?, Instant)? in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else { return nil }
            let names = !identifiers.proven.isEmpty || !identifiers.aliases.isEmpty
            let customers =
                names
                ? try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction).customers : nil
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

/// Everything support can see of the customers that some identifiers name.
public struct CustomerDetails: Sendable, Hashable {
    public var customers: [KnownIdentifiers]
    /// Where their identifiers came from, a list for each of them.
    public var origins: [[IdentifierOrigin]]
    public var now: Instant
    /// What the app set for them, by the name after `customer.attributes.`.
    public var attributes: [String: FactValue]
    public var history: History
    /// Their slots, newest first.
    public var issuedOffers: [IssuedOfferView]
    /// Their uses of offers as they are recorded, from the earliest.
    public var redemptions: [Redemption]
    /// What happened to them, so much as was asked for.
    public var timeline: TimelinePage
}

public struct IssuedOfferPage: Sendable, Hashable {
    public var items: [IssuedOfferView]
    /// The place of the last item in the store's order, where the next page starts; absent on the last page.
    public var next: Int64?
}

/// An identifier of a customer with where it came from.
public struct IdentifierOrigin: Sendable, Hashable {
    /// What it is, by its name in requests.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case originalTransactionId
        case appTransactionId
        case appAccountToken
        case customerId
    }

    public var kind: Kind
    public var value: String
    public var since: Instant
    /// How it reached us: with Apple's data, or on the word of the backend or an operator.
    public var provenance: Provenance
    /// The transaction, or of renewal info the subscription, whose data names it.
    public var transactionId: TransactionId?
    /// The request that stated it; the log has more of it.
    public var requestId: LowercaseUUID?
}

extension IdentifierOrigin {
    init(_ stored: SourcedIdentifier) {
        kind =
            switch stored.kind {
            case .originalTransactionId: .originalTransactionId
            case .appTransactionId: .appTransactionId
            case .appAccountToken: .appAccountToken
            case .customerId: .customerId
            }
        value = stored.value
        since = stored.since
        provenance = stored.provenance
        transactionId = stored.transactionId
        requestId = stored.requestId
    }
}
