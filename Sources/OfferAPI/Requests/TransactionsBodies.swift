public import OfferModel

/// `POST /v1/transactions`.
public struct TransactionsRequestBody: Sendable, Hashable, Codable {
    /// Transactions as compact JWS.
    public var signedTransactions: [String]
    /// Renewal info as compact JWS.
    public var signedRenewalInfo: [String]?
    /// The app transaction as compact JWS.
    public var signedAppTransaction: String?
    /// Whether the backend vouches that nothing is missing.
    public var historyComplete: Bool?
    /// The customer's own names.
    public var customer: CustomerAliases?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case signedTransactions
        case signedRenewalInfo
        case signedAppTransaction
        case historyComplete
        case customer
    }

    /// A request with what every one has; callers set the rest.
    public init(signedTransactions: [String]) {
        self.signedTransactions = signedTransactions
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        signedTransactions = try container.decode([String].self, forKey: .signedTransactions)
        signedRenewalInfo = try container.decodeIfPresent([String].self, forKey: .signedRenewalInfo)
        signedAppTransaction = try container.decodeIfPresent(String.self, forKey: .signedAppTransaction)
        historyComplete = try container.decodeIfPresent(Bool.self, forKey: .historyComplete)
        customer = try container.decodeIfPresent(CustomerAliases.self, forKey: .customer)
    }
}

/// What became of the signed data.
public struct TransactionsBody: Sendable, Hashable, Codable {
    /// The customers it belongs to, as far as proven.
    public var customers: [CustomerIdentifiersBody]
    /// One result a JWS, in the order of the request.
    public var results: [IngestResultBody]

    /// An answer by its parts.
    public init(customers: [CustomerIdentifiersBody], results: [IngestResultBody]) {
        self.customers = customers
        self.results = results
    }
}

/// The identifiers of one customer.
public struct CustomerIdentifiersBody: Sendable, Hashable, Codable {
    /// Subscriptions.
    public var originalTransactionIds: [TransactionId]
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUIDs.
    public var appAccountTokens: [AppAccountToken]
    /// The app's own names.
    public var customerIds: [CustomerId]

    /// Identifiers by their kinds.
    public init(
        originalTransactionIds: [TransactionId], appTransactionId: AppTransactionId?,
        appAccountTokens: [AppAccountToken], customerIds: [CustomerId]
    ) {
        self.originalTransactionIds = originalTransactionIds
        self.appTransactionId = appTransactionId
        self.appAccountTokens = appAccountTokens
        self.customerIds = customerIds
    }
}

/// What became of one JWS.
public struct IngestResultBody: Sendable, Hashable, Codable {
    /// Where it stands in the request, as a JSON pointer.
    public var pointer: String
    /// `added`, `updated`, `unchanged` or `refused`.
    public var outcome: IngestOutcome
    /// Why it was refused.
    public var code: String?
    /// The same in words.
    public var detail: String?

    /// A result by its parts.
    public init(pointer: String, outcome: IngestOutcome, code: String? = nil, detail: String? = nil) {
        self.pointer = pointer
        self.outcome = outcome
        self.code = code
        self.detail = detail
    }
}
