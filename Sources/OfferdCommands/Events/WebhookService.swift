import CommandLineSupport
import Foundation
import Logging
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore
import OpenSSLCrypto
import ServiceLifecycle
import Synchronization

/// Delivers events to the webhooks of the configuration in force.
struct WebhookService: Service {
    /// How often it looks for new events.
    private static let interval = Duration.milliseconds(500)
    /// How long it waits after its own failure, such as a busy database.
    private static let rest = Duration.seconds(5)

    let webhooks: WebhookRegistry
    let database: any DatabaseDriver
    let logger: Logger
    let delivery: @Sendable (Webhook) -> WebhookDelivery

    func run() async throws {
        let isStopping = StopMark()
        await withGracefulShutdownHandler {
            while !isStopping.isSet, !Task.isCancelled {
                let version = webhooks.version
                // A round that has begun ends, so that what was delivered is recorded.
                let isEnding: @Sendable () -> Bool = { isStopping.isSet || webhooks.version != version }
                await withTaskGroup(of: Void.self) { group in
                    for webhook in webhooks.all { group.addTask { await deliver(webhook, until: isEnding) } }
                    while !isEnding(), !Task.isCancelled { try? await Task.sleep(for: Self.interval) }
                }
            }
        } onGracefulShutdown: {
            isStopping.set()
        }
    }

    private func deliver(_ webhook: Webhook, until isEnding: @escaping @Sendable () -> Bool) async {
        let delivery = delivery(webhook)
        var logger = logger
        logger[metadataKey: "webhook"] = "\(webhook.name)"
        // Requests report the same cause.
        let delivering = RepeatedAttempt("events could not be delivered", logger)
        while !isEnding(), !Task.isCancelled {
            guard await database.isElected() else {
                try? await Task.sleep(for: Self.interval)
                continue
            }
            let hasMore = await delivering { try await delivery.round(while: { !isEnding() }) }
            if hasMore != true { try? await Task.sleep(for: hasMore == nil ? Self.rest : Self.interval) }
        }
        await delivery.end()
    }
}

final class StopMark: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}

extension Logger {
    func log(_ note: WebhookDelivery.Note, of webhook: Webhook) {
        let name: Metadata = ["webhook": "\(webhook.name)"]
        func adding(_ metadata: Metadata) -> Metadata { name.merging(metadata) { _, new in new } }
        switch note {
        case .failing(let reason):
            warning("the webhook takes no events; they wait", metadata: adding(["reason": "\(reason)"]))
        case .refused(let ids, let reason):
            warning(
                "the webhook refused events; they are sent again later",
                metadata: adding([
                    "count": .stringConvertible(ids.count), "first": "\(ids.first.map { "\($0)" } ?? "")",
                    "reason": "\(reason)",
                ]))
        case .recovered:
            notice("the webhook takes events again", metadata: name)
        case .dropped(let ids):
            error(
                "events were not delivered within three days and are dropped",
                metadata: adding([
                    "count": .stringConvertible(ids.count), "first": "\(ids.first.map { "\($0)" } ?? "")",
                    "hint": "`offerctl events resend` sends one again",
                ]))
        case .gone:
            error(
                "the webhook answered 410 Gone and gets no more events",
                metadata: adding(["hint": "remove it from offerd.yaml; a restart or a reload tries it again"]))
        }
    }
}

extension ServerSetup {
    /// - Parameter environment: where secrets are; with `nil` the webhooks have none.
    func webhooks(
        environment: [String: String]? = ProcessInfo.processInfo.environment
    ) throws -> [Webhook] {
        let digest = OpenSSLDigest()
        var hosts: [String: Int] = [:]
        return try configuration.webhooks.map { entry in
            if let app = entry.app, !keys.apps.contains(where: { $0.bundleId == app }) {
                throw CommandFailure(
                    .usage, "a webhook is for the app `\(app)`, which keys.yaml does not have",
                    hints: ["check `app` under `webhooks`, or leave it out for all apps"])
            }
            let secrets = try environment.map { environment in
                try entry.secrets.map { digest.keyed(by: try bytes(of: $0, environment), name: "webhook") }
            }
            let host = URLComponents(string: entry.url)?.host ?? "webhook"
            let count = hosts[host, default: 0] + 1
            hosts[host] = count
            return Webhook(
                name: count == 1 ? host : "\(host)#\(count)", url: entry.url, secrets: secrets ?? [],
                events: entry.events, app: entry.app, environment: entry.environment, perSecond: entry.perSecond,
                digest: digest)
        }
    }

    private func bytes(of secret: WebhookSecret, _ environment: [String: String]) throws -> [UInt8] {
        let (text, source): (String?, String) =
            switch secret {
            case .text(let text): (text, "a secret of `webhooks`")
            case .environment(let name): (environment[name], "environment variable `\(name)`")
            }
        guard let text, !text.isEmpty else {
            throw CommandFailure(
                .usage, "\(source) is not set, and `webhooks` takes a secret from it",
                hints: ["set it to the secret: \(WebhookSecret.hint)"])
        }
        guard let bytes = WebhookSecret.bytes(text) else {
            throw CommandFailure(
                .usage, "\(source) is not `whsec_` with the Base64 of 24 to 64 bytes", hints: [WebhookSecret.hint])
        }
        return bytes
    }
}
