public import OfferModel

public struct RecordedRedemption: Sendable, Hashable {
    /// Its place in the store-wide order: when it became known in this form.
    public var sequence: Int64
    var scope: ScopeNumber
    public var customer: CustomerNumber
    public var redemption: Redemption
    public var recordedAt: Instant
}

public struct RedemptionChange: Sendable, Hashable {
    /// Rows that were added. One whose issued offer, date or end has become known otherwise is removed and added again.
    public var added: [RecordedRedemption] = []
    public var removed: [RecordedRedemption] = []
}

/// Redemptions as rows: what the history shows, matched per customer, so that counters can count them
/// (docs/design.md#issued-offers-and-limits).
///
/// They follow from the history and the issued offers alone: in whatever order data arrives, the rows come out the same
/// (invariant 7). Only `sequence` and `recordedAt` say when something became known.
public struct RedemptionStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func redemptions(of customer: CustomerNumber) throws -> [RecordedRedemption] {
        try transaction.all(
            "SELECT \(Table.redemption.list) FROM redemption WHERE customer_id = ?1 ORDER BY sequence", customer)
    }

    /// Records what a customer's history shows now: rows that it no longer shows go, and issued offers and counters
    /// follow.
    ///
    /// - Parameters:
    ///   - offers: of the catalog in force; their lengths help where Apple's data states none.
    ///   - subscriptions: the facts of those that need not be read again.
    @discardableResult
    public func record(
        of customer: CustomerNumber, offers: [Offer], at now: Instant, in scope: ScopeNumber,
        knowing subscriptions: [TransactionId: History] = [:]
    ) throws -> RedemptionChange {
        let known = try redemptions(of: customer)
        let issuedOffers = try IssuedOfferStore(transaction).issuedOffers(of: [customer])
        var change = RedemptionChange()
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).histories(of: [[customer]], knowing: subscriptions)[0],
            issuedOffers: issuedOffers)
        // What an erasure keeps shows a use, so that there is a row of it.
        if !known.isEmpty { facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: [customer]) }
        guard !known.isEmpty || !facts.issuedOffers.isEmpty || facts.history.showsOffers else { return change }
        let found = try OffersOfOthers(transaction: transaction, scope: scope, customer: customer)
            .matching(facts.redemptions(of: offers), issuedOffers: issuedOffers, known: known)
        var missing = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
        for row in known {
            if let count = missing[row.redemption], count > 0 {
                missing[row.redemption] = count - 1
            } else {
                try delete(row, at: now, in: scope)
                change.removed.append(row)
            }
        }
        for redemption in found {
            guard let count = missing[redemption], count > 0 else { continue }
            missing[redemption] = count - 1
            change.added.append(try insert(redemption, of: customer, at: now, in: scope))
        }
        try IssuedOfferStore(transaction).redeem(of: customer, at: now)
        let used = found + (try usesByOthers(of: [customer]).map(\.redemption))
        let passedOver = try IssuedOfferStore(transaction).noteFullPrice(
            facts.fullPricePurchases(redemptions: used), of: customer, at: now)
        transaction.recording?.tally.add(change, in: scope)
        for use in change.newUses {
            let issued = issuedOffers.first { $0.id == use.redemption.issuedOfferId }
            try EventStore(transaction).note(use.redemption, of: issued?.offerId, at: now, in: scope)
        }
        transaction.recording?.tally.add(passedOver, .fullPrice, in: scope)
        for owner in try owners(of: change, besides: customer) {
            transaction.concerns { [.customer(owner)] }
            try record(of: owner, offers: offers, at: now, in: scope, knowing: subscriptions)
            try CustomerStore(transaction).noteChange(try StoreClock(transaction).nextSequence(), of: [owner])
        }
        return change
    }

    /// The same, if the customer has a redemption dated at or after the issue of a new issued offer, which may be its
    /// use: Apple charges up to a day early.
    public func matchLaterEvidence(
        of customer: CustomerNumber, since issuedAt: Instant, offers: [Offer], at now: Instant, in scope: ScopeNumber
    ) throws {
        let later = try transaction.row(
            "SELECT 1 FROM redemption WHERE customer_id = ?1 AND first_evidence >= ?2 LIMIT 1", customer, issuedAt)
        if later != nil { try record(of: customer, offers: offers, at: now, in: scope) }
    }

    private func insert(
        _ redemption: Redemption, of customer: CustomerNumber, at now: Instant, in scope: ScopeNumber
    ) throws -> RecordedRedemption {
        let recorded = RecordedRedemption(
            sequence: try StoreClock(transaction).nextSequence(), scope: scope, customer: customer,
            redemption: redemption, recordedAt: now)
        try transaction.insert(recorded, into: .redemption)
        if redemption.issuedOfferId == nil { try CounterStore(transaction).add(1, unmatched: redemption, in: scope) }
        try transaction.audit().record(.redemption, at: now, in: scope, after: recorded.told)
        return recorded
    }

    private func delete(_ row: RecordedRedemption, at now: Instant, in scope: ScopeNumber) throws {
        try transaction.audit().record(.redemption, at: now, in: scope, before: row.told)
        try transaction.execute("DELETE FROM redemption WHERE sequence = ?1", row.sequence)
        if row.redemption.issuedOfferId == nil {
            try CounterStore(transaction).add(-1, unmatched: row.redemption, in: scope)
        }
    }
}

