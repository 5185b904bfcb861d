import OfferModel

/// A node's verdict from the instant of the question on, if nothing happens: now, and wherever time alone changes it.
struct VerdictCourse: Sendable {
    let now: Verdict
    private(set) var changes: [Change] = []

    /// From an instant on.
    struct Change: Sendable {
        let at: Instant
        let verdict: Verdict
    }

    /// - Parameter instants: ascending, all later than the instant of the question: wherever the verdict may change.
    init(_ now: Verdict, at instants: [Instant], verdict: (Instant) -> Verdict) {
        self.now = now
        for instant in instants { append(verdict(instant), at: instant) }
    }

    /// What those of several nodes make together.
    init(_ courses: [VerdictCourse], combine: ([Verdict]) -> Verdict) {
        var verdicts = courses.map(\.now)
        now = combine(verdicts)
        guard courses.contains(where: { !$0.changes.isEmpty }) else { return }
        var next = Array(repeating: 0, count: courses.count)
        func pending(_ index: Int) -> Change? {
            next[index] < courses[index].changes.count ? courses[index].changes[next[index]] : nil
        }
        while true {
            var earliest: Instant?
            for index in courses.indices {
                if let at = pending(index)?.at { earliest = min(earliest ?? at, at) }
            }
            guard let instant = earliest else { return }
            for index in courses.indices {
                guard let change = pending(index), change.at == instant else { continue }
                verdicts[index] = change.verdict
                next[index] += 1
            }
            append(combine(verdicts), at: instant)
        }
    }

    /// When what holds ceases to, or what does not hold or is not known begins to; becoming unknown is no flip.
    var flip: Instant? {
        let wanted: Verdict = now == .satisfied ? .violated : .satisfied
        return changes.first { $0.verdict == wanted }?.at
    }

    /// The first instant from the given one on at which it is violated.
    func violated(from instant: Instant) -> Instant? {
        if (changes.last { $0.at <= instant }?.verdict ?? now) == .violated { return instant }
        return changes.first { $0.at > instant && $0.verdict == .violated }?.at
    }

    private mutating func append(_ verdict: Verdict, at instant: Instant) {
        if verdict != changes.last?.verdict ?? now { changes.append(Change(at: instant, verdict: verdict)) }
    }
}
