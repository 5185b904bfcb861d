import AppStoreServer
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@Suite("Fetching many customers from Apple")
struct BackfillTests {
    private static let author = AuditAuthor(actor: "offerd backfill")

    private func backfill(_ stage: AppleStage, waits: Waits = Waits(), since start: Instant? = nil) -> CustomerBackfill
    {
        CustomerBackfill(
            stage.useCases.refresh, in: Workbench.scope, by: Self.author, since: start ?? stage.bench.clock.now,
            patience: waits.patience)
    }

    private func customers(_ stage: AppleStage, _ ids: [String]) throws {
        stage.apple.accounts = try ids.map { PlayedAccount(try stage.bench.shop.delivery(.lapsed, $0)) }
    }

    @Test("every id is fetched or refused with its reason, whatever came of the others")
    func mixed() async throws {
        try await AppleStage.run { stage in
            try customers(stage, ["100", "300"])
            let sandbox = try stage.bench.shop.delivery(.lapsed, "500", environment: .sandbox)
            stage.apple.accounts.append(PlayedAccount(sandbox))
            let outcomes = try await backfill(stage).fetch(["100", "200", "300", "not-an-id", "500"])
            #expect(outcomes.map(\.word) == ["fetched", "refused", "fetched", "refused", "refused"])
            #expect(outcomes[1].reason?.contains("Apple knows no such transaction") == true)
            #expect(outcomes[3].reason?.contains("does not take this transaction id") == true)
            #expect(outcomes[4].reason?.contains("/history/signedTransactions/0: ") == true)
            #expect(try await stage.bench.count("customer") == 2)
        }
    }

    @Test("a customer is asked for once, however many ids lead there, and again in a later work")
    func once() async throws {
        try await AppleStage.run { stage in
            try customers(stage, ["100"])
            let start = stage.bench.clock.now
            let work = backfill(stage)
            #expect(try await work.fetch(["100"]).map(\.word) == ["fetched"])
            let asked = stage.asked.count
            stage.bench.clock.advance(hours: 1)
            // A restart goes on with the moment at which the work began.
            #expect(
                try await backfill(stage, since: start).fetch(["app-100", "100"]).map(\.word) == ["known", "known"])
            #expect(stage.asked.count == asked)
            #expect(try await backfill(stage).fetch(["100"]).map(\.word) == ["fetched"])
        }
    }

    @Test("where Apple limits requests, it waits as long as Apple says, and goes on")
    func limited() async throws {
        try await AppleStage.run { stage in
            try customers(stage, ["100"])
            // Longer than a call may last, so that the wait is not the client's own.
            let end = stage.bench.clock.now.adding(milliseconds: 30 * Instant.Duration.minute)
            stage.apple.interpose { _, place in
                place < 2 ? .error(4_290_000, "Rate limit exceeded.", ["Retry-After": String(end.milliseconds)]) : nil
            }
            let waits = Waits()
            #expect(try await backfill(stage, waits: waits).fetch(["100"]).map(\.word) == ["fetched"])
            #expect(waits.slept == [1_800_000, 1_800_000])
            #expect(waits.told == 2)
        }
    }

    @Test("an error that concerns every id ends the work at once, and stored data stays")
    func ended() async throws {
        try await AppleStage.run { stage in
            try customers(stage, ["100", "300"])
            #expect(try await backfill(stage).fetch(["100"]).map(\.word) == ["fetched"])
            stage.apple.interpose { _, _ in .answer(401, "") }
            let failure = try await refusal { try await backfill(stage).fetch(["300"]) }?.appleFailure
            #expect(failure?.error.code == .unauthenticated)
            #expect(try await stage.bench.count("customer") == 1)
        }
    }

    @Test("one that Apple fails with for good is refused, and the work goes on")
    func failedAtApple() async throws {
        try await AppleStage.run { stage in
            try customers(stage, ["100", "300"])
            stage.apple.interpose { request, _ in request.uri.contains("300") ? .error(5_000_000, "oops") : nil }
            let outcomes = try await backfill(stage).fetch(["300", "100"])
            #expect(outcomes.map(\.word) == ["refused", "fetched"])
            #expect(outcomes[0].reason == "Apple's server cannot answer (5000000: oops)")
        }
    }

    @Test("cancelled while it waits it ends, and what it was at is not kept by half")
    func cancelled() async throws {
        try await AppleStage.run { stage in
            try customers(stage, ["100"])
            stage.apple.interpose { request, _ in
                request.uri.contains("subscriptions") ? .error(4_290_000, "", ["Retry-After": "3000"]) : nil
            }
            let (waiting, began) = AsyncStream.makeStream(of: Void.self)
            let patience = RetryPolicy(
                sleep: { _ in
                    began.yield()
                    try await Task.sleep(for: .seconds(3_600))
                }, onWait: { _ in })
            let work = CustomerBackfill(
                stage.useCases.refresh, in: Workbench.scope, by: Self.author, since: stage.bench.clock.now,
                patience: patience)
            let task = Task { try await work.fetch(["100"]) }
            _ = await waiting.first { _ in true }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await stage.bench.count("history_transaction") == 0)
            stage.apple.interpose(nil)
            #expect(try await backfill(stage).fetch(["100"]).map(\.word) == ["fetched"])
        }
    }
}

/// Waits that are over at once, and are remembered.
private final class Waits: Sendable {
    private let state = Mutex((slept: [Int64](), told: 0))

    var slept: [Int64] { state.withLock { $0.slept } }
    var told: Int { state.withLock { $0.told } }

    var patience: RetryPolicy {
        RetryPolicy(
            sleep: { milliseconds in self.state.withLock { $0.slept.append(milliseconds) } },
            onWait: { _ in self.state.withLock { $0.told += 1 } })
    }
}

extension CustomerBackfill.Outcome {
    fileprivate var word: String {
        switch self {
        case .fetched: "fetched"
        case .known: "known"
        case .refused: "refused"
        }
    }

    fileprivate var reason: String? {
        guard case .refused(let reason) = self else { return nil }
        return reason
    }
}
