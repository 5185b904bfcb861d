import OfferModel

struct OfferUse: Sendable {
    /// Redemptions of the offer, issued by us or not; they count permanently.
    let redemptions: [Redemption]
    /// The slot that asking again would use.
    let openSlot: Slot?
    private let unusedSlots: [Slot]

    /// The places of the redemptions that look like uses of the offer, whatever slot they used.
    let matching: [Int]

    /// - Parameters:
    ///   - matcher: what a use without a slot shows of the offer, if it is in the group asked about.
    ///   - matching: the places of the redemptions that look so.
    init(of matcher: RedemptionMatcher, matching: [Int], subject: Subject, at now: Instant) {
        // By their places: a slot or a redemption has many members, and most are not the offer's.
        let uses = subject.uses
        self.matching = matching
        let redeeming = uses.redemptions(of: matcher, matching: matching)
        redemptions = redeeming.map { uses.redemptions[$0] }
        let unused = matcher.ids.flatMap(uses.slots(of:)).filter { !uses.redeemed.contains(subject.slots[$0].id) }
            .map { subject.slots[$0] }
        unusedSlots = unused
        openSlot = unused.open(at: now)
    }

    func openSlot(at instant: Instant) -> Slot? { unusedSlots.open(at: instant) }
}

extension [Slot] {
    /// Of several open slots, as a merge of customers can leave them, the oldest is the one that stays.
    func open(_ offer: Offer, redemptions: [Redemption], at now: Instant) -> Slot? {
        let redeemed = Set(redemptions.compactMap(\.slotId))
        return filter { offer.has($0.offerId) && !redeemed.contains($0.id) }.open(at: now)
    }

    /// Whether one of an offer is open unless it was redeemed, so that redemptions have to be known.
    func mayBeOpen(_ offer: Offer, at now: Instant) -> Bool {
        contains { offer.has($0.offerId) && $0.isOpen(at: now) }
    }

    fileprivate func open(at now: Instant) -> Slot? {
        filter { $0.isOpen(at: now) }.min { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
    }
}

/// The redemptions of a history with the slots that they used; the same at any instant.
final class KnownUses: Sendable {
    let redemptions: [Redemption]
    /// What makes each redemption one of an offer.
    let keys: [RedemptionKey]
    let slots: [Slot?]
    /// The place that each redemption takes under a limit.
    let places: [Use]
    let redeemed: Set<LowercaseUUID>
    /// By offer, the places of its slots among the subject's, and of the redemptions that used one of them.
    private let slotsOfOffers: [OfferId: [Int]]
    private let redeemingSlotsOf: [OfferId: [Int]]

    init(_ past: SubscriptionHistory, lengths: OfferLengths, takesHistoryAsProven: Bool) {
        let redemptions = RedemptionReader(
            past: past, lengths: lengths, takesHistoryAsProven: takesHistoryAsProven
        ).redemptions()
        self.redemptions = redemptions
        keys = redemptions.map(\.key)
        redeemed = Set(redemptions.compactMap(\.slotId))
        let byId =
            redeemed.isEmpty ? [:] : Dictionary(past.facts.slots.map { ($0.id, $0) }) { first, _ in first }
        let slots = redemptions.map { redemption in redemption.slotId.flatMap { byId[$0] } }
        self.slots = slots
        places = redemptions.indices.map { Use(redemptions[$0], slot: slots[$0]) }
        slotsOfOffers = Dictionary(grouping: past.facts.slots.indices) { past.facts.slots[$0].offerId }
        var redeeming: [OfferId: [Int]] = [:]
        for place in slots.indices {
            if let slot = slots[place] { redeeming[slot.offerId, default: []].append(place) }
        }
        redeemingSlotsOf = redeeming
    }

    func slots(of offer: OfferId) -> [Int] { slotsOfOffers[offer] ?? [] }

    /// The places of the redemptions of an offer: by the slot that they used, and without one by what they look like.
    ///
    /// - Parameter matching: those that look like uses of it.
    func redemptions(of matcher: RedemptionMatcher, matching: [Int]) -> [Int] {
        let own = matcher.group == nil ? [] : matching.filter { redemptions[$0].slotId == nil }
        let redeeming = matcher.ids.flatMap { redeemingSlotsOf[$0] ?? [] }
        return redeeming.isEmpty ? own : (redeeming + own).sorted()
    }
}
