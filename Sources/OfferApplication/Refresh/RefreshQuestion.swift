import OfferModel

/// Whose purchases the App Store is asked for.
public enum RefreshQuestion: Sendable, Hashable {
    /// Whom the identifiers name; of somebody unknown here Apple can be asked by an identifier of Apple's.
    case customer(CustomerIdentifiers)
    /// Who made an order, by the id on the customer's receipt, such as `MK5TTTVWJH`.
    case order(String)
}

/// One Apple Account as far as it is known before Apple is asked.
struct AskedAccount: Sendable, Hashable {
    /// What Apple is asked by, in this order until it knows one: ids of transactions, or an `appTransactionId`.
    var ids: [String]
    /// The subscriptions that are known; an answer without one of them is not all there is.
    var subscriptions: Set<TransactionId> = []
    /// The app transactions that are known; only others need be asked for.
    var appTransactionIds: Set<AppTransactionId> = []
}
