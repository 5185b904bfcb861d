public import OfferModel
import OfferStore

/// An identifier of a customer with where it came from.
public struct IdentifierOrigin: Sendable, Hashable {
    /// What it is, by its name in requests.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A subscription.
        case originalTransactionId
        /// The Apple Account in this app.
        case appTransactionId
        /// The app's account UUID: an alias.
        case appAccountToken
        /// The app's own name: an alias.
        case customerId
    }

    /// What it is.
    public var kind: Kind
    /// The identifier.
    public var value: String
    /// Since when it is known.
    public var since: Instant
    /// How it reached us: with Apple's data, or on the word of the backend or an operator.
    public var provenance: Provenance
    /// The transaction, or of renewal info the subscription, whose data names it.
    public var transactionId: TransactionId?
    /// The request that stated it; the log has more of it.
    public var requestId: LowercaseUUID?
}

extension IdentifierOrigin {
    init(_ stored: SourcedIdentifier) {
        kind =
            switch stored.kind {
            case .originalTransactionId: .originalTransactionId
            case .appTransactionId: .appTransactionId
            case .appAccountToken: .appAccountToken
            case .customerId: .customerId
            }
        value = stored.value
        since = stored.since
        provenance = stored.provenance
        transactionId = stored.transactionId
        requestId = stored.requestId
    }
}
