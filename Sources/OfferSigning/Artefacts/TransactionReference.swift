public import OfferModel

/// What the claim `transactionId` may hold: it binds a JWS to one customer.
///
/// Source: Apple, "Generating JWS to sign App Store requests": any transaction of the customer, or the
/// `appTransactionId`.
public enum TransactionReference: Sendable, Hashable {
    /// A `transactionId` or `originalTransactionId` of the customer.
    case transaction(TransactionId)
    /// The customer's `appTransactionId`, which exists before any purchase.
    case appTransaction(AppTransactionId)

    /// The claim's value.
    public var rawValue: String {
        switch self {
        case .transaction(let id): id.rawValue
        case .appTransaction(let id): id.rawValue
        }
    }
}
