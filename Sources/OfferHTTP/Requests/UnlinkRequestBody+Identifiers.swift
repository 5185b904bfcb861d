import OfferAPI
import OfferApplication
import OfferModel

extension UnlinkRequestBody {
    /// The customer it names.
    ///
    /// - Throws: ``RequestFault`` for a member that is not accepted, and if no alias is given.
    func identifiers() throws(RequestFault) -> CustomerIdentifiers {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.text(
            aliases.customerId?.rawValue, at: .root.appending("aliases").appending("customerId"),
            maximum: RequestRules.identifierLength)
        checks.text(reason, at: .root.appending("reason"), maximum: RequestRules.identifierLength)
        if aliases.appAccountToken == nil, aliases.customerId == nil {
            checks.add(
                .root.appending("aliases"), .missingMember, "the request names no alias to detach",
                hint: "give an `appAccountToken` or a `customerId`")
        }
        try checks.finish()
        return CustomerIdentifiers(customer)
    }
}
