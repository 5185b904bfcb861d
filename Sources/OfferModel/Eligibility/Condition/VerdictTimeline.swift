/// A node's verdict from the instant of the question on, if nothing happens: now, and wherever time alone changes it.
struct VerdictTimeline: Sendable {
    let now: Verdict
    private(set) var changes: [Change] = []

    struct Change: Sendable {
        let at: Instant
        let verdict: Verdict
    }

    /// - Parameter instants: ascending, all later than the instant of the question: wherever the verdict may change.
    init(_ now: Verdict, at instants: [Instant], verdict: (Instant) -> Verdict) {
        self.now = now
        for instant in instants { append(verdict(instant), at: instant) }
    }

    /// The combined timeline of several nodes.
    init(_ nodes: [JudgedNode], combine: ([Verdict]) -> Verdict) {
        var verdicts = nodes.map(\.timeline.now)
        now = combine(verdicts)
        let count = nodes.reduce(0) { $0 + $1.timeline.changes.count }
        guard count > 0 else { return }
        var instants: [Instant] = []
        instants.reserveCapacity(count)
        for node in nodes { for change in node.timeline.changes { instants.append(change.at) } }
        instants.sortOnce()
        var next = Array(repeating: 0, count: nodes.count)
        for instant in instants {
            for index in nodes.indices {
                let changes = nodes[index].timeline.changes
                guard next[index] < changes.count, changes[next[index]].at == instant else { continue }
                verdicts[index] = changes[next[index]].verdict
                next[index] += 1
            }
            append(combine(verdicts), at: instant)
        }
    }

    /// When what holds ceases to, or what does not hold or is not known begins to; becoming unknown is not a flip.
    var flip: Instant? {
        let wanted: Verdict = now == .satisfied ? .violated : .satisfied
        return changes.first { $0.verdict == wanted }?.at
    }

    func verdict(at instant: Instant) -> Verdict { changes.last { $0.at <= instant }?.verdict ?? now }

    /// The first instant from the given one on at which it is violated.
    func violated(from instant: Instant) -> Instant? {
        if verdict(at: instant) == .violated { return instant }
        return changes.first { $0.at > instant && $0.verdict == .violated }?.at
    }

    private mutating func append(_ verdict: Verdict, at instant: Instant) {
        if verdict != changes.last?.verdict ?? now { changes.append(Change(at: instant, verdict: verdict)) }
    }
}

/// Three-valued logic over verdicts: what is not known decides only where it cannot matter.
enum Kleene {
    /// Violated if any is, else undetermined if any is; nothing to hold is held.
    static func all(_ verdicts: some Sequence<Verdict>) -> Verdict {
        verdicts.reduce(.satisfied) { left, right in
            if left == .violated || right == .violated { return .violated }
            return left == .undetermined || right == .undetermined ? .undetermined : .satisfied
        }
    }

    /// Satisfied if any is, else undetermined if any is; nothing to choose from is not held.
    static func any(_ verdicts: some Sequence<Verdict>) -> Verdict {
        not(all(verdicts.map(not)))
    }

    /// The opposite; what is not known stays so.
    static func not(_ verdict: Verdict) -> Verdict {
        switch verdict {
        case .satisfied: .violated
        case .violated: .satisfied
        case .undetermined, .notApplicable, .lifted: verdict
        }
    }
}
