/// Plays what happened in a round in the store's own order, looks for where the voids stand in it, and holds the
/// answers to what the model says at their places.
struct RoundReplay {
    /// An answer's claim about the ledger between two places: it must be right at one of them.
    struct Claim {
        /// The first place whose ledger may have been seen.
        var first: Int64
        /// From here on it was not seen.
        var end: Int64
        /// Why none of the ledgers gives the answer, if so.
        var contradiction: ([ModelLedger]) -> String?
    }

    private typealias Course = [(place: Int64, ledger: ModelLedger)]

    private let pinned: [ModelEvent]
    private let voids: [ModelEvent]
    private let claims: [Claim]
    private let gaps: [Int64]
    private let before: ModelLedger
    private let first: Int64

    /// Why no order explains everything: of the attempt that came farthest.
    private(set) var problem: String?
    /// The ledger at the end.
    private(set) var ledger: ModelLedger?
    private var farthest = -1
    private var failures = 0

    /// More wrong ways to place the voids of one round are not followed; the audit leaves few.
    private static let mostFailures = 20_000

    /// - Parameters:
    ///   - events: those with a place, and voids without one.
    ///   - gaps: the places that a void may have.
    ///   - first: the place before all of them.
    init(
        _ events: [ModelEvent], gaps: [Int64], claims: [Claim], from before: ModelLedger, after first: Int64
    ) {
        pinned = events.filter { $0.place != nil }.sorted { ($0.place ?? 0) < ($1.place ?? 0) }
        voids = events.filter { $0.place == nil }
            .sorted { ($0.audited?.number ?? .max) < ($1.audited?.number ?? .max) }
        self.claims = claims.sorted { $0.end < $1.end }
        self.gaps = gaps
        self.before = before
        self.first = first
    }

    /// Looks for an order in which everything is as the model says.
    mutating func run() {
        let order = (pinned.compactMap(\.place).map { ($0, true) } + gaps.map { ($0, false) }).sorted { $0.0 < $1.0 }
        if search(order[...], pinned[...], voids[...], claims[...], [(first, before)]) { problem = nil }
    }

    private mutating func search(
        _ order: ArraySlice<(Int64, Bool)>, _ events: ArraySlice<ModelEvent>, _ voids: ArraySlice<ModelEvent>,
        _ claims: ArraySlice<Claim>, _ course: Course
    ) -> Bool {
        let end = order.first?.0 ?? .max
        let due = claims.prefix { $0.end <= end || order.isEmpty }
        for claim in due {
            if let why = claim.contradiction(Self.seen(by: claim, course)) { return fail(why, course) }
        }
        let claims = claims.dropFirst(due.count)
        guard let (place, isPinned) = order.first, let ledger = course.last?.ledger else {
            guard voids.isEmpty else { return fail("no place in the order for \(Array(voids))", course) }
            self.ledger = course.last?.ledger
            return true
        }
        if isPinned {
            guard let event = events.first else { return fail("no event at \(place)", course) }
            var next = ledger
            if let why = next.apply(event.change, at: event.at) { return fail("\(event): \(why)", course) }
            if let why = outOfTime(event, place) { return fail(why, course) }
            return search(order.dropFirst(), events.dropFirst(), voids, claims, course + [(place, next)])
        }
        if let void = voids.first, void.audited.map({ $0.after < place && place < $0.before }) ?? true {
            var next = ledger
            if let why = next.apply(void.change, at: void.at) ?? outOfTime(void, place) {
                _ = fail("\(void) at \(place): \(why)", course)
            } else if search(order.dropFirst(), events, voids.dropFirst(), claims, course + [(place, next)]) {
                return true
            }
        }
        guard order.count(where: { !$0.1 }) > voids.count, failures < Self.mostFailures else {
            return fail("no place in the order for \(Array(voids))", course)
        }
        return search(order.dropFirst(), events, voids, claims, course)
    }

    private static func seen(by claim: Claim, _ course: Course) -> [ModelLedger] {
        let earliest = course.lastIndex { $0.place <= claim.first } ?? 0
        return course[earliest...].prefix { $0.place < claim.end || $0.place <= claim.first }.map(\.ledger)
    }

    /// Whether the order contradicts the clock: something answered before another was sent comes after it.
    private func outOfTime(_ event: ModelEvent, _ place: Int64) -> String? {
        guard pinned.floor(of: event.started, from: first) < place, place < pinned.ceiling(of: event.ended) else {
            return "\(event): its place \(place) contradicts the order of sending and answering"
        }
        return nil
    }

    private mutating func fail(_ why: String, _ course: Course) -> Bool {
        failures += 1
        if course.count > farthest {
            farthest = course.count
            problem = why
        }
        return false
    }
}

extension [ModelEvent] {
    /// The last of the places that are known to come before something sent then: what was answered by then is there.
    func floor(of started: Int, from first: Int64) -> Int64 {
        filter { $0.ended.map { $0 < started } ?? false }.compactMap(\.place).max() ?? first
    }

    /// The first of the places that are known to come after something answered then.
    func ceiling(of ended: Int?) -> Int64 {
        guard let ended else { return .max }
        return filter { $0.started > ended }.compactMap(\.place).min() ?? .max
    }
}
