package import OfferAPI
public import OfferModel

/// How messages leave.
public struct WebhookOutlet: Sendable {
    let sender: any WebhookSender
    /// Real time, which receivers compare with theirs.
    let clock: @Sendable () -> Instant

    public init(sender: any WebhookSender, clock: @escaping @Sendable () -> Instant) {
        (self.sender, self.clock) = (sender, clock)
    }
}

/// Tries webhooks with a test event: signed and sent as events are, though nothing happened.
///
/// It is not stored, so it is in no feed, moves no webhook on, and is not sent again.
public struct WebhookTrials: Sendable {
    /// The type of the event, which no real one has.
    static let type = "webhook.test"

    private let webhooks: WebhookRegistry
    private let outlet: WebhookOutlet?
    private let random: any RandomSource
    private let clock: @Sendable () -> Instant
    /// A receiver may take long to answer, and is not to be flooded by hand.
    private let turns = AsyncSemaphore(1, waiting: 2)

    init(
        webhooks: WebhookRegistry, outlet: WebhookOutlet?, random: any RandomSource,
        clock: @escaping @Sendable () -> Instant
    ) {
        (self.webhooks, self.outlet, self.random, self.clock) = (webhooks, outlet, random, clock)
    }

    /// - Parameter name: of one webhook; `nil` for all that are for the caller's app and environment.
    /// - Throws: `noSuchWebhook`, `busy` while others are tried.
    package func send(to name: String?, caller: Caller) async throws -> WebhookTestReport {
        let own = webhooks.all.filter { $0.isFor(caller.scope) }
        let chosen = own.filter { name == nil || $0.name == name }
        guard !chosen.isEmpty else {
            throw RequestError.noSuchWebhook(own.isEmpty ? nil : name, known: own.map(\.name))
        }
        return try await turns.run {
            let results = try await withThrowingTaskGroup(of: (Int, WebhookTestResult).self) { group in
                for (place, webhook) in chosen.enumerated() {
                    let id = try random.uuid()
                    group.addTask { (place, try await result(of: webhook, id, in: caller.scope)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            return WebhookTestReport { $0.results = results.sorted { $0.key < $1.key }.map(\.value) }
        }
    }

    private func result(of webhook: Webhook, _ id: LowercaseUUID, in scope: Scope) async throws -> WebhookTestResult {
        guard let outlet else { return WebhookTestResult(webhook, .failed("this process sends no webhooks")) }
        let event = JSONValue.object([
            "app": .text(scope.bundleId.rawValue), "environment": .text(scope.environment.rawValue),
            "id": .text(id.description), "occurredAt": .integer(clock().milliseconds), "type": .text(Self.type),
            "data": .object(["message": .text("a test of this webhook: nothing happened")]),
        ])
        let message = webhook.message(id, try WireJSON.encode(event), at: outlet.clock())
        return WebhookTestResult(webhook, await outlet.sender.send(message))
    }
}

extension Webhook {
    func isFor(_ scope: Scope) -> Bool {
        (app ?? scope.bundleId) == scope.bundleId && (environment ?? scope.environment) == scope.environment
    }
}

extension WebhookTestResult {
    fileprivate init(_ webhook: Webhook, _ reply: WebhookReply) {
        self.init()
        self.webhook = webhook.name
        switch reply {
        case .status(let status, _):
            self.status = status
            delivered = (200..<300).contains(status)
            detail = delivered ? "the receiver accepted the event" : "the receiver answered with status \(status)"
            hint = Self.hint(for: status)
        case .failed(let reason):
            detail = "the event was not delivered: \(reason)"
            hint = "check the webhook's `url`, the certificate there, and what is between"
        }
    }

    private static func hint(for status: Int) -> String? {
        switch status {
        case 300..<400: "redirects are not followed: `url` must be the address itself"
        case 400, 401, 403: "check that it verifies the body as it came, with a secret of this webhook"
        case 404, 405: "check the path of `url`, which gets a `POST`"
        case 410: "an event that is answered so ends the webhook until offerd restarts or reloads"
        case 500...: "the receiver's own log has the cause"
        default: nil
        }
    }
}
