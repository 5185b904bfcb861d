import Foundation
import OfferAPI
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferApplication

@Suite("Webhooks are tried with a test event")
struct WebhookTrialsTests {
    private let receiver = ScriptedReceiver()
    private let service = TestClock(Instant(milliseconds: 1_900_000_000_000))
    private let real = TestClock(DeliveryBench.start)

    private func webhook(
        _ name: String, app: BundleId? = nil, environment: AppStoreEnvironment? = nil
    ) -> Webhook {
        let digest = OpenSSLDigest()
        return Webhook(
            name: name, url: "https://\(name)/events",
            secrets: [digest.keyed(by: Array("a secret of 24 bytes ....".utf8), name: "webhook")],
            events: [.offerIssued],
            app: app, environment: environment, perSecond: 1, digest: digest)
    }

    private func trials(_ webhooks: [Webhook]) -> WebhookTrials {
        WebhookTrials(
            webhooks: WebhookRegistry(webhooks),
            outlet: WebhookOutlet(sender: receiver, clock: { [real] in real.now }), random: OpenSSLRandom(),
            clock: { [service] in service.now })
    }

    private func send(_ trials: WebhookTrials, _ name: String? = nil) async throws -> [WebhookTestResult] {
        let caller = Caller(apiKeyId: "k", scope: DeliveryBench.scope, role: .support)
        return try await trials.send(to: name, caller: caller).results
    }

    @Test("it says what it is, has an id of its own, and is signed as an event at that moment would be")
    func message() async throws {
        let (webhook, trials) = (webhook("example.com"), trials([webhook("example.com")]))
        for _ in 0..<2 { #expect(try await send(trials).map(\.delivered) == [true]) }
        #expect(Set(receiver.ids).count == 2)
        let message = try #require(receiver.messages.first)
        #expect(
            String(decoding: message.body, as: UTF8.self) == """
                {"app":"com.example.pro","data":{"message":"a test of this webhook: nothing happened"},\
                "environment":"LocalTesting","id":"\(message.id)","occurredAt":1900000000000,"type":"webhook.test"}
                """)
        let id = try #require(LowercaseUUID(message.id))
        #expect(message == webhook.message(id, message.body, at: real.now))
        #expect(EventType(rawValue: WebhookTrials.type) == nil && EventId(message.id) == nil, "it is no real event's")
    }

    @Test("it goes to those of the key's app and environment, or to the one that is named")
    func chosen() async throws {
        let trials = trials([
            webhook("all.example"), webhook("app.example", app: "com.example.pro"),
            webhook("other.example", app: "com.example.other"), webhook("local.example", environment: .localTesting),
            webhook("sandbox.example", environment: .sandbox),
        ])
        #expect(try await send(trials).map(\.webhook) == ["all.example", "app.example", "local.example"])
        receiver.forget()
        #expect(try await send(trials, "app.example").map(\.webhook) == ["app.example"])
        #expect(receiver.messages.map(\.url) == ["https://app.example/events"])
        receiver.forget()
        for name in ["other.example", "sandbox.example", "nowhere.example", "", "ALL.EXAMPLE", "all.example "] {
            await #expect {
                try await send(trials, name)
            } throws: { error in
                guard case RequestError.noSuchWebhook(name, let known) = error else { return false }
                return known == ["all.example", "app.example", "local.example"]
            }
        }
        await #expect {
            try await send(self.trials([]), "all.example")
        } throws: { error in
            if case RequestError.noSuchWebhook(nil, known: []) = error { true } else { false }
        }
        #expect(receiver.messages.isEmpty)
    }

    @Test(
        "what the receiver answers is told in words, with what to check",
        arguments: [
            (.status(200), "the receiver accepted the event", nil),
            (.status(299), "the receiver accepted the event", nil),
            (.status(100), "the receiver answered with status 100", nil),
            (.status(307, retryAfter: "7"), "the receiver answered with status 307", "redirects"),
            (.status(401), "the receiver answered with status 401", "secret"),
            (.status(404), "the receiver answered with status 404", "path"),
            (.status(410), "the receiver answered with status 410", "restarts"),
            (.status(429, retryAfter: "99999999999999999999"), "the receiver answered with status 429", nil),
            (.status(503), "the receiver answered with status 503", "log"),
            (.failed("no answer in time"), "the event was not delivered: no answer in time", "certificate"),
        ] as [(WebhookReply, String, String?)])
    func words(_ reply: WebhookReply, _ detail: String, _ hint: String?) async throws {
        receiver.answer { _ in reply }
        let result = try #require(try await send(trials([webhook("example.com")])).first)
        #expect(result.detail == detail)
        #expect(hint.map { result.hint?.contains($0) == true } ?? (result.hint == nil), "\(result.hint ?? "")")
        let isAccepted = detail.hasSuffix("accepted the event")
        #expect(result.delivered == isAccepted)
        if case .status(let status, _) = reply {
            #expect(result.status == status)
        } else {
            #expect(result.status == nil)
        }
    }

    @Test("a few who try at once wait for their turn, and more are told to come back")
    func flood() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let sender = GatedReceiver(gate.stream)
        let trials = WebhookTrials(
            webhooks: WebhookRegistry([webhook("example.com")]),
            outlet: WebhookOutlet(sender: sender, clock: { [real] in real.now }), random: OpenSSLRandom(),
            clock: { [service] in service.now })
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do {
                        return try await send(trials).first?.delivered == true
                    } catch RequestError.busy {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            // Those that are refused do not wait for the receiver.
            for _ in 0..<3 { #expect(await group.next() == false) }
            gate.continuation.finish()
            for _ in 0..<3 { #expect(await group.next() == true) }
        }
    }
}

/// Answers once its gate is open.
private struct GatedReceiver: WebhookSender {
    private let gate: Task<Void, Never>

    init(_ stream: AsyncStream<Void>) {
        gate = Task { for await _ in stream {} }
    }

    func send(_ message: WebhookMessage) async -> WebhookReply {
        await gate.value
        return .status(204)
    }
}
