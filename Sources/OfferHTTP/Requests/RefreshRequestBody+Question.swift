import OfferAPI
import OfferApplication

extension RefreshRequestBody {
    /// What is asked.
    ///
    /// - Throws: ``RequestFault`` unless exactly one member is given, with a value that is accepted.
    func question() throws(RequestFault) -> RefreshQuestion {
        var checks = RequestChecks()
        if let customer { checks.customer(customer) }
        checks.text(orderId, at: .root.appending("orderId"), maximum: RequestRules.orderIdLength)
        if customer == nil, orderId == nil {
            checks.add(
                .root, .missingMember, "the request names nobody",
                hint: "give a `customer` with any identifier, or the `orderId` of a receipt")
        }
        if customer != nil, orderId != nil {
            checks.add(
                .root.appending("orderId"), .invalidValue, "an order names its customer by itself",
                hint: "leave `customer` or `orderId` out")
        }
        try checks.finish()
        if let orderId { return .order(orderId) }
        return .customer(customer.map(CustomerIdentifiers.init) ?? CustomerIdentifiers())
    }
}
