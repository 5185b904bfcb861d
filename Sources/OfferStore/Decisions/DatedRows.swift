public import OfferModel

/// A recorded refusal with its date, for reports by date.
public struct DatedRefusal: Sendable, Hashable {
    public var sequence: Int64
    public var decidedAt: Instant
    /// The packed ``DecisionRecord``; `nil` once retention or an erasure has removed it.
    public var record: [UInt8]?
}

/// The rows of one offer in the order of commits, page by page, for reports by date.
public struct DatedRows {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// A page of the refusals in a range of instants. All pages together read the offer's refusals once.
    public func refusals(
        of offer: OfferId, in range: Range<Instant>, after sequence: Int64, limit: Int, in scope: ScopeNumber
    ) throws -> [DatedRefusal] {
        let page: [(Int64, Instant, ErasableColumn<[UInt8]>)] = try transaction.all(
            """
            SELECT sequence, decided_at, record FROM refusal
            WHERE scope_id = ?1 AND offer_id = ?2 AND sequence > ?3 AND decided_at >= ?4 AND decided_at < ?5
            ORDER BY sequence LIMIT ?6
            """, scope, offer, sequence, range.lowerBound, range.upperBound, limit)
        return page.map { DatedRefusal(sequence: $0.0, decidedAt: $0.1, record: $0.2.value) }
    }

    /// When the further signings of some issued offers were made, in no order; their first is the issue.
    public func furtherSignings(of issuedOffers: [StoredIssuedOffer]) throws -> [Instant] {
        let several = issuedOffers.filter { $0.issuedOffer.signings > 1 }.map { $0.sequence.storedValue }
        guard !several.isEmpty else { return [] }
        return try Self.signings.statement(list: several).all(in: transaction) { try $0.next() }
    }

    private static let signings = ListedSQL("SELECT decided_at FROM signing WHERE issued_offer IN (?*)")

    /// The uses of some issued offers, also those by another customer, from the earliest known.
    public func redemptions(of issuedOffers: [StoredIssuedOffer]) throws -> [RecordedRedemption] {
        let used = issuedOffers.filter { $0.redemptions > 0 }.map { $0.issuedOffer.id.storedValue }
        guard !used.isEmpty else { return [] }
        return try Self.uses.statement(list: used).all(in: transaction) { try RecordedRedemption(reading: &$0) }
            .sorted { $0.sequence < $1.sequence }
    }

    private static let uses = ListedSQL(
        "SELECT \(Table.redemption.list) FROM redemption WHERE issued_offer_id IN (?*)")
}
