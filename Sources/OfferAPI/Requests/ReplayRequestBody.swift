/// `POST /v1/issued-offers/{id}/replay`.
public struct ReplayRequestBody: Sendable, Hashable, Codable {
    /// The catalog to decide by; the one of the decision if absent.
    public var catalogRevision: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case catalogRevision
    }

    /// A request by its parts.
    public init(catalogRevision: Int? = nil) {
        self.catalogRevision = catalogRevision
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        catalogRevision = try container.decodeNumber(Int.self, forKey: .catalogRevision)
    }
}
