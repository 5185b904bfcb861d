/// One limit per customer or per account of an offer, with its place among the offer's limits.
struct CustomerLimit: JudgedLimit {
    let index: Int
    let count: Int
    let window: Period?
    let across: Limit.Across
    let isPerAccount: Bool

    static func all(of offer: Offer) -> [CustomerLimit] {
        offer.limits.enumerated().compactMap { index, limit in
            switch limit {
            case .perCustomer(let count, let window, let across):
                CustomerLimit(index: index, count: count, window: window, across: across, isPerAccount: false)
            case .perAccount(let count, let window):
                CustomerLimit(index: index, count: count, window: window, across: .thisOffer, isPerAccount: true)
            case .total, .budget: nil
            }
        }
    }

    /// The limit in words: `limit: once per customer in 90 days, across offers tagged "comeback"`.
    private var limit: String {
        let span = window.map { " in \($0.words)" } ?? ""
        let others =
            switch across {
            case .thisOffer: ""
            case .all: ", across all offers"
            case .tag(let tag): ", across offers tagged `\(tag)`"
            }
        return "limit: \(Self.times(count)) per \(isPerAccount ? "app account" : "customer")\(span)\(others)"
    }

    private static func times(_ count: Int) -> String {
        switch count {
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }

    func finding(_ rule: some Rule, _ context: RuleContext) -> Finding {
        if isPerAccount {
            guard !context.question.signUp.isUnknown else {
                return rule.undetermined(
                    .accountUnknown, "\(ReasonCode.accountUnknown.explanation) (\(limit))")
            }
            guard context.accountUses != nil else {
                return rule.undetermined(
                    .usesNotCounted, "too many Apple Accounts share the app account to count its uses (\(limit))")
            }
        }
        let counted = CountedOffers(across, context)
        let places = uses(of: counted, context, at: context.now)
        let ambiguous = context.ambiguousUses(of: counted)
        let mayBeMore = ambiguous.matter(in: window, at: context.now)
        var evidence = [Evidence(field: rule.id.rawValue, observed: .number(places.count), required: .number(count))]
        for place in places { evidence.append(place.evidence) }
        let others = OtherSignUps(places, context)
        evidence += others.evidence
        let elsewhere = places.count(where: \.isElsewhere)
        let more =
            others.clause
            + (elsewhere == 0
                ? "" : ", \(elsewhere == 1 ? "one" : "\(elsewhere)") of the uses with another Apple Account")
        let taken = places.count
        guard taken < count else {
            let turningPoint = nextFree(places, counted, context).map { ambiguous.turningPoint($0, in: window) }
            let frees = turningPoint?.instant
            if let frees { evidence.append(Evidence(field: "nextPlaceFrees", observed: .instant(frees))) }
            return rule.violated(
                .limitReached, "\(words(taken))\(more)\(Self.end(turningPoint))", evidence: evidence,
                turningPoint: turningPoint)
        }
        if mayBeMore {
            var finding = rule.undetermined(
                .groupMismatch,
                (taken == 0 ? "perhaps used (\(limit))" : "\(words(taken)), perhaps more")
                    + ": \(ReasonCode.groupMismatch.explanation)",
                evidence: evidence)
            finding.turningPoint = ambiguous.turningPoint(context.now, in: window)
            return finding
        }
        return rule.satisfied(words(taken), evidence: evidence)
    }

    private func words(_ taken: Int) -> String {
        switch taken {
        case 0: "not used yet (\(limit))"
        case count...: "already used\(taken == 1 ? "" : " \(Self.times(taken))") (\(limit))"
        default: "used \(Self.times(taken)) (\(limit))"
        }
    }

    private static func end(_ turningPoint: TurningPoint?) -> String {
        switch turningPoint {
        case .at(let instant): "; available again at \(instant)"
        case .event: "; when it is available again is unknown: \(ReasonCode.groupMismatch.explanation)"
        case nil: ""
        }
    }

    /// When fewer than `count` places are taken, if nothing else happens. Of several issued offers of this offer, as a
    /// merge of customers can leave them, another is the open one after the first has ended.
    private func nextFree(_ places: [Use], _ counted: CountedOffers, _ context: RuleContext) -> Instant? {
        let own = context.subject.issuedOffers.filter { context.offer.has($0.offerId) }.map(\.countsUntil)
        let ends = places.compactMap { $0.end(in: window) } + own.filter { $0 > context.now }
        return ends.sorted().first { uses(of: counted, context, at: $0).count < count }
    }

    private func uses(of counted: CountedOffers, _ context: RuleContext, at instant: Instant) -> [Use] {
        let own = context.uses(of: counted, in: window, at: instant)
        guard isPerAccount else { return own }
        let others = (context.accountUses ?? []).map(Use.init).filter { $0.counts(in: window, at: instant) }
        let uses = own.filter { context.isUnderSameAccount($0) != false } + others
        // A V1 offer that another Apple Account redeemed is in both histories, and counts once.
        let explained = Set(uses.filter { $0.issuedOfferId != nil }.compactMap(\.redeemedAt))
        return uses.filter { $0.issuedOfferId != nil || !($0.redeemedAt.map(explained.contains) ?? false) }
    }
}

/// The offers whose uses a limit counts.
struct CountedOffers {
    private let which: Which
    /// Whether the offer asked for is one of them.
    private let holdsOwn: Bool
    private let context: RuleContext

