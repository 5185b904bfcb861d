public import OfferModel
import OfferStore

/// Who calls: the holder of one API key.
public struct Caller: Sendable, Hashable {
    /// The key, for records; never its secret.
    public var apiKeyId: String
    /// The one app and environment the key belongs to.
    public var scope: Scope
    /// What the key may do.
    public var role: Role
    /// The request that is made, for records.
    public var requestId: LowercaseUUID?

    /// A caller by its parts.
    public init(apiKeyId: String, scope: Scope, role: Role, requestId: LowercaseUUID? = nil) {
        self.apiKeyId = apiKeyId
        self.scope = scope
        self.role = role
        self.requestId = requestId
    }
}

extension Caller {
    /// Who answers for what the request changes.
    var author: AuditAuthor { AuditAuthor(actor: apiKeyId, requestId: requestId) }
}
