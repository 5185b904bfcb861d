public import OfferModel

/// Who calls: the holder of one API key.
public struct Caller: Sendable, Hashable {
    /// The key, for records; never its secret.
    public var apiKeyId: String
    /// The one app and environment the key belongs to.
    public var scope: Scope
    /// What the key may do.
    public var role: Role

    /// A caller by its parts.
    public init(apiKeyId: String, scope: Scope, role: Role) {
        self.apiKeyId = apiKeyId
        self.scope = scope
        self.role = role
    }
}
