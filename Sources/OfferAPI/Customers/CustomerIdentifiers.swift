public import OfferModel

/// How a request names a customer; at least one member is given.
public struct CustomerIdentifiers: WireRequest {
    /// A subscription of the customer: proven once a verified transaction shows it.
    public var originalTransactionId: TransactionId?
    /// The Apple Account in this app: proven once verified data shows it.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUID: an alias.
    public var appAccountToken: AppAccountToken?
    /// The app's own customer ID: an alias.
    public var customerId: CustomerId?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("originalTransactionId", &originalTransactionId)
        members.optional("appTransactionId", &appTransactionId)
        members.optional("appAccountToken", &appAccountToken)
        members.optional("customerId", &customerId)
    }

    public init(
        originalTransactionId: TransactionId? = nil, appTransactionId: AppTransactionId? = nil,
        appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    public var isEmpty: Bool {
        originalTransactionId == nil && appTransactionId == nil && appAccountToken == nil && customerId == nil
    }
}

/// The app's names for the customer, attached to the customer that the signed data proves.
public struct CustomerAliases: WireRequest {
    public var appAccountToken: AppAccountToken?
    public var customerId: CustomerId?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("appAccountToken", &appAccountToken)
        members.optional("customerId", &customerId)
    }

    package var identifiers: CustomerIdentifiers {
        CustomerIdentifiers(appAccountToken: appAccountToken, customerId: customerId)
    }
}
