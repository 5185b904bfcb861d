package import OfferModel

/// `customerTokens` of `offerd.yaml`: a login provider whose tokens say who uses an app (docs/http.md#customer-tokens).
package struct CustomerTokensConfiguration: Sendable, Hashable {
    package enum Keys: Sendable, Hashable {
        /// As written; relative to the configuration file.
        case file(String)
        case url(String)
    }

    package static let most = 16

    /// The `iss` of its tokens.
    package var issuer: String
    /// The audience that the `aud` of its tokens names.
    package var audience: String
    package var keys: Keys
    /// The only app whose customers it knows; absent for all that have no provider of their own.
    package var app: BundleId?
}

/// Reads `customerTokens` of `offerd.yaml`: one provider, or a list.
enum CustomerTokensReader {
    static func read(_ field: Field) -> [CustomerTokensConfiguration] {
        guard case .sequence = field.node.content else { return provider(field).map { [$0] } ?? [] }
        let fields = field.list(of: "providers", atMost: CustomerTokensConfiguration.most) ?? []
        var apps: Set<BundleId?> = []
        return fields.compactMap { field in
            guard let provider = provider(field) else { return nil }
            guard apps.insert(provider.app).inserted else {
                return field.refuse(
                    .duplicateValue,
                    provider.app.map { "an earlier provider is for `\($0)` too" }
                        ?? "an earlier provider is for all apps too",
                    hint: "an app has one provider: name it in `app`")
            }
            return provider
        }
    }

    private static func provider(_ field: Field) -> CustomerTokensConfiguration? {
        guard let mapping = field.mapping(["issuer", "audience", "keys", "app"]) else { return nil }
        let issuer = mapping.required("issuer")?.text(.claim)
        let audience = mapping.required("audience")?.text(.claim)
        let keys = mapping.required("keys").flatMap(keys)
        let app: BundleId? = mapping.optional("app")?.id(.bundleId)
        guard let issuer, let audience, let keys else { return nil }
        return CustomerTokensConfiguration(issuer: issuer, audience: audience, keys: keys, app: app)
    }

    private static func keys(_ field: Field) -> CustomerTokensConfiguration.Keys? {
        guard case .scalar(let text, _) = field.node.content, text.contains("://") else {
            return field.text(.path).map { .file($0) }
        }
        return field.url(
            of: "a key set", example: "https://example.com/.well-known/jwks.json",
            withoutUser: "a provider's keys are public"
        ).map { .url($0) }
    }
}

extension TextForm {
    /// The required value of a claim, to the byte.
    fileprivate static let claim = TextForm(
        noun: "the value of a claim", hint: "copy it from a token of the login provider"
    ) { text in (1...1_024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
