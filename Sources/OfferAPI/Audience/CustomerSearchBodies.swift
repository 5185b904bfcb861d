import OfferModel

/// `POST /v1/customers/search`: the customers who meet a condition.
public struct CustomerSearchRequest: WireRequest {
    /// A condition in one line (docs/audience.md#conditions).
    public var `where` = ""
    public var limit = CustomerSearchRequest.usualLimit
    /// `nextCursor` of the page before.
    public var cursor: String?

    public static let usualLimit = 50
    public static let limits = 1...500

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("where", &`where`)
        members.defaulted("limit", &limit)
        members.optional("cursor", &cursor)
    }
}

public struct CustomerSearchPage: WireObject {
    /// In the order in which they were first stored; there may be fewer than `limit` although more follow. None for a
    /// `marketing` key.
    public var customers: [SampleCustomer] = []
    /// How many of those looked at were passed over because it is not known whether the condition holds; absent for a
    /// `marketing` key.
    public var undetermined: Int?
    /// How many of those looked at meet it, for a `marketing` key.
    public var matching: AudienceCount?
    /// Where the next page begins; absent if there is none.
    public var nextCursor: String?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customers", &customers)
        members.optional("matching", &matching)
        members.optional("nextCursor", &nextCursor)
        members.optional("undetermined", &undetermined)
    }
}
