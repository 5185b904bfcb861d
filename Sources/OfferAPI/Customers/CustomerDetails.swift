public import OfferModel

/// `GET /v1/customers`: everything known about the customers the identifiers name.
package struct CustomerDetails: WireObject {
    package var customers: [KnownIdentifiers] = []
    /// What the app set for them, by the name after `customer.attributes.`.
    package var attributes: [String: FactValue] = [:]
    package var coverage = Coverage.none
    package var subscriptions: [SubscriptionSummary] = []
    /// The current view of the newest transactions, oldest purchase first.
    package var transactions: [TransactionSummary] = []
    /// How many older transactions are left out; absent if none is.
    package var olderTransactions: Int?
    /// Newest first.
    package var issuedOffers: [IssuedOfferView] = []
    /// What support has granted, newest first; absent if nothing.
    package var grants: [GrantView]?
    /// Newest first.
    package var timeline: [TimelineEntry] = []
    /// The cursor of the next page; absent on the last.
    package var next: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("attributes", &attributes)
        members.required("coverage", &coverage)
        members.required("customers", &customers)
        members.optional("grants", &grants)
        members.required("issuedOffers", &issuedOffers)
        members.optional("next", &next)
        members.optional("olderTransactions", &olderTransactions)
        members.required("subscriptions", &subscriptions)
        members.required("timeline", &timeline)
        members.required("transactions", &transactions)
    }
}

/// An identifier with where it came from.
package struct IdentifierOrigin: WireObject {
    /// `originalTransactionId`, `appTransactionId`, `appAccountToken` or `customerId`.
    package var kind = ""
    package var value = ""
    package var since: Instant = .blank
    /// Whether it came with Apple's data or was stated by the backend or an operator.
    package var provenance: Provenance = .client
    /// The transaction, or for renewal info the subscription, whose data names it.
    package var transactionId: TransactionId?
    /// The request that stated it.
    package var requestId: LowercaseUUID?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("kind", &kind)
        members.required("provenance", &provenance)
        members.optional("requestId", &requestId)
        members.required("since", &since)
        members.optional("transactionId", &transactionId)
        members.required("value", &value)
    }
}

extension Coverage: WireObject {
    public init() { self = .none }

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("asOf", &asOf)
        members.required("level", &level)
        members.optional("provenance", &provenance)
    }
}

extension Coverage.Level: WireWord {}

package struct SubscriptionSummary: WireObject {
    package var subscriptionGroupIdentifier: SubscriptionGroupId = ""
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

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("daysLeft", &daysLeft)
        members.optional("expiresDate", &expiresDate)
        members.optional("hasAccess", &hasAccess)
        members.optional("lastMomentToCancel", &lastMomentToCancel)
        members.optional("productId", &productId)
        members.optional("state", &state)
        members.required("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        members.optional("transactionId", &transactionId)
        members.optional("undeterminedBecause", &undeterminedBecause)
        members.optional("willAutoRenew", &willAutoRenew)
    }
}

package struct TransactionSummary: WireObject {
    package var transactionId: TransactionId = ""
    package var originalTransactionId: TransactionId = ""
    package var productId: ProductId = ""
    package var purchaseDate: Instant = .blank
    package var expiresDate: Instant?
    package var revocationDate: Instant?
    /// Apple's number of the applied offer's kind.
    package var offerType: Int?
    package var offerIdentifier: OfferIdentifier?
    /// What was charged, where Apple says.
    package var price: String?
    package var provenance: Provenance = .client

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("expiresDate", &expiresDate)
        members.optional("offerIdentifier", &offerIdentifier)
        members.optional("offerType", &offerType)
        members.required("originalTransactionId", &originalTransactionId)
        members.optional("price", &price)
        members.required("productId", &productId)
        members.required("provenance", &provenance)
        members.required("purchaseDate", &purchaseDate)
        members.optional("revocationDate", &revocationDate)
        members.required("transactionId", &transactionId)
    }

    package init(_ transaction: Transaction, provenance: Provenance) {
        transactionId = transaction.transactionId
        originalTransactionId = transaction.originalTransactionId
        productId = transaction.productId
        purchaseDate = transaction.purchaseDate
        expiresDate = transaction.expiresDate
        revocationDate = transaction.revocationDate
        offerType = transaction.offerType?.rawValue
        offerIdentifier = transaction.offerIdentifier
        if let price = transaction.price, let currency = transaction.currency {
            self.price = Money(milliunits: price, currency: currency).description
        }
        self.provenance = provenance
    }
}

/// One thing that happened to a customer, in a sentence for staff.
package struct TimelineEntry: WireObject {
    package enum Kind: String, Sendable, CaseIterable {
        case purchased, renewed, shared, expired, revoked, refundReversed, cancelled, resumed, productChange,
            paymentFailed
        /// Seats of a multiseat plan were added or refunded, or another number will be renewed.
        case seats
        case notified, issued, redeemed, refused
        /// An offer was signed, and the customer bought without it right after.
        case boughtAtFullPrice
        case voided, merged
        /// Support made a grant, or revoked one.
        case granted, grantRevoked
    }

    package var at: Instant = .blank
    package var kind = ""
    package var message = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("at", &at)
        members.required("kind", &kind)
        members.required("message", &message)
    }

    package init(_ kind: Kind, at: Instant, _ message: String) {
        self.at = at
        self.kind = kind.rawValue
        self.message = message
    }
}
