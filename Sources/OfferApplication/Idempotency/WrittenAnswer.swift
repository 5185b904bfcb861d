/// An answer as it goes out over HTTP, in bytes.
public struct WrittenAnswer: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The media type of the body.
    public var contentType: String
    /// The path of what was made.
    public var location: String?
    /// The body.
    public var body: [UInt8]
    /// Whether it was sent before, and is sent again as it was.
    public var isReplayed: Bool

    /// An answer by its parts.
    public init(
        status: Int, contentType: String, location: String? = nil, body: [UInt8], isReplayed: Bool = false
    ) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
        self.isReplayed = isReplayed
    }
}
