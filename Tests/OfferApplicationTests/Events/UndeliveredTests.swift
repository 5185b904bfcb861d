import Metrics
import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferApplication

@Suite("What an operator sees of webhooks")
struct UndeliveredTests {
    @Test(
        "events that were not delivered are listed, ten at most and of one app and environment, with the last failure")
    func undelivered() async throws {
        let bench = try DeliveryBench()
        let webhook = bench.webhook()
        let registry = WebhookRegistry([webhook])
        let keys = APIKeys(
            database: OfferStore.Ledger(bench.database, digest: OpenSSLDigest(), key: nil), digest: OpenSSLDigest(),
            random: OpenSSLRandom(), author: .service, clock: { bench.clock.now })
        let states = ScopeStates(database: bench.database, webhooks: registry, apiKeys: keys)
        let caller = Caller(apiKeyId: "k", scope: DeliveryBench.scope, role: .admin)
        let process = WebhookDelivery(
            webhook, database: bench.database, sender: bench.receiver, holder: "one", clock: { bench.clock.now },
            realClock: { bench.leaseClock.now }, metrics: WebhookMetrics(NOOPMetricsHandler.instance),
            onFailure: { registry.noteFailure($1, of: $0) })
        try await bench.database.write { try WebhookStore($0).add(webhook.id) }
        var ids: [EventId] = []
        for customer in 1...12 { ids.append(try await bench.happen(to: customer)) }
        let other = Scope(bundleId: DeliveryBench.scope.bundleId, environment: .sandbox)
        let foreign = try await bench.happen(to: 13, in: other)
        func shown() async throws -> (events: [LowercaseUUID], standing: WebhookStanding) {
            let state = try await states.read(caller: caller)
            return (state.undelivered.map(\.id), try #require(state.webhooks.first))
        }
        let before = try await shown()
        #expect(before.events == [] && before.standing.failure == nil, "they are about to be sent")

        bench.receiver.answer { _ in .status(503) }
        try await bench.run(process)
        let failing = try await shown()
        #expect(failing.standing.failure == "status 503")
        #expect(failing.standing.failingSince == DeliveryBench.start)
        #expect(failing.events == ids.prefix(10).reversed().map(\.uuid))

        let refused = Set([ids[3], foreign].map(\.description))
        bench.receiver.answer { refused.contains($0.id) ? .status(400) : .status(204) }
        for _ in 0..<3 {
            bench.clock.advance(milliseconds: 300_000)
            try await bench.run(process)
        }
        let refusing = try await shown()
        #expect(refusing.standing.failingSince == nil && refusing.standing.failure == "status 400")
        #expect(refusing.events == [ids[3].uuid])

        bench.receiver.answer { _ in .status(204) }
        bench.clock.advance(milliseconds: Instant.Duration.day)
        try await bench.run(process)
        #expect(try await shown().events == [])
    }
}
