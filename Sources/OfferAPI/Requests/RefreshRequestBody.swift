/// `POST /v1/customers/refresh`: whose purchases Apple is asked for, by one of both members.
public struct RefreshRequestBody: Sendable, Hashable, Codable {
    /// The customer, by any identifier.
    public var customer: CustomerReference?
    /// The id of an order on the customer's receipt, such as `MK5TTTVWJH`.
    public var orderId: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case orderId
    }

    /// A request by its parts.
    public init(customer: CustomerReference? = nil, orderId: String? = nil) {
        self.customer = customer
        self.orderId = orderId
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decodeIfPresent(CustomerReference.self, forKey: .customer)
        orderId = try container.decodeIfPresent(String.self, forKey: .orderId)
    }
}
