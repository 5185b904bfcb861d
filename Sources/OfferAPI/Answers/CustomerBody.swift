public import OfferModel

/// `GET /v1/customers`: what is known of everyone the identifiers name.
public struct CustomersBody: Sendable, Hashable, Codable {
    /// One entry a customer.
    public var customers: [KnownCustomerBody]
    /// What the app set for them, by the name after `customer.attributes.`.
    public var attributes: [String: FactValue]
    /// How much of the history is known.
    public var coverage: CoverageBody
    /// The state of every subscription group seen.
    public var subscriptions: [SubscriptionBody]
    /// The current view of the newest transactions, oldest purchase first.
    public var transactions: [TransactionSummaryBody]
    /// How many older transactions are left out; absent if none is.
    public var olderTransactions: Int?
    /// The slots, newest first.
    public var issuedOffers: [IssuedOfferBody]
    /// What happened, newest first.
    public var timeline: [TimelineEntryBody]
    /// Where the timeline goes on; absent at its end.
    public var next: String?

    /// An answer by its parts.
    public init(
        customers: [KnownCustomerBody], attributes: [String: FactValue] = [:], coverage: CoverageBody,
        subscriptions: [SubscriptionBody], transactions: [TransactionSummaryBody], olderTransactions: Int? = nil,
        issuedOffers: [IssuedOfferBody], timeline: [TimelineEntryBody], next: String? = nil
    ) {
        self.customers = customers
        self.attributes = attributes
        self.coverage = coverage
        self.subscriptions = subscriptions
        self.transactions = transactions
        self.olderTransactions = olderTransactions
        self.issuedOffers = issuedOffers
        self.timeline = timeline
        self.next = next
    }
}

/// One customer with everything they are known by.
public struct KnownCustomerBody: Sendable, Hashable, Codable {
    /// Subscriptions.
    public var originalTransactionIds: [TransactionId]
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// The app's account UUIDs.
    public var appAccountTokens: [AppAccountToken]
    /// The app's own names.
    public var customerIds: [CustomerId]
    /// The same one by one, with where each came from.
    public var identifiers: [IdentifierOriginBody]

    /// A customer by its parts.
    public init(
        originalTransactionIds: [TransactionId], appTransactionId: AppTransactionId?,
        appAccountTokens: [AppAccountToken], customerIds: [CustomerId], identifiers: [IdentifierOriginBody]
    ) {
        self.originalTransactionIds = originalTransactionIds
        self.appTransactionId = appTransactionId
        self.appAccountTokens = appAccountTokens
        self.customerIds = customerIds
        self.identifiers = identifiers
    }
}

/// An identifier with where it came from.
public struct IdentifierOriginBody: Sendable, Hashable, Codable {
    /// `originalTransactionId`, `appTransactionId`, `appAccountToken` or `customerId`.
    public var kind: String
    /// The identifier.
    public var value: String
    /// Since when it is known.
    public var since: Instant
    /// How it reached us: with Apple's data, or on the word of the backend or an operator.
    public var provenance: Provenance
    /// The transaction, or of renewal info the subscription, whose data names it.
    public var transactionId: TransactionId?
    /// The request that stated it.
    public var requestId: LowercaseUUID?

    /// An identifier by its parts.
    public init(
        kind: String, value: String, since: Instant, provenance: Provenance,
        transactionId: TransactionId? = nil, requestId: LowercaseUUID? = nil
    ) {
        self.kind = kind
        self.value = value
        self.since = since
        self.provenance = provenance
        self.transactionId = transactionId
        self.requestId = requestId
    }
}

/// How much of a history is known.
public struct CoverageBody: Sendable, Hashable, Codable {
    /// `none`, `partial` or `complete`.
    public var level: String
    /// When a complete history was fetched or stated.
    public var asOf: Instant?
    /// Who said so.
    public var provenance: Provenance?

    /// Coverage by its parts.
    public init(level: String, asOf: Instant?, provenance: Provenance?) {
        self.level = level
        self.asOf = asOf
        self.provenance = provenance
    }
}

/// The state of one subscription group.
public struct SubscriptionBody: Sendable, Hashable, Codable {
    /// The group.
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    /// The state; absent if it cannot be told.
    public var state: SubscriptionStateName?
    /// Why it cannot be told.
    public var undeterminedBecause: String?
    /// Whether the customer has access.
    public var hasAccess: Bool?
    /// Whether it renews.
    public var willAutoRenew: Bool?
    /// The product.
    public var productId: ProductId?
    /// When access ends or ended.
    public var expiresDate: Instant?
    /// Whole days until access ends; absent without access.
    public var daysLeft: Int?
    /// The last moment to cancel without being charged, which may have passed; absent where nothing that cancelling
    /// could avoid is known to be charged.
    public var lastMomentToCancel: Instant?
    /// The transaction that shows it.
    public var transactionId: TransactionId?

    /// A state by its parts.
    public init(
        subscriptionGroupIdentifier: SubscriptionGroupId, state: SubscriptionStateName?, undeterminedBecause: String?,
        hasAccess: Bool?, willAutoRenew: Bool?, productId: ProductId?, expiresDate: Instant?, daysLeft: Int?,
        lastMomentToCancel: Instant?, transactionId: TransactionId?
    ) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.state = state
        self.undeterminedBecause = undeterminedBecause
        self.hasAccess = hasAccess
        self.willAutoRenew = willAutoRenew
        self.productId = productId
        self.expiresDate = expiresDate
        self.daysLeft = daysLeft
        self.lastMomentToCancel = lastMomentToCancel
        self.transactionId = transactionId
    }
}

/// One transaction in short.
public struct TransactionSummaryBody: Sendable, Hashable, Codable {
    /// The transaction.
    public var transactionId: TransactionId
    /// The subscription.
    public var originalTransactionId: TransactionId
    /// What was bought.
    public var productId: ProductId
    /// When.
    public var purchaseDate: Instant
    /// When its period ends.
    public var expiresDate: Instant?
    /// When it was taken back.
    public var revocationDate: Instant?
    /// Apple's number of the applied offer's kind.
    public var offerType: Int?
    /// The applied offer.
    public var offerIdentifier: OfferIdentifier?
    /// What was charged.
    public var price: String?
    /// How it reached us.
    public var provenance: Provenance

    /// A transaction by its parts.
    public init(
        transactionId: TransactionId, originalTransactionId: TransactionId, productId: ProductId,
        purchaseDate: Instant, expiresDate: Instant?, revocationDate: Instant?, offerType: Int?,
        offerIdentifier: OfferIdentifier?, price: String?, provenance: Provenance
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.price = price
        self.provenance = provenance
    }
}

/// One thing that happened.
public struct TimelineEntryBody: Sendable, Hashable, Codable {
    /// When.
    public var at: Instant
    /// What kind of thing; openapi.yaml has the list.
    public var kind: String
    /// The same in a sentence.
    public var message: String

    /// An entry by its parts.
    public init(at: Instant, kind: String, message: String) {
        self.at = at
        self.kind = kind
        self.message = message
    }
}
