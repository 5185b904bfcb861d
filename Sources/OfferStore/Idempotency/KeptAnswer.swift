public import OfferModel

/// An answer as it was sent, kept so that it can be sent again byte for byte (docs/design.md#issuing).
public struct KeptAnswer: Sendable, Hashable {
    /// SHA-256 of the request's body.
    public var requestDigest: [UInt8]
    /// The HTTP status.
    public var status: Int
    /// The media type of the body.
    public var contentType: String
    /// The path of what was made.
    public var location: String?
    /// The body.
    public var body: [UInt8]
    /// When it was answered.
    public var answeredAt: Instant

    /// An answer by its parts.
    public init(
        requestDigest: [UInt8], status: Int, contentType: String, location: String?, body: [UInt8],
        answeredAt: Instant
    ) {
        self.requestDigest = requestDigest
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
        self.answeredAt = answeredAt
    }
}

/// Under which key an answer is kept: the same key of another caller, or for another route, is another.
public struct KeptAnswerKey: Sendable, Hashable {
    /// The API key of the caller.
    public var apiKeyId: String
    /// The method and path template.
    public var route: String
    /// What the client sent as `Idempotency-Key`.
    public var key: String

    /// A key by its parts.
    public init(apiKeyId: String, route: String, key: String) {
        self.apiKeyId = apiKeyId
        self.route = route
        self.key = key
    }
}
