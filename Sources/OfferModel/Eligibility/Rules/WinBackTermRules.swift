/// A rule over one of the numbers that App Store Connect knows of a win-back offer (`WinBackOffer` of the App Store
/// Connect API). How they are counted is this project's reading, because Apple publishes none (`docs/eligibility.md`).
///
/// It is judged where the offer states the number. It is set aside, its numbers kept as evidence, in Sandbox, where
/// Apple makes lapsed customers eligible at once, and where Apple's own list decides (docs/design.md#decisions).
protocol WinBackMonthRule: Rule {
    associatedtype Term

    func term(of terms: WinBackTerms) -> Term?

    func judge(_ term: Term, _ context: RuleContext) -> Finding
}

extension WinBackMonthRule {
    func concerns(_ offer: Offer) -> Bool {
        offer.delivery == .appStore || offer.type == .winBack && offer.winBackTerms.flatMap(term) != nil
    }

    func finding(_ context: RuleContext) -> Finding {
        guard let term = context.offer.winBackTerms.flatMap(term) else {
            return notApplicable("the offer does not ask for it")
        }
        let judged = judge(term, context)
        if context.question.scope.environment == .sandbox {
            return notApplicable(
                "in Sandbox Apple makes lapsed customers eligible at once; else: \(judged.message)",
                evidence: judged.evidence)
        }
        if context.winBackList(at: context.now) != nil {
            return notApplicable(
                "the App Store's own list decides; else: \(judged.message)", evidence: judged.evidence)
        }
        return judged
    }
}

extension Int {
    var inMonths: String { self == 1 ? "1 month" : "\(self) months" }
}

/// The customer has paid for at least that many months of the group's subscriptions, free trials left out and gaps
/// notwithstanding (Apple: `customerEligibilityPaidSubscriptionDurationInMonths`).
struct PaidDurationRule: WinBackMonthRule {
    let id = RuleId.winBackPaidDuration
    var requirement: String { "the customer must have paid for enough months" }

    func term(of terms: WinBackTerms) -> Int? { terms.paidSubscriptionDurationInMonths }

    func judge(_ least: Int, _ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else { return groupUnknown }
        let paid = context.subject.paidTime(of: group)
        let evidence = [
            Evidence(
                field: "paidSubscriptionDurationInMonths", observed: .number(paid.months), required: .number(least)),
            Evidence(field: "subscription.paidPeriods", observed: .number(paid.periods)),
        ]
        let required = "must have paid for at least \(least.inMonths)"
        if paid.months >= least {
            return satisfied("\(required); paid for \(paid.months.inMonths)", evidence: evidence)
        }
        if let doubt = context.subject.doubt(about: group) ?? (paid.isPartial ? .valueUnknown : nil) {
            return undetermined(
                doubt,
                "\(required); known to have paid for \(paid.months.inMonths), but \(doubt.explanation)",
                evidence: evidence)
        }
        return violated(
            .paidTooShort, "\(required); paid for \(paid.months.inMonths)", evidence: evidence,
            turningPoint: .event(.subscriptionBought))
    }
}

/// The subscription ended that many months ago: calendar months in UTC from the last `expiresDate`, the minimum
/// included, until a month after the maximum (Apple: `customerEligibilityTimeSinceLastSubscribedInMonths`;
/// docs/design.md#decisions).
struct TimeSinceLastSubscribedRule: WinBackMonthRule {
    let id = RuleId.winBackTimeSinceLastSubscribed
    var requirement: String { "the subscription must have ended within the offer's months" }

    func term(of terms: WinBackTerms) -> ClosedRange<Int>? { terms.timeSinceLastSubscribedInMonths }

    func judge(_ months: ClosedRange<Int>, _ context: RuleContext) -> Finding {
        guard let state = context.state else { return groupUnknown }
        switch state.resolution {
        case .undetermined(let reason):
            return unknown("when the subscription ended", reason, evidence: [state.evidence()])
        case .determined(.neverSubscribed):
            return neverSubscribed(state, evidence: [state.evidence()])
        case .determined(let name):
            let windows = LapseWindows(months: months, group: state.subscriptionGroupIdentifier, context: context)
            guard name == .expired, let window = windows.window(at: context.now) else {
                return violated(
                    .notLapsed, "the subscription has not lapsed (state `\(name.rawValue)`)",
                    evidence: [state.evidence()],
                    turningPoint: windows.opening.map(TurningPoint.at)
                        ?? .event(name == .revoked ? .subscriptionChanged : .subscriptionEnded))
            }
            return judge(window, windows, context)
        }
    }

