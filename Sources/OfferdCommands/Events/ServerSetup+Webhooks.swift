import CommandLineSupport
import Foundation
import OfferApplication
import OfferDocuments
import OfferModel
import OpenSSLCrypto

extension ServerSetup {
    /// - Parameter environment: where secrets are; with `nil` the webhooks have none.
    func webhooks(
        environment: [String: String]? = ProcessInfo.processInfo.environment
    ) throws -> [Webhook] {
        let digest = OpenSSLDigest()
        var hosts: [String: Int] = [:]
        return try webhookEntries.map { entry in
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
