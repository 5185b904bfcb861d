/// `POST /v1/issued-offers/{id}/void`; the answer is the issued offer as it stands then.
public struct VoidRequestBody: Sendable, Hashable, Codable {
    /// Why, for the record: 1 to 255 characters.
    public var reason: String
    /// Whether to free the place under its limits at once, although its signatures may still live at Apple.
    public var release: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case reason
        case release
    }

    /// A request by its parts.
    public init(reason: String, release: Bool? = nil) {
        self.reason = reason
        self.release = release
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        reason = try container.decode(String.self, forKey: .reason)
        release = try container.decodeIfPresent(Bool.self, forKey: .release)
    }
}
