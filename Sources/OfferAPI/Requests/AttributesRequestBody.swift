public import OfferModel

/// `PUT /v1/customers/attributes`: what the app knows of a customer, for `customer.attributes.*` in offers' conditions.
public struct AttributesRequestBody: Sendable, Hashable, Codable {
    /// The customer.
    public var customer: CustomerReference
    /// Every attribute the customer has from now on; one that is left out is taken away.
    public var attributes: [String: FactValue]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case attributes
    }

    /// A request by its parts.
    public init(customer: CustomerReference, attributes: [String: FactValue]) {
        self.customer = customer
        self.attributes = attributes
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member or a value that is no fact, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decode(CustomerReference.self, forKey: .customer)
        guard let attributes = try container.decodeFacts(forKey: .attributes, called: "an attribute") else {
            throw DecodingError.keyNotFound(
                CodingKeys.attributes,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "`attributes` is missing"))
        }
        self.attributes = attributes
    }
}
