import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// Query parameters that name a customer.
enum CustomerQuery {
    /// Their names.
    static let names = ["originalTransactionId", "appTransactionId", "appAccountToken", "customerId"]

    /// Reads them, if any is given.
    ///
    /// - Throws: ``RequestFault`` with everything wrong in the query so far.
    static func readIfAny(_ query: inout QueryParameters) throws(RequestFault) -> CustomerIdentifiers {
        let identifiers = CustomerIdentifiers(
            originalTransactionId: query.text("originalTransactionId").map { TransactionId($0) },
            appTransactionId: query.text("appTransactionId").map { AppTransactionId($0) },
            appAccountToken: query.uuid("appAccountToken"),
            customerId: query.text("customerId").map { CustomerId($0) })
        try query.finish()
        return identifiers
    }

    /// Reads them.
    ///
    /// - Throws: ``RequestFault`` if none is given.
    static func read(_ query: inout QueryParameters) throws(RequestFault) -> CustomerIdentifiers {
        let identifiers = try readIfAny(&query)
        guard identifiers != CustomerIdentifiers() else {
            throw RequestFault(errors: [
                ProblemErrorBody(
                    path: "query", code: RequestErrorCode.missingMember.rawValue,
                    detail: "the query names no customer",
                    hint: "give " + names.map { "`\($0)`" }.joined(separator: ", ") + " or several of them")
            ])
        }
        return identifiers
    }
}
