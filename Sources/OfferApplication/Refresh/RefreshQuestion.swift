import AppStoreServer
import OfferModel
import OfferSigning
import OfferStore

/// Whose purchases the App Store is asked for.
public enum RefreshQuestion: Sendable, Hashable {
    /// Whom the identifiers name; of somebody unknown here Apple can be asked by an identifier of Apple's.
    case customer(CustomerIdentifiers)
    /// Who made an order, by the id on the customer's receipt, such as `MK5TTTVWJH`.
    case order(String)
}

extension RefreshQuestion {
    /// Looks whether Apple can be asked by what stands in it.
    ///
    /// - Throws: ``RequestError/invalidRequest(pointer:detail:hint:)`` naming the first id that is none.
    func check() throws(RequestError) {
        let ids: [(pointer: String, id: String)] =
            switch self {
            case .order(let id): [("/orderId", id)]
            case .customer(let identifiers):
                identifiers.proven.map { identifier in
                    switch identifier {
                    case .originalTransactionId(let id): ("/customer/originalTransactionId", id.rawValue)
                    case .appTransactionId(let id): ("/customer/appTransactionId", id.rawValue)
                    }
                }
            }
        for (pointer, id) in ids where !PathIdentifier.allows(id) {
            throw .invalidRequest(
                pointer: pointer, detail: "`\(OneLine.of(id, atMost: 100))` is no id of Apple's",
                hint: "copy the id again from what the App Store says of the purchase")
        }
    }
}

/// One Apple Account as far as it is known before Apple is asked.
struct AskedAccount: Sendable, Hashable {
    /// What Apple is asked by, in this order until it knows one: ids of transactions, or an `appTransactionId`.
    var ids: [String]
    /// The subscriptions that are known; an answer without one of them is not all there is.
    var subscriptions: Set<TransactionId> = []
    /// The app transactions that are known; only others need be asked for.
    var appTransactionIds: Set<AppTransactionId> = []
    /// The customer it is stored as; absent if it is not known here.
    var seen: SeenSubject?
}
