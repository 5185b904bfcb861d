package import OfferModel

/// `POST /v1/grants`: goodwill for one customer (docs/eligibility.md, "Grants").
package struct GrantRequestBody: WireRequest {
    /// The customer, by any identifier.
    package var customer = CustomerIdentifiers()
    package var offerId: OfferId = ""
    /// For the record: 1 to 255 characters.
    package var reason = ""
    /// From when it can no longer be used.
    package var expiresAt: Instant?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("customer", &customer)
        members.required("offerId", &offerId)
        members.required("reason", &reason)
        members.optional("expiresAt", &expiresAt)
    }
}

/// One grant, as made and as read back.
package struct GrantView: WireObject {
    package var grantId: LowercaseUUID = .blank
    package var offerId: OfferId = ""
    package var state: GrantState = .open
    package var grantedAt: Instant = .blank
    /// The id of the API key that granted it.
    package var actor = ""
    /// The name of the person who used the key at the console, if they gave one.
    package var person: String?
    /// Absent once erased.
    package var reason: String?
    package var expiresAt: Instant?
    /// The issued offer that used it.
    package var issuedOfferId: LowercaseUUID?
    package var revokedAt: Instant?
    /// The id of the API key, or the command, that revoked it.
    package var revokedBy: String?
    /// The name of the person who used that key at the console, if they gave one.
    package var revokedByPerson: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("actor", &actor)
        members.optional("expiresAt", &expiresAt)
        members.required("grantId", &grantId)
        members.required("grantedAt", &grantedAt)
        members.optional("issuedOfferId", &issuedOfferId)
        members.required("offerId", &offerId)
        members.optional("person", &person)
        members.optional("reason", &reason)
        members.optional("revokedAt", &revokedAt)
        members.optional("revokedBy", &revokedBy)
        members.optional("revokedByPerson", &revokedByPerson)
        members.required("state", &state)
    }
}

extension GrantState: WireWord {}