    private func judge(_ window: LapseWindow, _ windows: LapseWindows, _ context: RuleContext) -> Finding {
        let passed = context.now.months(since: window.ended)
        let evidence = [
            Evidence(
                field: "timeSinceLastSubscribedInMonths", observed: .number(passed),
                required: .list([window.months.lowerBound, window.months.upperBound].map { .number(Double($0)) })),
            window.row.evidence("expiresDate", .instant(window.ended)),
        ]
        if context.now < window.opens {
            return violated(
                .lapsedTooRecently, window.words(at: context.now), evidence: evidence,
                turningPoint: windows.opening.map(TurningPoint.at))
        }
        guard context.now < window.closes else {
            return violated(
                .lapsedTooLongAgo, window.words(at: context.now), evidence: evidence,
                turningPoint: .event(.subscriptionChanged))
        }
        return satisfied(window.words(at: context.now), evidence: evidence, until: windows.closing)
    }
}

/// The windows of a group as its subscriptions end, from the instant of the question on.
private struct LapseWindows {
    let months: ClosedRange<Int>
    let group: SubscriptionGroupId
    let context: RuleContext

    /// `nil` where the group is not expired at that instant.
    func window(at instant: Instant) -> LapseWindow? {
        guard context.subject.state(of: group, at: instant).name == .expired,
            let last = context.subject.lastEnded(of: group, at: instant)
        else { return nil }
        return LapseWindow(months: months, row: last.row, ended: last.at)
    }

    /// The first later instant within the window, if nothing else happens.
    var opening: Instant? {
        // Where the App Store's own list decides by then, the months are set aside.
        instants(\.opens).first { instant in
            window(at: instant)?.contains(instant) == true && context.winBackList(at: instant) == nil
        }
    }

    /// The first later instant that is known to be outside the window, if nothing else happens: a period that was
    /// charged already may begin before the window closes.
    var closing: Instant? {
        instants(\.closes).first { instant in
            context.subject.state(of: group, at: instant).name != nil
                && window(at: instant)?.contains(instant) != true
        }
    }

    /// The later instants at which the answer can change, earliest first.
    private func instants(_ edge: (LapseWindow) -> Instant) -> [Instant] {
        var instants = context.subject.transitions(of: group, after: context.now)
        for instant in [context.now] + instants {
            if let edge = window(at: instant).map(edge), edge > context.now { instants.append(edge) }
        }
        instants.sortOnce()
        return instants
    }
}

private struct LapseWindow: Sendable {
    let months: ClosedRange<Int>
    let row: Recorded<Transaction>
    let ended: Instant

    var opens: Instant { ended.adding(months: months.lowerBound) }
    /// The first instant that is too late.
    var closes: Instant { ended.adding(months: months.upperBound + 1) }

    func contains(_ instant: Instant) -> Bool { opens <= instant && instant < closes }

    func words(at now: Instant) -> String {
        let days = now.milliseconds(since: ended) / Instant.Duration.day
        let passed = now.months(since: ended)
        let ago =
            days < 1 ? "less than a day" : passed > 0 ? passed.inMonths : days == 1 ? "1 day" : "\(days) days"
        return "must have left \(months.lowerBound) to \(months.upperBound) months ago; "
            + "left \(ago) ago, on \(ended.day)"
    }
}

/// That many months have passed since the customer's last use of the same offer ended: calendar months in UTC from the
/// end of its last period (Apple: `customerEligibilityWaitBetweenOffersInMonths`).
struct WaitBetweenOffersRule: WinBackMonthRule {
    let id = RuleId.winBackWaitBetweenOffers
    var requirement: String { "the last use of the same offer must be long enough ago" }

    func term(of terms: WinBackTerms) -> Int? { terms.waitBetweenOffersInMonths }

    func judge(_ months: Int, _ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else { return groupUnknown }
        let last = context.use.redemptions.max { ($0.ends, $0.firstEvidence) < ($1.ends, $1.firstEvidence) }
        let evidence = last.map { seen(months, $0, context.now) } ?? []
        let doubt = context.subject.doubt(about: group)
        if let last {
            let free = last.ends.adding(months: months)
            if context.now < free {
                return violated(
                    .redeemedTooRecently,
                    "the last use of the offer ended on \(last.ends.day); \(months) months must pass",
                    evidence: evidence, turningPoint: doubt?.bringing.map(TurningPoint.event) ?? .at(free))
            }
        }
        if let doubt {
            return undetermined(
                doubt, "no use of the offer within \(months) months is known, but \(doubt.explanation)",
                evidence: evidence)
        }
        let ended = last?.ends
        return satisfied(
            (ended.map { "the last use of the offer ended on \($0.day)" } ?? "the offer was never used")
                + "; \(months) months must pass", evidence: evidence)
    }

    private func seen(_ months: Int, _ last: Redemption, _ now: Instant) -> [Evidence] {
        [
            Evidence(
                field: "waitBetweenOffersInMonths", observed: .number(max(0, now.months(since: last.ends))),
                required: .number(months)),
            last.evidence("redemption", .instant(last.ends)),
        ]
    }
}

extension Redemption {
    /// An offer that never began ended when it was shown.
    fileprivate var ends: Instant { offerEnds ?? firstEvidence }
}
