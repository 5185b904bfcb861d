/// The states of a group from an instant on: between two transitions nothing changes but the time.
final class StateTimeline: Sendable {
    let start: Instant
    /// The subscriptions that may govern the group at the first instant.
    let candidates: [Candidate]
    let governing: Candidate?
    private let states: [SubscriptionState]
    /// The latest end by each of them.
    private let lastEnded: [GroupView.Ended?]

    init(_ view: GroupView, from now: Instant) {
        var sweep = GroupSweep(view, from: now)
        var states = [sweep.state]
        var lastEnded = [sweep.lastEnded]
        start = now
        candidates = sweep.candidates
        governing = sweep.governing
        while sweep.advance() {
            states.append(sweep.state)
            lastEnded.append(sweep.lastEnded)
        }
        self.states = states
        self.lastEnded = lastEnded
    }

    /// `nil` before it begins.
    func state(at instant: Instant) -> SubscriptionState? {
        guard let place = place(at: instant) else { return nil }
        var state = states[place]
        state.asOf = instant
        return state
    }

    /// The latest end by an instant at which it has begun.
    func lastEnded(at instant: Instant) -> GroupView.Ended? {
        place(at: instant).flatMap { lastEnded[$0] }
    }

    func hasBegun(at instant: Instant) -> Bool { instant >= start }

    /// The last state that had begun.
    private func place(at instant: Instant) -> Int? {
        hasBegun(at: instant) ? states.firstPlace { $0.asOf > instant } - 1 : nil
    }
}

/// A group at one instant after the other, from one transition to the next.
///
/// At a transition, only the subscriptions whose transition it is are looked at again: a subscription changes at no
/// other instant. What follows for the group is read off short marks, one a subscription, so that a group with hundreds
/// of them costs little more than each by itself.
struct GroupSweep {
    private let view: GroupView
    /// The transitions to come, the next one last.
    private lazy var upcoming = transitionsToCome
    private(set) var instant: Instant
    /// By the place of the subscription in the view.
    private var marks: [Mark]
    /// The places by the latest bought.
    private var order: [Int]
    private var known: (chosen: Chosen, state: SubscriptionState)?

    /// A subscription at the instant, with the values that decide which one governs.
    private struct Mark {
        let candidate: Candidate
        let ended: GroupView.Ended?
        let precedence: Int
        let isOwned: Bool?
        let hasAccess: Bool
        let isUnknown: Bool
        let accessEnds: Instant?
        /// How often it has changed.
        let version: Int
        /// The computed value; `nil` before the first question.
        var isWanted: Bool?

        init(_ candidate: Candidate, version: Int) {
            self.candidate = candidate
            self.version = version
            ended = candidate.subscription.ended
            precedence = candidate.precedence
            isOwned = candidate.isOwned
            hasAccess = candidate.resolution.hasAccess == true
            isUnknown = candidate.resolution.name == nil
            accessEnds = candidate.subscription.accessEnds
        }
    }

    /// The subscription that governs, and when access ends by all that give it.
    private struct Chosen: Equatable {
        var place: Int?
        var version: Int
        var hasAccess: Bool
        var accessEnds: Instant?
    }

    init(_ view: GroupView, from now: Instant) {
        self.view = view
        instant = now
        marks = view.subscriptions.map { Mark(Candidate($0.seen(at: now), at: now, view.policy), version: 0) }
        order = Array(marks.indices)
        sort()
    }

    private var transitionsToCome: [(at: Instant, place: Int)] {
        view.subscriptions.enumerated().flatMap { place, subscription in
            subscription.transitions(view.policy).filter { $0 > instant }.map { (at: $0, place: place) }
        }
        .sorted { $0.at > $1.at }
    }

    /// Moves on to the next transition; `false` if there is none.
    mutating func advance() -> Bool {
        guard let next = upcoming.last?.at else { return false }
        instant = next
        var isSorted = true
        while let change = upcoming.last, change.at == next {
            upcoming.removeLast()
            let candidate = Candidate(view.subscriptions[change.place].seen(at: next), at: next, view.policy)
            if candidate.subscription.current !== current(at: change.place) { isSorted = false }
            marks[change.place] = Mark(candidate, version: marks[change.place].version + 1)
        }
        if !isSorted { sort() }
        return true
    }

