import OfferModel

/// The subscription ended so many months ago: calendar months in UTC from the last `expiresDate`, the minimum included,
/// until a month after the maximum (Apple: `customerEligibilityTimeSinceLastSubscribedInMonths`; docs/design.md#decisions).
struct TimeSinceLastSubscribedRule: WinBackMonthRule {
    let id = RuleId.winBackTimeSinceLastSubscribed

    func term(of terms: WinBackTerms) -> ClosedRange<Int>? { terms.timeSinceLastSubscribedInMonths }

    func judge(_ months: ClosedRange<Int>, _ context: RuleContext) -> Finding {
        guard let state = context.state else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        switch state.standing {
        case .undetermined(let reason):
            return undetermined(
                reason, "when the subscription ended is not known: \(reason.explanation)", evidence: [state.evidence()])
        case .determined(.neverSubscribed):
            return violated(
                .neverSubscribed, "no subscription of group `\(state.subscriptionGroupIdentifier)` was ever bought",
                evidence: [state.evidence()], turningPoint: .event(.subscriptionBought))
        case .determined(let name):
            var windows = LapseWindows(months: months, group: state.subscriptionGroupIdentifier, context: context)
            guard name == .expired, let window = windows.window(at: context.now) else {
                return violated(
                    .notLapsed, "the subscription has not lapsed (state `\(name.rawValue)`)",
                    evidence: [state.evidence()],
                    turningPoint: windows.opening.map(TurningPoint.at)
                        ?? .event(name == .revoked ? .subscriptionChanged : .subscriptionEnded))
            }
            return judge(window, &windows, context)
        }
    }

    private func judge(_ window: LapseWindow, _ windows: inout LapseWindows, _ context: RuleContext) -> Finding {
        let passed = context.now.months(since: window.ended)
        let evidence = [
            Evidence(
                field: "timeSinceLastSubscribedInMonths", observed: .number(passed),
                required: .list([window.months.lowerBound, window.months.upperBound].map { .number(Double($0)) })),
            Evidence(
                field: "expiresDate", observed: .instant(window.ended), provenance: window.row.provenance,
                transactionId: window.row.payload.transactionId),
        ]
        if context.now < window.opens {
            return violated(
                .lapsedTooRecently, window.words(passed), evidence: evidence,
                turningPoint: windows.opening.map(TurningPoint.at))
        }
        guard context.now < window.closes else {
            return violated(
                .lapsedTooLongAgo, window.words(passed), evidence: evidence, turningPoint: .event(.subscriptionChanged))
        }
        return satisfied(window.words(passed), evidence: evidence, until: windows.closing)
    }
}

/// The windows of a group as its subscriptions end, from the instant of the question on.
private struct LapseWindows {
    let months: ClosedRange<Int>
    let group: SubscriptionGroupId
    let context: RuleContext
    /// The last one found: mostly there is only one.
    private var known: LapseWindow?

    init(months: ClosedRange<Int>, group: SubscriptionGroupId, context: RuleContext) {
        self.months = months
        self.group = group
        self.context = context
    }

    /// `nil` where the group is not expired at that instant.
    mutating func window(at instant: Instant) -> LapseWindow? {
        guard context.subject.state(of: group, at: instant).name == .expired,
            let last = context.subject.lastEnded(of: group, at: instant)
        else { return nil }
        if let known, known.row === last.row, known.ended == last.at { return known }
        let window = LapseWindow(months: months, row: last.row, ended: last.at)
        known = window
        return window
    }

    /// The first later instant within the window, if nothing else happens.
    var opening: Instant? {
        mutating get {
            for instant in instants(\.opens) where window(at: instant)?.contains(instant) == true { return instant }
            return nil
        }
    }

    /// The first later instant that is known to be outside the window, if nothing else happens: a period that was
    /// charged already may begin before the window closes.
    var closing: Instant? {
        mutating get {
            for instant in instants(\.closes)
            where context.subject.state(of: group, at: instant).name != nil
                && window(at: instant)?.contains(instant) != true
            {
                return instant
            }
            return nil
        }
    }

    /// The later instants at which the answer can change by itself, from the earliest.
    private mutating func instants(_ edge: (LapseWindow) -> Instant) -> [Instant] {
        var instants = context.subject.transitions(of: group, after: context.now)
        for instant in [context.now] + instants {
            if let edge = window(at: instant).map(edge), edge > context.now { instants.append(edge) }
        }
        instants.sortOnce()
        return instants
    }
}

/// When a lapsed customer may have the offer.
private struct LapseWindow: Sendable {
    let months: ClosedRange<Int>
    let row: Recorded<Transaction>
    let ended: Instant
    let opens: Instant
    /// The first instant that is too late.
    let closes: Instant

    init(months: ClosedRange<Int>, row: Recorded<Transaction>, ended: Instant) {
        self.months = months
        self.row = row
        self.ended = ended
        opens = ended.adding(months: months.lowerBound)
        closes = ended.adding(months: months.upperBound + 1)
    }

    func contains(_ instant: Instant) -> Bool { opens <= instant && instant < closes }

    func words(_ passed: Int) -> String {
        "the subscription ended \(passed.inMonths) ago, on \(ended.day); "
            + "\(months.lowerBound) to \(months.upperBound) asked for"
    }
}
