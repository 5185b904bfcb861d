public import OfferModel

/// How a request names a customer (docs/design.md#identity).
public struct CustomerIdentifiers: Sendable, Hashable {
    public var originalTransactionId: TransactionId?
    public var appTransactionId: AppTransactionId?
    public var appAccountToken: AppAccountToken?
    public var customerId: CustomerId?

    public init(
        originalTransactionId: TransactionId? = nil, appTransactionId: AppTransactionId? = nil,
        appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }
}

public struct KnownIdentifiers: Sendable, Hashable {
    /// Subscriptions, in the order of their ids.
    public var originalTransactionIds: [TransactionId] = []
    public var appTransactionId: AppTransactionId?
    public var appAccountTokens: [AppAccountToken] = []
    public var customerIds: [CustomerId] = []
}
