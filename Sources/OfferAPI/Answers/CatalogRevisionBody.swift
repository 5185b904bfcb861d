public import OfferModel

/// `GET /v1/catalog/revisions`: who applied what, and when; one revision also has its document.
public struct CatalogRevisionBody: Sendable, Hashable, Codable {
    /// The revision, from 1.
    public var revision: Int
    /// The id of the API key that applied it.
    public var actor: String
    /// What its author said about it.
    public var message: String?
    /// When it was applied.
    public var createdAt: Instant
    /// `yaml` or `json`; absent in lists.
    public var format: String?
    /// The document as it was applied; absent in lists.
    public var document: String?

    /// A revision by its parts.
    public init(
        revision: Int, actor: String, message: String?, createdAt: Instant, format: String? = nil,
        document: String? = nil
    ) {
        self.revision = revision
        self.actor = actor
        self.message = message
        self.createdAt = createdAt
        self.format = format
        self.document = document
    }
}
