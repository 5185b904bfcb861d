package import OfferModel

/// `PUT /v1/customers/attributes`: what the app knows of a customer, for `customer.attributes.*` in offers' conditions.
package struct AttributesRequestBody: Sendable, Hashable, Decodable {
    package var customer: CustomerIdentifiers
    /// Every attribute the customer has from now on; one that is left out is taken away.
    package var attributes: [String: FactValue]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer, attributes
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(
            decoder, keyedBy: CodingKeys.self, requiring: [.customer, .attributes])
        customer = try container.decode(CustomerIdentifiers.self, forKey: .customer)
        guard let attributes = try container.decodeFacts(forKey: .attributes, called: "an attribute") else {
            throw DecodingError.keyNotFound(
                CodingKeys.attributes,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "`attributes` is missing"))
        }
        self.attributes = attributes
    }
}

/// The answer to `PUT /v1/customers/attributes`.
package struct AttributesBody: Sendable, Hashable, Codable {
    package var customers: [KnownIdentifiers]
    package var attributes: [String: FactValue]

    package init(customers: [KnownIdentifiers], attributes: [String: FactValue]) {
        self.customers = customers
        self.attributes = attributes
    }
}

/// `POST /v1/customers/unlink`: which aliases are detached from which customer.
package struct UnlinkRequestBody: Sendable, Hashable, Codable {
    /// The customer, best by an identifier of Apple's.
    package var customer: CustomerIdentifiers
    /// At least one.
    package var aliases: CustomerAliases
    /// For the audit; it must not name a person.
    package var reason: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer, aliases, reason
    }

    package init(customer: CustomerIdentifiers, aliases: CustomerAliases, reason: String) {
        self.customer = customer
        self.aliases = aliases
        self.reason = reason
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(
            decoder, keyedBy: CodingKeys.self, requiring: [.customer, .aliases, .reason])
        customer = try container.decode(CustomerIdentifiers.self, forKey: .customer)
        aliases = try container.decode(CustomerAliases.self, forKey: .aliases)
        reason = try container.decode(String.self, forKey: .reason)
    }
}

/// The answer to `POST /v1/customers/unlink`.
package struct UnlinkBody: Sendable, Hashable, Codable {
    /// The customers as they are known now.
    package var customers: [KnownIdentifiers]
    /// The names of the aliases that were detached; empty if the customers had none of them.
    package var unlinked: [String]

    package init(customers: [KnownIdentifiers], unlinked: [String]) {
        self.customers = customers
        self.unlinked = unlinked
    }
}

/// `POST /v1/customers/reset`: which tester is reset.
package struct ResetRequestBody: Sendable, Hashable, Codable {
    /// The tester, by any identifier.
    package var customer: CustomerIdentifiers
    /// For the audit; it must not name a person.
    package var reason: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer, reason
    }

    package init(customer: CustomerIdentifiers, reason: String) {
        self.customer = customer
        self.reason = reason
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(
            decoder, keyedBy: CodingKeys.self, requiring: [.customer, .reason])
        customer = try container.decode(CustomerIdentifiers.self, forKey: .customer)
        reason = try container.decode(String.self, forKey: .reason)
    }
}

/// The answer to `POST /v1/customers/reset`.
package struct ResetBody: Sendable, Hashable, Codable {
    package var customers: Int

    package init(customers: Int) {
        self.customers = customers
    }
}

/// `POST /v1/customers/refresh`: whose purchases Apple is asked for, by one of both members.
package struct RefreshRequestBody: Sendable, Hashable, Codable {
    /// The customer, by any identifier.
    package var customer: CustomerIdentifiers?
    /// The id of an order on the customer's receipt, such as `MK5TTTVWJH`.
    package var orderId: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer, orderId
    }

    package init(customer: CustomerIdentifiers? = nil, orderId: String? = nil) {
        self.customer = customer
        self.orderId = orderId
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decodeIfPresent(CustomerIdentifiers.self, forKey: .customer)
        orderId = try container.decodeIfPresent(String.self, forKey: .orderId)
    }
}

/// The outcome of asking Apple for a customer's purchases.
package struct RefreshReport: Sendable, Hashable, Codable {
    package struct Counts: Sendable, Hashable, Codable {
        /// New.
        package var added = 0
        /// A newer view of something known.
        package var updated = 0
        /// Already stored.
        package var unchanged = 0
        package var refused = 0

        package init() {}
    }

    /// A JWS in Apple's answer that could not be verified.
    package struct Refused: Sendable, Hashable, Codable {
        /// The answer and its place there, such as `/history/signedTransactions/3`.
        package var path: String
        package var code: String
        package var detail: String

        package init(path: String, code: String, detail: String) {
            self.path = path
            self.code = code
            self.detail = detail
        }
    }

    /// Why the history does not count as complete.
    package struct Gap: Sendable, Hashable, Codable {
        /// `refusedData`, `morePages`, `missingSubscription` or `severalCustomers`.
        package var code: String
        package var detail: String

        package init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }

    package var customers: [KnownIdentifiers] = []
    package var transactions = Counts()
    package var renewalInfos = Counts()
    package var appTransactions = Counts()
    package var refused: [Refused] = []
    /// Why the history does not count as complete; empty if it does.
    package var gaps: [Gap] = []
    package var coverage: CoverageBody

    package init(coverage: CoverageBody) {
        self.coverage = coverage
    }
}
