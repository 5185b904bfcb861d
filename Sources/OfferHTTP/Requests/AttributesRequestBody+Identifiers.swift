import OfferAPI
import OfferApplication
import OfferModel

extension AttributesRequestBody {
    /// Whose attributes they are.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func identifiers() throws(RequestFault) -> CustomerIdentifiers {
        var checks = RequestChecks()
        checks.customer(customer)
        checks.attributes(attributes)
        try checks.finish()
        return CustomerIdentifiers(customer)
    }
}
