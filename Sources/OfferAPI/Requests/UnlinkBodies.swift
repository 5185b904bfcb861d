/// `POST /v1/customers/unlink`: which aliases are detached from which customer.
public struct UnlinkRequestBody: Sendable, Hashable, Codable {
    /// The customer, best by an identifier of Apple's.
    public var customer: CustomerReference
    /// What is detached; at least one.
    public var aliases: CustomerAliases
    /// Why, for the audit; it must not name a person.
    public var reason: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case aliases
        case reason
    }

    /// A request by its parts.
    public init(customer: CustomerReference, aliases: CustomerAliases, reason: String) {
        self.customer = customer
        self.aliases = aliases
        self.reason = reason
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decode(CustomerReference.self, forKey: .customer)
        aliases = try container.decode(CustomerAliases.self, forKey: .aliases)
        reason = try container.decode(String.self, forKey: .reason)
    }
}

/// The answer to `POST /v1/customers/unlink`.
public struct UnlinkBody: Sendable, Hashable, Codable {
    /// The customers as they are known now.
    public var customers: [CustomerIdentifiersBody]
    /// The names of the aliases that were detached; empty if the customers had none of them.
    public var unlinked: [String]

    /// An answer by its parts.
    public init(customers: [CustomerIdentifiersBody], unlinked: [String]) {
        self.customers = customers
        self.unlinked = unlinked
    }
}
