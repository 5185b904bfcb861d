import OfferModel

/// The offers whose uses a limit counts.
struct CountedOffers {
    private let which: Which
    /// Whether the offer asked for is one of them.
    private let holdsOwn: Bool
    private let context: RuleContext

    private enum Which {
        case across(Limit.Across)
        /// One offer, and its place in the catalog.
        case only(OfferId, Int?)
    }

    private init(_ which: Which, _ context: RuleContext) {
        self.which = which
        self.context = context
        holdsOwn =
            switch which {
            case .across(.thisOffer), .across(.all): true
            case .across(.tag(let tag)): context.own.tags.contains(tag)
            case .only(_, let place): place != nil && place == context.own.place
            }
    }

    /// Those across which a limit of the offer asked for counts.
    init(_ across: Limit.Across, _ context: RuleContext) {
        self.init(.across(across), context)
    }

    /// One offer by its id, whether or not the catalog still has it.
    init(only id: OfferId, _ context: RuleContext) {
        self.init(.only(id, context.question.catalog.place(of: id)), context)
    }

    /// Whether a slot is one of theirs; slots outlive the catalog they were issued from.
    func holds(_ slot: Slot) -> Bool {
        switch which {
        case .across(.thisOffer): slot.offerId == context.own.id
        case .across(.all): true
        case .across(.tag(let tag)): slot.tags.contains(tag)
        case .only(let id, _): slot.offerId == id
        }
    }

    /// Whether a redemption, given by its place, is of one of them.
    func holdsUse(at place: Int) -> Bool {
        // Most have no slot, and a slot has many members.
        guard context.subject.uses.redemptions[place].slotId != nil, let slot = context.subject.uses.slots[place] else {
            return holdsRedemption(at: place)
        }
        return holds(slot)
    }

    /// Whether a redemption without a slot, given by its place, is of one of them: a use that we did not issue is
    /// recognised by Apple's name of the offer in the catalog in force.
    private func holdsRedemption(at place: Int) -> Bool {
        if holdsOwn, context.use.matching.contains(place) { return true }
        if case .across(.thisOffer) = which { return false }
        return context.catalog.matches[place].contains(where: isOther)
    }

    /// The same for a use of which the group is not certain.
    func mayHold(_ type: TransactionOfferType, _ identifier: OfferIdentifier?) -> Bool {
        func mayBe(_ mark: OfferMark) -> Bool {
            mark.offerType == type && (type == .introductory || mark.offerIdentifier == identifier)
        }
        return holdsOwn && mayBe(context.own)
            || context.question.catalog.marks.all.contains { isOther($0) && mayBe($0) }
    }

    private func isOther(_ mark: OfferMark) -> Bool {
        guard mark.place != context.own.place else { return false }
        switch which {
        case .across(.thisOffer): return false
        case .across(.all): return true
        case .across(.tag(let tag)): return mark.tags.contains(tag)
        case .only(_, let place): return mark.place == place
        }
    }
}
