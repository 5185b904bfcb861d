public import OfferModel

/// How a request names a customer; at least one member is given.
public struct CustomerIdentifiers: Sendable, Hashable, Codable {
    /// A subscription of the customer: proven once a verified transaction shows it.
    public var originalTransactionId: TransactionId?
    /// The Apple Account in this app: proven once verified data shows it.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUID: an alias.
    public var appAccountToken: AppAccountToken?
    /// The app's own customer ID: an alias.
    public var customerId: CustomerId?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case originalTransactionId, appTransactionId, appAccountToken, customerId
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

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        originalTransactionId = try container.decodeIfPresent(TransactionId.self, forKey: .originalTransactionId)
        appTransactionId = try container.decodeIfPresent(AppTransactionId.self, forKey: .appTransactionId)
        appAccountToken = try container.decodeIfPresent(AppAccountToken.self, forKey: .appAccountToken)
        customerId = try container.decodeIfPresent(CustomerId.self, forKey: .customerId)
    }

    public var isEmpty: Bool {
        originalTransactionId == nil && appTransactionId == nil && appAccountToken == nil && customerId == nil
    }
}

/// The app's names for the customer, attached to the customer that the signed data proves.
public struct CustomerAliases: Sendable, Hashable, Codable {
    public var appAccountToken: AppAccountToken?
    public var customerId: CustomerId?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case appAccountToken, customerId
    }

    public init(appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil) {
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        appAccountToken = try container.decodeIfPresent(AppAccountToken.self, forKey: .appAccountToken)
        customerId = try container.decodeIfPresent(CustomerId.self, forKey: .customerId)
    }

    package var identifiers: CustomerIdentifiers {
        CustomerIdentifiers(appAccountToken: appAccountToken, customerId: customerId)
    }
}