extension History {
    fileprivate var showsOffers: Bool {
        transactions.contains { $0.payload.offerType != nil } || renewalInfos.contains { $0.payload.offerType != nil }
    }
}

extension RecordedRedemption: TableRow {
    fileprivate var told: AuditValues {
        [
            "customer": customer, "firstEvidence": redemption.firstEvidence, "isDoubled": redemption.isDoubled,
            "isLate": redemption.isLate, "issuedOfferId": redemption.issuedOfferId, "redemption": sequence,
        ]
    }

    static let blank = RecordedRedemption(
        sequence: 0, scope: .blank, customer: .blank, redemption: .blank,
        recordedAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, "REFERENCES scope (id)")
        try columns("customer_id", &customer, "REFERENCES customer (id)")
        try columns("original_transaction_id", &redemption.originalTransactionId, .erased(.digested))
        var (type, identifier) = CounterStore.key(redemption.offerType, redemption.offerIdentifier)
        try columns("offer_type", &type)
        try columns("offer_identifier", &identifier)
        (redemption.offerType, redemption.offerIdentifier) = (type, identifier.rawValue.isEmpty ? nil : identifier)
        try columns("subscription_group_identifier", &redemption.subscriptionGroupIdentifier)
        try columns("product_id", &redemption.productId)
        try columns("transaction_id", &redemption.transactionId, .erased(.emptied))
        try columns("first_evidence", &redemption.firstEvidence)
        try columns("offer_ends", &redemption.offerEnds)
        try columns("provenance", &redemption.provenance)
        try columns("issued_offer_id", &redemption.issuedOfferId, "REFERENCES issued_offer (id)")
        try columns("is_doubled", &redemption.isDoubled, "CHECK (is_doubled IN (0, 1))")
        try columns("is_late", &redemption.isLate, "CHECK (is_late IN (0, 1))")
        try columns("recorded_at", &recordedAt)
    }
}

/// The uses of offers that one commit made known, for counting (docs/design.md#issued-offers-and-limits).
public struct RedemptionNews: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A use of an offer, whatever else it is: a run of periods is one.
        case redeemed
        /// It only waits for the next renewal, by renewal info.
        case pending
        case unmatched
        /// An earlier use took the same issued offer.
        case doubled
        /// It is dated after its issued offer stopped counting.
        case late
        /// An offer was signed, and the customer bought at full price right after.
        case fullPrice
    }

    public var scope: Scope
    /// How often; what did not happen is left out.
    public var counts: [Kind: Int]
}

struct RedemptionTally {
    private(set) var counts: [ScopeNumber: [RedemptionNews.Kind: Int]] = [:]

    mutating func add(_ number: Int, _ kind: RedemptionNews.Kind, in scope: ScopeNumber) {
        guard number > 0 else { return }
        counts[scope, default: [:]][kind, default: 0] += number
    }

    mutating func add(_ change: RedemptionChange, in scope: ScopeNumber) {
        for (added, removed) in change.byUse {
            for kind in RedemptionNews.Kind.allCases {
                let before = removed.count { $0.redemption.shows(kind) }
                add(added.count { $0.redemption.shows(kind) } - before, kind, in: scope)
            }
        }
    }
}

extension RedemptionChange {
    /// The changes of each offer of each subscription. A row that is only recorded again, because its run went on
    /// or its issued offer became known, is not news: what counts is by how many there are more.
    fileprivate var byUse: [(added: [RecordedRedemption], removed: [RecordedRedemption])] {
        let removed = Dictionary(grouping: removed) { UsedOffer($0.redemption) }
        return Dictionary(grouping: added) { UsedOffer($0.redemption) }.map { ($0.value, removed[$0.key, default: []]) }
    }

    /// Those that were not there before, from the earliest.
    fileprivate var newUses: [RecordedRedemption] {
        byUse.flatMap { added, removed in added.dropFirst(removed.count) }.sorted { $0.sequence < $1.sequence }
    }

    private struct UsedOffer: Hashable {
        let subscription: TransactionId
        let type: TransactionOfferType
        let identifier: OfferIdentifier?

        init(_ redemption: Redemption) {
            subscription = redemption.originalTransactionId
            type = redemption.offerType
            identifier = redemption.offerIdentifier
        }
    }
}

extension Redemption {
    fileprivate func shows(_ kind: RedemptionNews.Kind) -> Bool {
        switch kind {
        case .redeemed: true
        case .pending: transactionId == nil && offerEnds == nil
        case .unmatched: issuedOfferId == nil
        case .doubled: isDoubled
        case .late: isLate
        case .fullPrice: false
        }
    }
}
