import AsyncHTTPClient
import Foundation
import OfferTestSupport
import Testing

/// `OFFERD_MODEL_SEEDS=1-1000` runs other seeds, `OFFERD_MODEL_ROUNDS=20` longer ones (`Scripts/torture`).
@Suite("The ledger beside a plain model of it")
struct LedgerModelTests {
    @Test(
        """
        64 clients at once, every kind of limit, clock steps, voids, redemptions, retries and killed servers: after every \
        round the store's own order explains every answer (invariants 1, 2 and 4)
        """)
    func seeds() async throws {
        let template = try await Installation()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = ModelSchedule.clients
        // A request must never be sent again behind the test's back.
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(configuration: configuration)
        var sums = ModelRun.Outcome()
        for seed in Self.seeds {
            let servers = TestStore.isPostgres ? 3 : seed.isMultiple(of: 2) ? 2 : 1
            var run = try ModelRun(
                seed: seed, servers: servers, rounds: Self.rounds, template: template, http: http)
            let outcome = await run.run(servers: servers)
            sums.kills += outcome.kills
            sums.lost += outcome.lost
            sums.statuses.merge(outcome.statuses, uniquingKeysWith: +)
            let history = outcome.problems.isEmpty ? "" : outcome.history.joined(separator: "\n")
            #expect(
                outcome.problems.isEmpty,
                "seed \(seed), \(servers) servers: \(outcome.problems.joined(separator: "\n"))\n\(history)")
            if !outcome.problems.isEmpty { break }
        }
        try await http.shutdown()
        print(
            "\(Self.seeds.count) seeds: \(sums.statuses.sorted { $0.key < $1.key }), \(sums.lost) lost, \(sums.kills) kills"
        )
    }

    private static let seeds: ClosedRange<UInt64> = {
        let bounds = setting("OFFERD_MODEL_SEEDS")?.split(separator: "-").compactMap { UInt64($0) } ?? []
        guard let first = bounds.first, let last = bounds.last, first <= last else { return 1...50 }
        return first...last
    }()

    private static let rounds = setting("OFFERD_MODEL_ROUNDS").flatMap { Int($0) } ?? 3

    private static func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
