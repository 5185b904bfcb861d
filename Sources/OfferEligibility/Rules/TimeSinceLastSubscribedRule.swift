import OfferModel

/// The subscription ended so many months ago: calendar months in UTC from the last `expiresDate`, the minimum included,
/// until a month after the maximum (Apple: `customerEligibilityTimeSinceLastSubscribedInMonths`; DESIGN §5.2).
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
            guard name == .expired, let window = window(months, context.now, state, context.subject) else {
                return violated(
                    .notLapsed, "the subscription has not lapsed (state `\(name.rawValue)`)",
                    evidence: [state.evidence()],
                    turningPoint: opening(months, state, context).map(TurningPoint.at)
                        ?? .event(name == .revoked ? .subscriptionChanged : .subscriptionEnded))
            }
            return judge(window, state, context)
        }
    }

    private func judge(_ window: LapseWindow, _ state: SubscriptionState, _ context: RuleContext) -> Finding {
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
                turningPoint: opening(window.months, state, context).map(TurningPoint.at))
        }
        guard context.now < window.closes else {
            return violated(
                .lapsedTooLongAgo, window.words(passed), evidence: evidence, turningPoint: .event(.subscriptionChanged))
        }
        return satisfied(
            window.words(passed), evidence: evidence, until: closing(window.months, state, context))
    }

    /// `nil` where the group is not expired at that instant.
    private func window(
        _ months: ClosedRange<Int>, _ instant: Instant, _ state: SubscriptionState, _ subject: Subject
    ) -> LapseWindow? {
        let group = state.subscriptionGroupIdentifier
        guard subject.state(of: group, at: instant).name == .expired,
            let last = subject.lastEnded(of: group, at: instant)
        else { return nil }
        return LapseWindow(months: months, row: last.row, ended: last.at)
    }

    /// The first later instant within the window, if nothing else happens.
    private func opening(
        _ months: ClosedRange<Int>, _ state: SubscriptionState, _ context: RuleContext
    ) -> Instant? {
        instants(months, state, context, \.opens).first {
            window(months, $0, state, context.subject)?.contains($0) == true
        }
    }

    /// The first later instant that is known to be outside the window, if nothing else happens: a period that was
    /// charged already may begin before the window closes.
    private func closing(
        _ months: ClosedRange<Int>, _ state: SubscriptionState, _ context: RuleContext
    ) -> Instant? {
        instants(months, state, context, \.closes).first { instant in
            context.subject.state(of: state.subscriptionGroupIdentifier, at: instant).name != nil
                && window(months, instant, state, context.subject)?.contains(instant) != true
        }
    }

    /// The later instants at which the answer can change by itself, from the earliest.
    private func instants(
        _ months: ClosedRange<Int>, _ state: SubscriptionState, _ context: RuleContext,
        _ edge: (LapseWindow) -> Instant
    ) -> [Instant] {
        let changes = context.subject.transitions(of: state.subscriptionGroupIdentifier, after: context.now)
        let edges = ([context.now] + changes).compactMap { window(months, $0, state, context.subject).map(edge) }
        return Set(changes + edges).filter { $0 > context.now }.sorted()
    }
}

/// When a lapsed customer may have the offer.
private struct LapseWindow: Sendable {
    let months: ClosedRange<Int>
    let row: Recorded<Transaction>
    let ended: Instant

    var opens: Instant { ended.adding(months: months.lowerBound) }
    /// The first instant that is too late.
    var closes: Instant { ended.adding(months: months.upperBound + 1) }

    func contains(_ instant: Instant) -> Bool { opens <= instant && instant < closes }

    func words(_ passed: Int) -> String {
        "the subscription ended \(passed.inMonths) ago, on \(ended.day); "
            + "\(months.lowerBound) to \(months.upperBound) asked for"
    }
}
