/// Judges one round: is everything that was answered and stored what the model does in the store's own order?
struct RoundCheck {
    let rows: LedgerRows
    /// The instants at which the round took place.
    let instants: [Int64]
    /// The sends of each request, by its number.
    var requests: [Int: Asked]
    var state: ModelState
    var events: [ModelEvent] = []
    /// The requests that had their answer before the round.
    var replayed: Set<Int> = []
    var problems: [String] = []

    /// A request with every time it was sent in the round.
    struct Asked {
        var request: ModelRequest
        var sends: [ModelTrace.Send] = []
        var looked: [Int] = []

        var started: Int { sends.map(\.started).min() ?? 0 }
        /// When it was answered with what was done for it: neither 503 nor 409 is, and it may be asked again later.
        var ended: Int? {
            sends.filter { $0.answer.map { $0.status != 503 && $0.status != 409 } ?? false }.compactMap(\.ended).min()
        }
        /// Leaves out the answers that were kept before.
        mutating func forgetReplays() {
            for index in sends.indices where sends[index].answer?.headers["idempotent-replayed"] != nil {
                sends[index].answer = nil
                sends[index].ended = nil
            }
        }

        /// Answers with a meaning: neither that too much was waiting nor that the key was another's.
        var answers: [RunningServer.Answer] {
            sends.compactMap(\.answer).filter { $0.status != 503 && $0.status != 409 }
        }
    }

    init(_ traces: [ModelTrace], _ rows: LedgerRows, from state: ModelState, at instants: [Int64]) {
        requests = traces.reduce(into: [:]) { requests, trace in
            requests[trace.request.number, default: Asked(request: trace.request)].sends += trace.sends
            if let looked = trace.looked { requests[trace.request.number]?.looked.append(looked) }
        }
        self.rows = rows
        self.state = state
        self.instants = instants
    }

    /// The state after the round, and the events in their order.
    mutating func run() -> (state: ModelState, events: [ModelEvent]) {
        checkStatuses()
        checkKeys()
        collectEvents()
        collectSignatures()
        var replay = RoundReplay(
            events, gaps: rows.gaps, claims: claims(), from: state.ledger, after: state.sequence)
        replay.run()
        if let problem = replay.problem { problems.append(problem) }
        if let ledger = replay.ledger { state.ledger = ledger }
        if problems.isEmpty { checkRows() }
        for decision in rows.decisions where decision.kind == "refusal" {
            state.refusals[decision.id] = decision.number
        }
        state.sequence = rows.newest
        return (state, events.sorted { ($0.place ?? .max) < ($1.place ?? .max) })
    }

    func decision(of number: Int) -> LedgerRows.Decision? { rows.decisions.first { $0.number == number } }
}
