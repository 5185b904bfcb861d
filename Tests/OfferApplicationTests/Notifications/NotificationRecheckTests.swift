import LocalAppStore
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Fetching the notifications that did not arrive")
struct NotificationRecheckTests {
    private static let month: Int64 = 30 * Instant.Duration.day

    private func recheck(_ stage: AppleStage) -> NotificationRecheck {
        let clock = stage.bench.clock
        return NotificationRecheck(
            stage.registry, stage.useCases.notifications,
            patience: RetryPolicy(sleep: { _ in throw CancellationError() }, onWait: { _ in }), clock: { clock.now })
    }

    private func sources(_ stage: AppleStage) async throws -> [String] {
        try await stage.bench.database.read { transaction in
            try transaction.rows(Statement("SELECT source FROM notification ORDER BY sequence")).map { try $0.value(0) }
        }
    }

    @Test(
        "Apple is asked for failures alone, page by page; what it gives is kept once, as fetched, and not beyond the span"
    )
    func fetches() async throws {
        try await AppleStage.run { stage in
            let now = stage.bench.clock.now
            let signed = try (0..<24).map { number in
                let sent = now.adding(milliseconds: -Int64(number) * Instant.Duration.hour)
                let scenario = Scenario(
                    bundleId: "com.example.pro", environment: .localTesting,
                    customer: ScenarioCustomer(originalTransactionId: "1"), steps: [.test(at: .fixed(sent))])
                let test = try LocalAppStore(root: stage.bench.shop.root).sign(scenario, now: now).notifications[0]
                return try stage.bench.shop.edited(test) {
                    $0["notificationUUID"] = "00000000-0000-4000-8000-0000000000\(10 + number)"
                }
            }
            stage.apple.notifications = signed
            stage.apple.arrived = Set(signed.prefix(2))
            _ = try await stage.useCases.notifications.ingest(
                signed[0], of: Workbench.scope, source: .delivered, author: .appStore(requestId: nil))
            let recheck = recheck(stage)
            #expect(recheck.scopes == [Workbench.scope])
            let near = try await recheck.run(Workbench.scope, over: 3 * Instant.Duration.hour)
            #expect(near == .init(added: 2, known: 0, refused: 0), "two of the last three hours did not arrive")
            let all = try await recheck.run(Workbench.scope, over: Self.month)
            #expect(all == .init(added: 20, known: 2, refused: 0))
            let again = try await recheck.run(Workbench.scope, over: Self.month)
            #expect(again == .init(added: 0, known: 22, refused: 0))
            let sources = try await sources(stage)
            #expect(sources == ["delivered"] + Array(repeating: "fetched", count: 22))
        }
    }
}
