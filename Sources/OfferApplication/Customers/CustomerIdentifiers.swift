public import OfferModel

/// How a request names a customer (docs/design.md#identity).
public struct CustomerIdentifiers: Sendable, Hashable {
    /// A subscription of the customer.
    public var originalTransactionId: TransactionId?
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUID: an alias.
    public var appAccountToken: AppAccountToken?
    /// The app's own name: an alias.
    public var customerId: CustomerId?

    /// Identifiers by their kinds.
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

/// Everything one customer is known by.
public struct KnownIdentifiers: Sendable, Hashable {
    /// Subscriptions, in the order of their ids.
    public var originalTransactionIds: [TransactionId]
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUIDs.
    public var appAccountTokens: [AppAccountToken]
    /// The app's own names.
    public var customerIds: [CustomerId]

    /// Identifiers by their kinds.
    public init(
        originalTransactionIds: [TransactionId] = [], appTransactionId: AppTransactionId? = nil,
        appAccountTokens: [AppAccountToken] = [], customerIds: [CustomerId] = []
    ) {
        self.originalTransactionIds = originalTransactionIds
        self.appTransactionId = appTransactionId
        self.appAccountTokens = appAccountTokens
        self.customerIds = customerIds
    }
}
