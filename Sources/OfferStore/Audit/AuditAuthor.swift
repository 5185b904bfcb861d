public import OfferModel

/// Who changes the ledger, and for which request.
public struct AuditAuthor: Sendable, Hashable {
    /// The id of an API key, a command such as `offerd api-keys revoke`, or the App Store; never a person's name.
    public var actor: String
    /// The request; absent for a command and for what the service does by itself.
    public var requestId: LowercaseUUID?

    /// An author by its parts.
    public init(actor: String, requestId: LowercaseUUID? = nil) {
        self.actor = actor
        self.requestId = requestId
    }

    /// The running service itself.
    public static let service = AuditAuthor(actor: "offerd serve")
}
