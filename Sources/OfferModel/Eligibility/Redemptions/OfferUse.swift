struct OfferUse: Sendable {
    /// Redemptions of the offer, issued by us or not; they count permanently.
    let redemptions: [Redemption]
    /// The issued offer that asking again would use.
    let openIssuedOffer: IssuedOffer?
    private let unusedIssuedOffers: [IssuedOffer]

    /// The places of the redemptions that look like uses of the offer, whatever issued offer they used.
    let matching: [Int]

    /// - Parameters:
    ///   - matcher: what a use without an issued offer shows of the offer, if it is in the group asked about.
    ///   - matching: the places of the redemptions that look so.
    init(of matcher: RedemptionMatcher, matching: [Int], subject: Subject, at now: Instant) {
        // By their places: an issued offer or a redemption has many members, and most are not the offer's.
        let uses = subject.uses
        self.matching = matching
        let redeeming = uses.redemptions(of: matcher, matching: matching)
        redemptions = redeeming.map { uses.redemptions[$0] }
        let unused = matcher.ids.flatMap(uses.issuedOffers(of:)).filter {
            !uses.redeemed.contains(subject.issuedOffers[$0].id)
        }
        .map { subject.issuedOffers[$0] }
        unusedIssuedOffers = unused
        openIssuedOffer = unused.open(at: now)
    }

    func openIssuedOffer(at instant: Instant) -> IssuedOffer? { unusedIssuedOffers.open(at: instant) }
}

extension [IssuedOffer] {
    /// Of several open issued offers, as a merge of customers can leave them, the oldest is the one that stays.
    func open(_ offer: Offer, redemptions: [Redemption], at now: Instant) -> IssuedOffer? {
        let redeemed = Set(redemptions.compactMap(\.issuedOfferId))
        return filter { offer.has($0.offerId) && !redeemed.contains($0.id) }.open(at: now)
    }

    /// Whether one of an offer is open unless it was redeemed, so that redemptions have to be known.
    func mayBeOpen(_ offer: Offer, at now: Instant) -> Bool {
        contains { offer.has($0.offerId) && $0.isOpen(at: now) }
    }

    fileprivate func open(at now: Instant) -> IssuedOffer? {
        filter { $0.isOpen(at: now) }.min { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
    }
}

/// The redemptions of a history with the issued offers that they used; the same at any instant.
final class KnownUses: Sendable {
    let redemptions: [Redemption]
    /// The criterion by which a redemption is one of an offer.
    let keys: [RedemptionKey]
    let issuedOffers: [IssuedOffer?]
    /// The place that each redemption takes under a limit.
    let places: [Use]
    let redeemed: Set<LowercaseUUID>
    /// By offer, the places of its issued offers among the subject's, and of the redemptions that used one of them.
    private let issuedOffersOfOffers: [OfferId: [Int]]
    private let redeemingIssuedOffersOf: [OfferId: [Int]]

    init(_ past: SubscriptionHistory, lengths: OfferLengths, takesHistoryAsProven: Bool) {
        let redemptions = RedemptionReader(
            past: past, lengths: lengths, takesHistoryAsProven: takesHistoryAsProven
        ).redemptions()
        self.redemptions = redemptions
        keys = redemptions.map(\.key)
        redeemed = Set(redemptions.compactMap(\.issuedOfferId))
        let byId =
            redeemed.isEmpty ? [:] : Dictionary(past.facts.issuedOffers.map { ($0.id, $0) }) { first, _ in first }
        let issuedOffers = redemptions.map { redemption in redemption.issuedOfferId.flatMap { byId[$0] } }
        self.issuedOffers = issuedOffers
        places = redemptions.indices.map { Use(redemptions[$0], issuedOffer: issuedOffers[$0]) }
        issuedOffersOfOffers = Dictionary(grouping: past.facts.issuedOffers.indices) {
            past.facts.issuedOffers[$0].offerId
        }
        var redeeming: [OfferId: [Int]] = [:]
        for place in issuedOffers.indices {
            if let issuedOffer = issuedOffers[place] { redeeming[issuedOffer.offerId, default: []].append(place) }
        }
        redeemingIssuedOffersOf = redeeming
    }

    func issuedOffers(of offer: OfferId) -> [Int] { issuedOffersOfOffers[offer] ?? [] }

    /// The places of the redemptions of an offer: by the issued offer that they used, and without one by what they look
    /// like.
    ///
    /// - Parameter matching: those that look like uses of it.
    func redemptions(of matcher: RedemptionMatcher, matching: [Int]) -> [Int] {
        let own = matcher.group == nil ? [] : matching.filter { redemptions[$0].issuedOfferId == nil }
        let redeeming = matcher.ids.flatMap { redeemingIssuedOffersOf[$0] ?? [] }
        return redeeming.isEmpty ? own : (redeeming + own).sorted()
    }
}
