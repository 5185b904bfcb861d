public import OfferModel

/// The answer to `PUT /v1/customers/attributes`.
public struct AttributesBody: Sendable, Hashable, Codable {
    /// Whom they belong to.
    public var customers: [CustomerIdentifiersBody]
    /// Every attribute they have now.
    public var attributes: [String: FactValue]

    /// An answer by its parts.
    public init(customers: [CustomerIdentifiersBody], attributes: [String: FactValue]) {
        self.customers = customers
        self.attributes = attributes
    }
}
