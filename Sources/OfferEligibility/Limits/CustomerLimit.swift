import OfferModel

/// One limit per customer of an offer, with its place among the offer's limits.
struct CustomerLimit: Sendable {
    let index: Int
    let count: Int
    let window: Period?
    let across: Limit.Across

    /// The offer's limits per customer, with a window or without one.
    static func all(of offer: Offer, withWindow: Bool) -> [CustomerLimit] {
        offer.limits.enumerated().compactMap { index, limit in
            guard case .perCustomer(let count, let window, let across) = limit, (window != nil) == withWindow else {
                return nil
            }
            return CustomerLimit(index: index, count: count, window: window, across: across)
        }
    }

    /// What is counted, in words: `uses per customer in 90 days of offers tagged "comeback"`.
    private var subject: String {
        let span = window.map { " in \($0.words)" } ?? ""
        let others =
            switch across {
            case .thisOffer: ""
            case .all: " of all offers"
            case .tag(let tag): " of offers tagged `\(tag)`"
            }
        return "uses per customer\(span)\(others)"
    }

    /// The finding on this limit alone.
    func finding(_ rule: some Rule, _ context: RuleContext) -> Finding {
        let counted = CountedOffers(across, context)
        let places = context.places(of: counted, in: window, at: context.now)
        let elsewhere = context.usesElsewhere(of: counted)
        let mayBeMore = elsewhere.matter(in: window, at: context.now)
        var evidence = [Evidence(field: rule.id.rawValue, observed: .number(places.count), required: .number(count))]
        for place in places { evidence.append(place.evidence) }
        let others = OtherSignUps(places, context)
        evidence += others.evidence
        let taken = places.count
        guard taken < count else {
            let turningPoint = nextFree(places, counted, context).map { elsewhere.turningPoint($0, in: window) }
            let frees = turningPoint?.instant
            if let frees { evidence.append(Evidence(field: "nextPlaceFrees", observed: .instant(frees))) }
            return rule.violated(
                .limitReached, "\(words(taken))\(others.clause); \(Self.end(turningPoint))", evidence: evidence,
                turningPoint: turningPoint)
        }
        if mayBeMore {
            var finding = rule.undetermined(
                .groupMismatch, "at least \(words(taken)), perhaps more: \(ReasonCode.groupMismatch.explanation)",
                evidence: evidence)
            finding.turningPoint = elsewhere.turningPoint(context.now, in: window)
            return finding
        }
        return rule.satisfied(words(taken), evidence: evidence)
    }

    private func words(_ taken: Int) -> String { "\(taken) of \(count) \(subject) are taken" }

    private static func end(_ turningPoint: TurningPoint?) -> String {
        switch turningPoint {
        case .at(let instant): "the next place frees at \(instant)"
        case .event: "when one frees is not known: \(ReasonCode.groupMismatch.explanation)"
        case nil: "no place will free by itself"
        }
    }

    /// When fewer than `count` places are taken, if nothing else happens. Of several slots of this offer, as a merge of
    /// customers can leave them, another is the open one after the first has ended.
    private func nextFree(_ places: [Place], _ counted: CountedOffers, _ context: RuleContext) -> Instant? {
        let own = context.subject.slots.filter { $0.offerId == context.offer.id }.map(\.countsUntil)
        let ends = places.compactMap { $0.end(in: window) } + own.filter { $0 > context.now }
        return ends.sorted().first { context.places(of: counted, in: window, at: $0).count < count }
    }
}
