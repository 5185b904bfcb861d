/// When an answer changes with time, or what it waits for: the turning points of all findings combined.
public struct Outlook: Sendable, Hashable {
    /// For an eligible answer, the first instant at which it no longer is; for any other, the first at which it is
    /// eligible. Absent if time alone does not bring the change.
    public var changesAt: Instant?
    /// The events that must happen before the offer is available, each once, in the order of the findings. Empty where
    /// a date alone decides, and where a reason against it will not change.
    public var events: [TurningEvent]
    /// Whether a reason against it will change with neither a date nor an event.
    public var isFinal: Bool
    /// The earliest instant at which it is available even if those events happened now.
    public var notBefore: Instant?

    /// The same as one turning point: the instant, else the first event.
    public var turningPoint: TurningPoint? {
        changesAt.map(TurningPoint.at) ?? events.first.map(TurningPoint.event)
    }

    static let none = Outlook(events: [], isFinal: false)
}

extension Decision {
    /// When this answer changes if nothing else happens.
    ///
    /// Exact to the millisecond, because it asks `decide` again: a rule that says no cannot say yes before its turning
    /// point, so the last of these is the next instant worth asking about, and there a rule that said yes may have
    /// turned. A history that is complete now is taken to be so then: the backend says it again with every request.
    public func outlook(_ question: Question, about subject: PreparedSubject) -> Outlook {
        outlook(subject.context(question), about: subject)
    }

    func outlook(_ context: RuleContext, about subject: PreparedSubject) -> Outlook {
        let forecast = Forecast(context: context, subject: subject)
        return outcome == .eligible ? forecast.end(of: self) : forecast.beginning(of: self)
    }
}

private struct Forecast {
    let context: RuleContext
    let subject: PreparedSubject

    /// Rules turn a few times each. A hostile history could make them turn endlessly; then no date is named.
    private static let maximumSteps = 100
    /// How many transitions of a group all steps may pass together: each step asks every rule, and some of them look at
    /// every transition to come.
    private static let maximumTransitions = 30_000

    /// How many instants are asked about.
    private var steps: Int { min(Self.maximumSteps, Self.maximumTransitions / (transitions.count + 1)) }

    /// Where every obstacle has a date, the last of them is next, unless a grant that may lift some begins to be in force
    /// before. An obstacle that waits for an event may still go away with the state of the subscription, so then every
    /// instant at which that changes is asked about too.
    func beginning(of decision: Decision) -> Outlook {
        var (now, current) = (context.now, decision)
        var waiting: Outlook?
        for _ in 0..<steps {
            let obstacles = current.blockingFindings
            guard !obstacles.isEmpty else { return Outlook(changesAt: now, events: [], isFinal: false) }
            let dates = obstacles.compactMap(\.turningPoint?.instant)
            let earliest = max(dates.max() ?? now, now)
            if dates.count == obstacles.count, earliest > now {
                now = context.grantChanges.filter { $0 > now }.reduce(earliest, min)
            } else {
                waiting = waiting ?? self.waiting(for: obstacles, notBefore: earliest)
                guard let next = (transitions + [earliest]).filter({ $0 > now && $0 >= earliest }).min() else { break }
                now = next
            }
            current = self.decision(at: now)
        }
        return waiting ?? .none
    }

    /// The instants at which the state of the product's group, or whether a grant is in force, changes without an event.
    private var transitions: [Instant] {
        let grants = context.grantChanges.filter { $0 > context.now }
        guard let group = context.question.subscriptionGroupIdentifier else { return grants }
        let own = context.subject.transitions(of: group, after: context.now)
        return grants.isEmpty ? own : own + grants
    }

    private func waiting(for obstacles: [Finding], notBefore: Instant) -> Outlook {
        let isFinal = obstacles.contains { $0.turningPoint == nil }
        var events: [TurningEvent] = []
        for event in obstacles.compactMap(\.turningPoint?.event) where !events.contains(event) {
            events.append(event)
        }
        return Outlook(
            events: isFinal ? [] : events, isFinal: isFinal,
            notBefore: isFinal || notBefore <= context.now ? nil : notBefore)
    }

    /// A finding that becomes unknown has no turning point, so every instant at which anything changes is asked about.
    func end(of decision: Decision) -> Outlook {
        var instants = transitions
        decision.findings.gather(into: &instants)
        if let condition = context.condition { instants += condition.timeline.changes.map(\.at) }
        instants.removeAll { $0 <= context.now }
        instants.sortOnce()
        // What was opened may stay open although its condition no longer holds, and a grant may lift it.
        let timeline =
            context.offer.availableFor == nil && context.grantChanges.isEmpty && context.grant == nil
            ? context.condition?.timeline : nil
        let end = instants.prefix(steps).first {
            timeline?.verdict(at: $0).isInTheWay == true || self.decision(at: $0).outcome != .eligible
        }
        return Outlook(changesAt: end, events: [], isFinal: false)
    }

    private func decision(at instant: Instant) -> Decision {
        var (later, coverage) = (context.question, subject.facts.history.coverage)
        if coverage.isProof(at: context.now, life: subject.policy.coverageLife) { coverage.asOf = instant }
        later.now = instant
        return Decision(subject.context(later, coverage: coverage))
    }
}

extension Decision {
    /// The findings that are in the way of the offer.
    public var blockingFindings: [Finding] {
        // By index, because a copy of a finding is expensive.
        findings.indices.filter { findings[$0].verdict.isInTheWay }.map { findings[$0] }
    }
}

extension [Finding] {
    /// Adds every instant at which one of them or of their nodes flips. By place: a finding has many members.
    fileprivate func gather(into instants: inout [Instant]) {
        for place in indices {
            if let instant = self[place].turningPoint?.instant { instants.append(instant) }
            self[place].children?.gather(into: &instants)
        }
    }
}
