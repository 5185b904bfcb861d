public struct SubjectFacts: Sendable, Hashable {
    public var history: History
    /// Every issued offer ever issued to them, of every offer.
    public var issuedOffers: [IssuedOffer]
    /// Attributes that the app set for the customer, by the name after `customer.attributes.`.
    public var attributes: [String: FactValue]
    /// When the first of the subject's customers was first stored; absent for an unknown customer.
    public var firstStoredAt: Instant?
    /// The identifier by which rollouts draw (docs/design.md#decisions); absent for an unknown customer without an
    /// identifier.
    public var rolloutKey: String?
    /// When an offer with `availableFor` was first found open to the subject by an issue request
    /// (docs/design.md#decisions).
    public var openedAt: [OfferId: Instant]
    /// How much everyone has used of the offers whose limits count that.
    public var counters: [OfferId: OfferCounters]
    /// Uses of offers by the other Apple Accounts of the app account that is named, where limits count them; absent
    /// where they could not be counted.
    public var accountUses: [OfferId: [AccountUse]] = [:]
    /// Whether only the app's word makes several customers one (docs/design.md#identity).
    public var isUnited = false
    /// The evidence of uses of offers whose history was erased, and of others' uses of these issued offers; nearly
    /// always empty.
    public var keptEvidence: [KeptEvidence] = []
    /// Every grant of support ever made to them; nearly always empty.
    public var grants: [Grant] = []

    public init(
        history: History = History(), issuedOffers: [IssuedOffer] = [], attributes: [String: FactValue] = [:],
        firstStoredAt: Instant? = nil, rolloutKey: String? = nil, openedAt: [OfferId: Instant] = [:],
        counters: [OfferId: OfferCounters] = [:]
    ) {
        self.history = history
        self.issuedOffers = issuedOffers
        self.attributes = attributes
        self.firstStoredAt = firstStoredAt
        self.rolloutKey = rolloutKey
        self.openedAt = openedAt
        self.counters = counters
    }

    /// When an offer was first found open, under whichever id.
    func openedAt(of offer: Offer) -> Instant? { offer.ids.compactMap { openedAt[$0] }.min() }

    /// The facts known at an earlier instant, by the dates alone: evidence signed or bought after it is dropped
    /// (docs/design.md#history-and-state). For stored evidence, its arrival counts as well.
    ///
    /// A completeness fetched or stated later is dropped too, because it may rest on rows that are. Issued offers
    /// issued later go; of the others a later void or end is undone, while ends and signings stay as they are given,
    /// and so do attributes.
    public func known(asOf instant: Instant) -> SubjectFacts {
        var known = self
        known.history.transactions.removeAll {
            $0.payload.signedDate > instant || $0.payload.purchaseDate > instant
        }
        known.history.renewalInfos.removeAll { $0.payload.signedDate > instant }
        known.history.appTransactions.removeAll { $0.payload.receiptCreationDate > instant }
        if let statedAt = history.coverage.asOf, statedAt > instant {
            let isEmpty = known.history.transactions.isEmpty && known.history.appTransactions.isEmpty
            known.history.coverage = Coverage(level: isEmpty ? .none : .partial)
        }
        known.issuedOffers.removeAll { $0.issuedAt > instant }
        known.keptEvidence.removeAll { $0.at > instant }
        known.grants = grants.known(asOf: instant, issuedOffers: known.issuedOffers)
        if let firstStoredAt, firstStoredAt > instant { known.firstStoredAt = nil }
        known.openedAt = openedAt.filter { $0.value <= instant }
        for index in known.issuedOffers.indices {
            if let voidedAt = known.issuedOffers[index].voidedAt, voidedAt > instant {
                known.issuedOffers[index].voidedAt = nil
                known.issuedOffers[index].isReleased = false
            }
            if let settledAt = known.issuedOffers[index].settledAt, settledAt > instant {
                known.issuedOffers[index].settledAt = nil
            }
        }
        return known
    }
}
