package import OfferModel

/// `PUT /v1/customers/attributes`: what the app knows of a customer, for `customer.attributes.*` in offers' conditions.
package struct AttributesRequestBody: WireRequest {
    package var customer = CustomerIdentifiers()
    /// Every attribute the customer has from now on; one that is left out is taken away.
    package var attributes: [String: FactValue] = [:]

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customer", &customer)
        members.required("attributes", &attributes)
    }

    package static func read(_ json: inout WireReader) throws(Misreading) -> AttributesRequestBody {
        json.factNoun = "an attribute"
        var request = AttributesRequestBody()
        try json.read(&request)
        return request
    }
}

/// The answer to `PUT /v1/customers/attributes`.
package struct AttributesBody: WireObject {
    package var customers: [KnownIdentifiers] = []
    package var attributes: [String: FactValue] = [:]

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("attributes", &attributes)
        members.required("customers", &customers)
    }
}

/// `POST /v1/customers/unlink`: which aliases are detached from which customer.
package struct UnlinkRequestBody: WireRequest {
    /// The customer, best by an identifier of Apple's.
    package var customer = CustomerIdentifiers()
    /// At least one.
    package var aliases = CustomerAliases()
    /// For the audit; it must not name a person.
    package var reason = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customer", &customer)
        members.required("aliases", &aliases)
        members.required("reason", &reason)
    }
}

/// The answer to `POST /v1/customers/unlink`.
package struct UnlinkBody: WireObject {
    /// The customers as they are known now.
    package var customers: [KnownIdentifiers] = []
    /// The names of the aliases that were detached; empty if the customers had none of them.
    package var unlinked: [String] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customers", &customers)
        members.required("unlinked", &unlinked)
    }
}

/// `POST /v1/customers/reset`: which tester is reset.
package struct ResetRequestBody: WireRequest {
    /// The tester, by any identifier.
    package var customer = CustomerIdentifiers()
    /// For the audit; it must not name a person.
    package var reason = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customer", &customer)
        members.required("reason", &reason)
    }
}

/// The answer to `POST /v1/customers/reset`.
package struct ResetBody: WireObject {
    package var customers = 0

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customers", &customers)
    }
}

/// `POST /v1/customers/refresh`: whose purchases Apple is asked for, by one of both members.
package struct RefreshRequestBody: WireRequest {
    /// The customer, by any identifier.
    package var customer: CustomerIdentifiers?
    /// The id of an order on the customer's receipt, such as `MK5TTTVWJH`.
    package var orderId: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("customer", &customer)
        members.optional("orderId", &orderId)
    }
}

/// The outcome of asking Apple for a customer's purchases.
package struct RefreshReport: WireObject {
    package struct Counts: WireObject {
        package var added = 0
        /// A newer view of something known.
        package var updated = 0
        package var unchanged = 0
        package var refused = 0

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("added", &added)
            members.required("refused", &refused)
            members.required("unchanged", &unchanged)
            members.required("updated", &updated)
        }

        package init() {}
    }

    /// A JWS in Apple's answer that could not be verified.
    package struct Refused: WireObject {
        /// The answer and its place there, such as `/history/signedTransactions/3`.
        package var path = ""
        package var code = ""
        package var detail = ""

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("code", &code)
            members.required("detail", &detail)
            members.required("path", &path)
        }
    }

    /// Why the history does not count as complete.
    package struct Gap: WireObject {
        /// `refusedData`, `morePages`, `missingSubscription` or `severalCustomers`.
        package var code = ""
        package var detail = ""

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("code", &code)
            members.required("detail", &detail)
        }
    }

    package var customers: [KnownIdentifiers] = []
    package var transactions = Counts()
    package var renewalInfos = Counts()
    package var appTransactions = Counts()
    package var refused: [Refused] = []
    /// Why the history does not count as complete; empty if it does.
    package var gaps: [Gap] = []
    package var coverage = Coverage.none

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("appTransactions", &appTransactions)
        members.required("coverage", &coverage)
        members.required("customers", &customers)
        members.required("gaps", &gaps)
        members.required("refused", &refused)
        members.required("renewalInfos", &renewalInfos)
        members.required("transactions", &transactions)
    }
}
