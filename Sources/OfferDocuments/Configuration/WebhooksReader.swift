package import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One entry of `webhooks` in `offerd.yaml`: which events are sent where (docs/webhooks.md).
package struct WebhookConfiguration: Sendable, Hashable {
    package static let standardPace = 50
    package static let most = 16

    package var url: String
    /// Each signs every message, so that a receiver may change from one to the next.
    package var secrets: [WebhookSecret]
    package var events: Set<EventType>
    /// Only events of this app.
    package var app: BundleId?
    /// Only events of this environment.
    package var environment: AppStoreEnvironment?
    /// How many events are sent in a second at most.
    package var perSecond: Int
}

/// Where the secret of a webhook is. Its text is never shown.
package enum WebhookSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// `whsec_` and Base64.
    case text(String)
    /// The name of an environment variable that holds such a text.
    case environment(String)

    package static let hint = "make one with `echo \"whsec_$(openssl rand -base64 32)\"`"

    private static let prefix = "whsec_"
    /// Standard Webhooks: a secret has 24 to 64 bytes.
    private static let lengths = 24...64

    /// The bytes of a text such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`; `nil` for any other.
    package static func bytes(_ text: String) -> [UInt8]? {
        guard text.hasPrefix(prefix), let data = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            lengths.contains(data.count)
        else { return nil }
        return Array(data)
    }

    package var description: String {
        switch self {
        case .text: "a secret"
        case .environment(let name): "env:\(name)"
        }
    }

    package var debugDescription: String { description }
}

enum WebhooksReader {
    private static let mostSecrets = 4
    private static let paces = 1...10_000

    static func read(_ field: Field) -> [WebhookConfiguration] {
        let most = WebhookConfiguration.most
        guard let fields = field.list(of: "webhooks", atMost: most, allowsEmpty: true) else { return [] }
        var places: Set<[String?]> = []
        return fields.compactMap { field in
            guard let webhook = webhook(field) else { return nil }
            let place = [webhook.url, webhook.app?.rawValue, webhook.environment?.rawValue]
            guard places.insert(place).inserted else {
                return field.refuse(
                    .duplicateValue, "an earlier webhook has the same `url`, `app` and `environment`",
                    hint: "list the events of both in one webhook")
            }
            return webhook
        }
    }

    private static func webhook(_ field: Field) -> WebhookConfiguration? {
        let keys = ["url", "secrets", "events", "app", "environment", "perSecond"]
        guard let mapping = field.mapping(keys) else { return nil }
        let url = mapping.required("url").flatMap {
            $0.url(
                of: "a webhook", example: "https://example.com/webhooks",
                withoutUser: "the receiver verifies the signature of each message")
        }
        let secrets = mapping.required("secrets").flatMap(secretList)
        let events = mapping.required("events")?.list().map { Set($0.distinct(types).joined()) }
        let app: BundleId? = mapping.optional("app")?.id(.bundleId)
        let environment = mapping.optional("environment")?.choice(AppStoreEnvironment.self)
        let pace = mapping.optional("perSecond").map { $0.wholeNumber(paces) } ?? WebhookConfiguration.standardPace
        guard let url, let secrets, let events, let pace else { return nil }
        return WebhookConfiguration(
            url: url, secrets: secrets, events: events, app: app, environment: environment, perSecond: pace)
    }

    private static func secretList(_ field: Field) -> [WebhookSecret]? {
        guard let fields = field.list(of: "secrets", atMost: mostSecrets) else { return nil }
        let secrets = fields.distinct(secret)
        return secrets.count == fields.count ? secrets : nil
    }

    /// Errors never quote what may be a secret.
    private static func secret(_ field: Field) -> WebhookSecret? {
        guard let text = field.scalar("a secret") else { return nil }
        guard text.hasPrefix("env:") else {
            guard WebhookSecret.bytes(text) != nil else {
                return field.refuse(
                    .invalidValue, "this is not `whsec_` with the Base64 of 24 to 64 bytes, nor `env:NAME`",
                    hint: WebhookSecret.hint)
            }
            return .text(text)
        }
        return KeySourceReader.variableName(text, of: field, example: "WEBHOOK_SECRET").map { .environment($0) }
    }

    /// A type, every type with a prefix, such as `subscription.*`, or all: `*`.
    private static func types(_ field: Field) -> Set<EventType>? {
        guard let text = field.scalar("the type of an event") else { return nil }
        if let type = EventType(rawValue: text) { return [type] }
        if text == "*" { return Set(EventType.allCases) }
        if text.hasSuffix(".*") {
            let all = EventType.allCases.filter { $0.rawValue.hasPrefix(text.dropLast()) }
            if !all.isEmpty { return Set(all) }
        }
        return field.refuse(
            .invalidValue, "\(quoted(text)) is not the type of an event",
            hint: Suggestion.hint(
                for: text,
                among: EventType.allCases.map(\.rawValue) + ["subscription.*", "purchase.*", "offer.*", "*"],
                noun: "known"))
    }
}

extension Field {
    private static let longestURL = 2_048

    /// A URL that is encrypted, or of this machine. Only its host is quoted, because the rest may hold a token.
    ///
    /// - Parameter reason: why it needs no user name.
    func url(of noun: String, example: String, withoutUser reason: String) -> String? {
        guard let text = scalar("a URL") else { return nil }
        guard text.utf8.count <= Self.longestURL, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            parts.port.map({ (1...65_535).contains($0) }) ?? true
        else { return refuse(.invalidValue, "this is not the URL of \(noun)", hint: "write it like `\(example)`") }
        guard parts.user == nil, parts.password == nil else {
            return refuse(
                .invalidValue, "the URL of \(noun) cannot hold a user name or a password",
                hint: "leave them out: \(reason)")
        }
        guard parts.fragment == nil else {
            return refuse(
                .invalidValue, "the URL of \(noun) at \(quoted(host)) has a fragment",
                hint: "leave out `#` and what follows")
        }
        guard scheme == "https" || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased()) else {
            return refuse(
                .invalidValue, "the URL of \(noun) at \(quoted(host)) is not encrypted",
                hint: "write `https://`; `http://` is accepted for `localhost`, `127.0.0.1` and `[::1]` only")
        }
        return text
    }
}
