import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport

/// One seed: real servers on one database, some rounds of many clients at once, and the model beside them.
struct ModelRun {
    struct Outcome: Sendable {
        var problems: [String] = []
        var history: [String] = []
        /// How often each status was answered.
        var statuses: [Int: Int] = [:]
        var kills = 0
        var lost = 0
    }

    private let installation: Installation
    private let customers: ModelCustomers
    private let http: HTTPClient
    private let rounds: Int
    private let ticks = ModelClient.Ticks()
    private var schedule: ModelSchedule
    private var state: ModelState
    private var servers: [RunningServer] = []
    private var wallClock = ModelCustomers.start
    private var outcome = Outcome()

    init(seed: UInt64, servers: Int, rounds: Int, template: Installation, http: HTTPClient) throws {
        installation = try Installation(copying: template)
        customers = try ModelCustomers(installation)
        self.http = http
        self.rounds = rounds
        schedule = ModelSchedule(seed: seed, servers: servers)
        state = ModelState(ledger: ModelLedger(terms: schedule.terms()), sequence: 0)
    }

    /// Plays every round, until one is wrong or cannot be played.
    mutating func run(servers count: Int) async -> Outcome {
        do {
            try await play(servers: count)
        } catch {
            outcome.problems.append("\(error)")
        }
        for server in servers { await server.kill() }
        return outcome
    }

    private mutating func play(servers count: Int) async throws {
        try setClock()
        for _ in 0..<count { servers.append(try await start()) }
        try await prepare()
        for round in 0..<rounds where outcome.problems.isEmpty {
            try setClock()
            let now = now(try await rows())
            try await play(schedule.round(state, at: now), number: round, at: now)
            let end = max(now, wallClock)
            wallClock = end + schedule.step(state, from: end)
        }
    }

    /// One instant for everything in a round: never before anything committed (docs/design.md#time).
    private func now(_ rows: LedgerRows) -> Int64 { max(wallClock, rows.lastInstant ?? 0) }

    private func rows() async throws -> LedgerRows {
        let last = state.sequence
        return try await installation.reading { try LedgerRows(after: last, $0) }
    }

    private func start() async throws -> RunningServer {
        try await RunningServer.start(installation, arguments: ["--clock-file", "clock"])
    }

    private func setClock() throws { try Self.setClock(wallClock, installation) }

    private static func setClock(_ instant: Int64, _ installation: Installation) throws {
        try Data("\(instant)".utf8).write(
            to: installation.directory.url.appending(path: "clock"), options: .atomic)
    }

    /// The catalog, and the past of every customer.
    private mutating func prepare() async throws {
        let applied = try await servers[0].ask(
            "PUT", "/v1/catalog", token: try installation.token(.marketing), body: state.ledger.terms.yaml,
            headers: ["Content-Type": "application/yaml", "If-Match": "\"0\""], client: http)
        try Self.require(applied, 200)
        try await withThrowingTaskGroup { group in
            let (server, token) = (servers[0], try installation.token(.client))
            for customer in 0..<ModelCustomers.count {
                let body = """
                    {\(try customers.past(of: customer)),"customer":{"appAccountToken":\
                    "\(ModelCustomers.token(customer))"}}
                    """
                group.addTask { [http] in
                    try Self.require(
                        try await server.ask("POST", "/v1/transactions", token: token, body: body, client: http), 200)
                }
            }
            try await group.waitForAll()
        }
        state.sequence = try await rows().newest
    }

    private static func require(_ answer: RunningServer.Answer, _ status: Int) throws {
        guard answer.status == status else {
            throw Installation.Failed(what: "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    private mutating func play(_ round: ModelRound, number: Int, at now: Int64) async throws {
        var traces = try await send(round.clients, moments: moments(of: round, at: now))
        if let tick = round.tick { wallClock = now + tick.by }
        try setClock()
        if let death = round.death {
            await servers[death.server].kill()
            servers[death.server] = try await start()
            outcome.kills += 1
            traces += try await send(Self.afterDeath(round.clients, traces), moments: [])
        }
        let all = traces.flatMap(\.self)
        let instants = round.tick.map { [now, now + $0.by] } ?? [now]
        var check = RoundCheck(all, try await rows(), from: state, at: instants)
        let result = check.run()
        state = result.state
        count(all)
        outcome.problems = check.problems
        outcome.history.append(
            "round \(number) at \(instants)\(round.death.map { ", server \($0.server) killed" } ?? "")")
        outcome.history += all.map { "  \($0)" } + result.events.map { "    \($0)" }
        if outcome.problems.isEmpty { outcome.problems = try await quietProblems(at: instants.last ?? now) }
    }

    private func moments(of round: ModelRound, at now: Int64) -> [ModelClient.Moment] {
        let (installation, servers) = (installation, servers)
        let death = round.death.map { death in
            ModelClient.Moment(afterAnswers: death.afterAnswers) { await servers[death.server].kill() }
        }
        let tick = round.tick.map { tick in
            ModelClient.Moment(afterAnswers: tick.afterAnswers) { try Self.setClock(now + tick.by, installation) }
        }
        return [death, tick].compactMap(\.self)
    }

    /// The requests of each client that it has still to send after a server died: those it insists on, and the rest.
    private static func afterDeath(_ clients: [[ModelRequest]], _ traces: [[ModelTrace]]) -> [[ModelRequest]] {
        zip(clients, traces).map { requests, done in
            guard let last = done.last, last.sends.last?.answer == nil else { return [] }
            let isSentAgain = last.request.insists && last.request.mayBeSentAgain
            return Array(requests.dropFirst(isSentAgain ? done.count - 1 : done.count))
        }
    }

    private func send(
        _ clients: [[ModelRequest]], moments: [ModelClient.Moment]
    ) async throws -> [[ModelTrace]] {
        let client = ModelClient(servers, http, installation, customers, ticks, moments: moments)
        return try await withThrowingTaskGroup(of: (Int, [ModelTrace]).self) { group in
            for (index, requests) in clients.enumerated() {
                group.addTask { (index, try await client.run(requests)) }
            }
            return try await group.reduce(into: Array(repeating: [], count: clients.count)) { $0[$1.0] = $1.1 }
        }
    }

    /// When nothing happens any more every dry-run gives exactly what the model says, at every server.
    private func quietProblems(at now: Int64) async throws -> [String] {
        var problems: [String] = []
        for customer in 0..<ModelCustomers.count {
            let answer = try await servers[customer % servers.count].ask(
                "POST", "/v1/decisions", token: try installation.token(.client),
                body: ModelClient.dryRun(of: customer), client: http)
            let difference = state.ledger.difference(of: answer.outcomes, toDryRunOf: customer, at: now)
            if let difference { problems.append("dry-run for \(customer) after the round: \(difference)") }
        }
        return problems
    }

    private mutating func count(_ traces: [ModelTrace]) {
        for send in traces.flatMap(\.sends) {
            if let status = send.answer?.status { outcome.statuses[status, default: 0] += 1 } else { outcome.lost += 1 }
        }
    }
}
