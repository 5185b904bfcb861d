package import OfferModel

/// `GET /v1/customers`: everything known about the customers the identifiers name.
package struct CustomersBody: Sendable, Hashable, Codable {
    /// One entry per customer.
    package var customers: [KnownCustomerBody]
    /// What the app set for them, by the name after `customer.attributes.`.
    package var attributes: [String: FactValue]
    package var coverage: CoverageBody
    package var subscriptions: [SubscriptionBody]
    /// The current view of the newest transactions, oldest purchase first.
    package var transactions: [TransactionSummaryBody]
    /// How many older transactions are left out; absent if none is.
    package var olderTransactions: Int?
    /// Newest first.
    package var issuedOffers: [IssuedOfferBody]
    /// Newest first.
    package var timeline: [TimelineEntryBody]
    /// The cursor of the next page; absent on the last.
    package var next: String?

    package init(
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

/// One customer with every known identifier.
package struct KnownCustomerBody: Sendable, Hashable, Codable {
    package var originalTransactionIds: [TransactionId]
    package var appTransactionId: AppTransactionId?
    package var appAccountTokens: [AppAccountToken]
    package var customerIds: [CustomerId]
    /// The same one by one, with where each came from.
    package var identifiers: [IdentifierOriginBody]

    package init(
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
package struct IdentifierOriginBody: Sendable, Hashable, Codable {
    /// `originalTransactionId`, `appTransactionId`, `appAccountToken` or `customerId`.
    package var kind: String
    package var value: String
    package var since: Instant
    /// Whether it came with Apple's data or was stated by the backend or an operator.
    package var provenance: Provenance
    /// The transaction, or for renewal info the subscription, whose data names it.
    package var transactionId: TransactionId?
    /// The request that stated it.
    package var requestId: LowercaseUUID?

    package init(
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
package struct CoverageBody: Sendable, Hashable, Codable {
    /// `none`, `partial` or `complete`.
    package var level: String
    /// When the complete history was fetched or stated.
    package var asOf: Instant?
    package var provenance: Provenance?

    package init(level: String, asOf: Instant?, provenance: Provenance?) {
        self.level = level
        self.asOf = asOf
        self.provenance = provenance
    }
}

/// The state of one subscription group.
package struct SubscriptionBody: Sendable, Hashable, Codable {
    package var subscriptionGroupIdentifier: SubscriptionGroupId
    /// Absent if it cannot be determined.
    package var state: SubscriptionStateName?
    package var undeterminedBecause: String?
    package var hasAccess: Bool?
    package var willAutoRenew: Bool?
    package var productId: ProductId?
    package var expiresDate: Instant?
    /// Whole days until access ends; absent without access.
    package var daysLeft: Int?
    /// The last moment to cancel without being charged, which may have passed; absent where nothing that cancelling
    /// could avoid is known to be charged.
    package var lastMomentToCancel: Instant?
    package var transactionId: TransactionId?

    package init(
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
package struct TransactionSummaryBody: Sendable, Hashable, Codable {
    package var transactionId: TransactionId
    package var originalTransactionId: TransactionId
    package var productId: ProductId
    package var purchaseDate: Instant
    package var expiresDate: Instant?
    package var revocationDate: Instant?
    /// Apple's number of the applied offer's kind.
    package var offerType: Int?
    package var offerIdentifier: OfferIdentifier?
    package var price: String?
    package var provenance: Provenance

    package init(
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
package struct TimelineEntryBody: Sendable, Hashable, Codable {
    package var at: Instant
    /// One of the list in openapi.yaml.
    package var kind: String
    package var message: String

    package init(at: Instant, kind: String, message: String) {
        self.at = at
        self.kind = kind
        self.message = message
    }
}
