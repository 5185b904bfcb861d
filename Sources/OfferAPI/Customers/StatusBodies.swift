package import OfferModel

/// `POST /v1/customers/status`: whose status is asked for.
package struct StatusRequestBody: WireRequest {
    /// Absent if signed data alone names the customer.
    package var customers: [CustomerIdentifiers]?
    package var delivery = SignedDelivery()

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("customers", &customers)
        members.signedData(&delivery)
    }
}

/// The answer: the status of each customer, in the order asked.
package struct StatusBody: WireObject {
    package var ignored: [IgnoredData]?
    package var items: [CustomerStatus] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("ignored", &ignored)
        members.required("items", &items)
    }

    package init(_ items: [CustomerStatus], ignored: [IgnoredData]? = nil) {
        (self.items, self.ignored) = (items, ignored)
    }
}

/// What a backend needs to know of a customer: access, until when, and what changes next.
package struct CustomerStatus: WireObject {
    /// As the request names the customer; after `POST /v1/transactions` an identifier of theirs.
    package var customer = CustomerIdentifiers()
    /// How many Apple Accounts carry the alias that names the customer, where it is more than one: the rest is what any
    /// of them has.
    package var appleAccounts: Int?
    /// Why there is no status; then nothing else says anything of the customer.
    package var error: StatusError?
    package var known = false
    package var coverage = Coverage.none
    /// One per subscription group in which the customer has a subscription.
    package var groups: [GroupStatus] = []
    /// Products outside subscription groups.
    package var products: [ProductStatus] = []
    /// Whether any group gives access.
    package var hasAccess = false
    package var asOf: Instant = .blank

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("appleAccounts", &appleAccounts)
        members.required("asOf", &asOf)
        members.required("coverage", &coverage)
        members.required("customer", &customer)
        members.optional("error", &error)
        members.required("groups", &groups)
        members.required("hasAccess", &hasAccess)
        members.required("known", &known)
        members.required("products", &products)
    }
}

/// Why one customer of a batch has no status.
package struct StatusError: WireObject {
    package var code: ProblemCode = .internal
    package var detail = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("code", &code)
        members.required("detail", &detail)
    }
}

package struct GroupStatus: WireObject {
    package var subscriptionGroupIdentifier: SubscriptionGroupId = ""
    /// False also where the state is undetermined.
    package var hasAccess = false
    /// A ``SubscriptionStateName``, or `undetermined`.
    package var state = ""
    package var productId: ProductId?
    package var originalTransactionId: TransactionId?
    /// When the subscription was first bought.
    package var startedAt: Instant?
    /// When the current period was bought.
    package var purchasedAt: Instant?
    /// When the current period ends; grace is no part of it.
    package var expiresAt: Instant?
    package var gracePeriodExpiresAt: Instant?
    /// Whether an introductory offer is running.
    package var isTrial: Bool?
    /// Whether an introductory offer is running that costs nothing, as the fact `subscription.isInTrial`.
    package var isFreeTrial: Bool?
    /// Of the newest introductory offer in the group, also when it is over.
    package var trialStartedAt: Instant?
    package var trialEndsAt: Instant?
    package var willAutoRenew: Bool?
    /// When Apple signed what says how it renews.
    package var renewalInfoSignedAt: Instant?
    /// The product that the next renewal changes to.
    package var pendingProductId: ProductId?
    package var renewalPrice: Price?
    /// The last moment to cancel without being charged; may be past.
    package var cancelBy: Instant?
    /// Whole days until access ends, rounded down.
    package var daysLeft: Int?
    /// What changes next by itself.
    package var nextChange: TurningPointBody?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("cancelBy", &cancelBy)
        members.optional("daysLeft", &daysLeft)
        members.optional("expiresAt", &expiresAt)
        members.optional("gracePeriodExpiresAt", &gracePeriodExpiresAt)
        members.required("hasAccess", &hasAccess)
        members.optional("isFreeTrial", &isFreeTrial)
        members.optional("isTrial", &isTrial)
        members.optional("nextChange", &nextChange)
        members.optional("originalTransactionId", &originalTransactionId)
        members.optional("pendingProductId", &pendingProductId)
        members.optional("productId", &productId)
        members.optional("purchasedAt", &purchasedAt)
        members.optional("renewalInfoSignedAt", &renewalInfoSignedAt)
        members.optional("renewalPrice", &renewalPrice)
        members.optional("startedAt", &startedAt)
        members.required("state", &state)
        members.required("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        members.optional("trialEndsAt", &trialEndsAt)
        members.optional("trialStartedAt", &trialStartedAt)
        members.optional("willAutoRenew", &willAutoRenew)
    }
}

/// An amount of money as documents and facts write it.
package struct Price: WireObject {
    /// A decimal, such as `9.99`.
    package var amount = ""
    package var currency = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("amount", &amount)
        members.required("currency", &currency)
    }

    package init(_ money: Money) {
        amount = money.amount
        currency = money.currency
    }
}

/// A product outside subscription groups.
package struct ProductStatus: WireObject {
    package var productId: ProductId = ""
    package var type = ""
    package var owned = false
    package var purchasedAt: Instant?
    package var revokedAt: Instant?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("owned", &owned)
        members.required("productId", &productId)
        members.optional("purchasedAt", &purchasedAt)
        members.optional("revokedAt", &revokedAt)
        members.required("type", &type)
    }
}