    private enum Which {
        case across(Limit.Across)
        /// One offer, by the ids that it has or had, and its place in the catalog.
        case only([OfferId], Int?)
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
        let catalog = context.question.catalog
        self.init(.only(catalog.compiledOffer(id)?.offer.ids ?? [id], catalog.place(of: id)), context)
    }

    /// Whether an issued offer is one of theirs; issued offers outlive the catalog they were issued from.
    func holds(_ issuedOffer: IssuedOffer) -> Bool {
        switch which {
        case .across(.thisOffer): context.offer.has(issuedOffer.offerId)
        case .across(.all): true
        case .across(.tag(let tag)): issuedOffer.tags.contains(tag)
        case .only(let offer, _): offer.contains(issuedOffer.offerId)
        }
    }

    /// Whether a redemption, given by its place, is of one of them.
    func holdsUse(at place: Int) -> Bool {
        // Most have no issued offer, and an issued offer has many members.
        guard context.subject.uses.redemptions[place].issuedOfferId != nil,
            let issuedOffer = context.subject.uses.issuedOffers[place]
        else {
            return holdsRedemption(at: place)
        }
        return holds(issuedOffer)
    }

    /// Whether a redemption without an issued offer, given by its place, is of one of them: a use that we did not issue
    /// is recognised by Apple's name of the offer in the catalog in force.
    private func holdsRedemption(at place: Int) -> Bool {
        if holdsOwn, context.use.matching.contains(place) { return true }
        if case .across(.thisOffer) = which { return false }
        // The App Store's own retention offers are in no catalog, but are offers.
        if case .across(.all) = which, context.subject.uses.redemptions[place].offerType == .retention { return true }
        return context.catalog.matches[place].contains(where: isOther)
    }

    /// The same for a use of which the group is not certain.
    func mayHold(_ look: OfferLook) -> Bool {
        if case .across(.all) = which, look.offerType == .retention { return true }
        return holdsOwn && context.own.look == look
            || context.question.catalog.matchers.contains { isOther($0) && $0.look == look }
    }

    private func isOther(_ matcher: RedemptionMatcher) -> Bool {
        guard matcher.place != context.own.place else { return false }
        switch which {
        case .across(.thisOffer): return false
        case .across(.all): return true
        case .across(.tag(let tag)): return matcher.tags.contains(tag)
        case .only(_, let place): return matcher.place == place
        }
    }
}

extension Period {
    /// The length in words, for messages: `3 months`, `90 days`, `48 hours`.
    package var words: String {
        let seconds = Int(timeMilliseconds / Instant.Duration.second)
        let parts = [
            (months, "month"), (days, "day"), (seconds / 3_600, "hour"), (seconds / 60 % 60, "minute"),
            (seconds % 60, "second"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: " ")
    }
}