    private mutating func sort() {
        guard order.count > 1 else { return }
        order.sort {
            marks[$1].candidate.subscription.current.wasBought(before: marks[$0].candidate.subscription.current)
        }
    }

    private func current(at place: Int) -> Recorded<Transaction> { marks[place].candidate.subscription.current }

    /// As ``GroupView/candidates(at:)``.
    var candidates: [Candidate] {
        var candidates: [Candidate] = []
        forEachRemaining { candidates.append(marks[$0].candidate) }
        return candidates
    }

    var state: SubscriptionState {
        mutating get {
            let chosen = self.chosen
            if let known, known.chosen == chosen {
                var state = known.state
                state.asOf = instant
                return state
            }
            let state = view.state(
                at: instant, governing: governing, hasAccess: chosen.hasAccess, accessEnds: chosen.accessEnds)
            known = (chosen, state)
            return state
        }
    }

    /// The latest end (``GroupView/lastEnded(at:)``).
    var lastEnded: GroupView.Ended? {
        marks.lazy.compactMap(\.ended)
            .max { ($0.at, $0.row.payload.transactionId) < ($1.at, $1.row.payload.transactionId) }
    }

    /// The candidate that decides the state of the group.
    var governing: Candidate? { chosen.place.map { marks[$0].candidate } }

    /// Whether one of the candidates is as wanted; asked of each once, and again where it changes.
    fileprivate mutating func hasCandidate(where isWanted: (Candidate, Instant) -> Bool) -> Bool {
        for place in marks.indices where marks[place].isWanted == nil {
            marks[place].isWanted = isWanted(marks[place].candidate, instant)
        }
        var found = false
        forEachRemaining { place in
            if marks[place].isWanted == true { found = true }
        }
        return found
    }

    private var chosen: Chosen {
        // Of those with access, of those we cannot tell about, and of all: the first with the least precedence.
        var (best, access, unknown): (Int?, Int?, Int?)
        var accessEnds: Instant?
        func isBetter(_ place: Int, than other: Int?) -> Bool {
            other.map { marks[place].precedence < marks[$0].precedence } ?? true
        }
        forEachRemaining { place in
            if isBetter(place, than: best) { best = place }
            if marks[place].isUnknown, isBetter(place, than: unknown) { unknown = place }
            guard marks[place].hasAccess else { return }
            if isBetter(place, than: access) { access = place }
            if let ends = marks[place].accessEnds { accessEnds = max(accessEnds ?? ends, ends) }
        }
        let place = access ?? unknown ?? best
        return Chosen(
            place: place, version: place.map { marks[$0].version } ?? 0, hasAccess: access != nil,
            accessEnds: accessEnds)
    }

    /// Calls the body with the place of each candidate, latest bought first (``GroupView/candidates(at:)``).
    private func forEachRemaining(_ body: (Int) -> Void) {
        let own = order.firstIndex { marks[$0].isOwned == true }
        let bought = own.map { current(at: order[$0]).payload.purchaseDate }
        var (sawOwn, sawShared, sawOther) = (false, false, false)
        for (index, place) in order.enumerated() {
            let isLater: Bool
            switch marks[place].isOwned {
            case true?: (isLater, sawOwn) = (sawOwn, true)
            case false?: (isLater, sawShared) = (sawShared, true)
            case nil: (isLater, sawOther) = (sawOther, true)
            }
            if order.count > 1, marks[place].candidate.subscription.isSuperseded, isLater { continue }
            guard let own, let bought else {
                body(place)
                continue
            }
            let isOpen =
                marks[place].isOwned == false
                ? marks[place].isUnknown && marks[place].accessEnds.map { $0 > bought } ?? true : index <= own
            if order.count == 1 || marks[place].hasAccess || marks[place].candidate.isTrying || isOpen { body(place) }
        }
    }
}

extension GroupView {
    /// The first later transition at which no candidate is as said, which nothing but a transition of its own changes.
    func firstInstant(after now: Instant, withoutAny isSo: (Candidate, Instant) -> Bool) -> Instant? {
        var sweep = GroupSweep(self, from: now)
        while sweep.advance() {
            if !sweep.hasCandidate(where: isSo) { return sweep.instant }
        }
        return nil
    }
}
