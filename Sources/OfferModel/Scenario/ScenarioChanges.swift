extension ScenarioStep {
    /// Another product of the group.
    public struct PlanChange: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When it was chosen.
        public var at: ScenarioTime
        /// The product chosen.
        public var product: ProductId
        /// How long one payment of it lasts.
        public var period: Period
        /// What one payment of it costs.
        public var price: Money

        /// A change by its parts.
        public init(
            group: SubscriptionGroupId? = nil, at: ScenarioTime, product: ProductId, period: Period, price: Money
        ) {
            self.group = group
            self.at = at
            self.product = product
            self.period = period
            self.price = price
        }
    }

    /// A higher price of the next renewals.
    public struct RaisePrice: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When the customer was told.
        public var at: ScenarioTime
        /// The new price.
        public var price: Money
        /// Whether the subscription ends unless the customer consents.
        public var needsConsent: Bool

        /// A price increase by its parts.
        public init(
            group: SubscriptionGroupId? = nil, at: ScenarioTime, price: Money, needsConsent: Bool = true
        ) {
            self.group = group
            self.at = at
            self.price = price
            self.needsConsent = needsConsent
        }
    }
}

extension ScenarioStep {
    /// A refund of one transaction.
    public struct Refund: Sendable, Hashable {
        /// The spellings of Apple's `revocationReason` in a document.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            /// Something was wrong with the app.
            case appIssue
            /// Another reason.
            case other

            /// Apple's number.
            public var number: Int {
                switch self {
                case .appIssue: 1
                case .other: 0
                }
            }
        }

        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When Apple refunded it.
        public var at: ScenarioTime
        /// Which transaction of the subscription, from 1; the latest where it is absent.
        public var transaction: Int?
        /// How much of the price, from 1 to 100; 100 is a full refund.
        public var percent: Int
        /// Why.
        public var reason: Reason

        /// A refund by its parts.
        public init(
            group: SubscriptionGroupId? = nil, at: ScenarioTime, transaction: Int? = nil, percent: Int = 100,
            reason: Reason = .other
        ) {
            self.group = group
            self.at = at
            self.transaction = transaction
            self.percent = percent
            self.reason = reason
        }
    }

    /// The end of a refund.
    public struct ReverseRefund: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When Apple took it back.
        public var at: ScenarioTime
        /// Which transaction of the subscription, from 1; the latest where it is absent.
        public var transaction: Int?

        /// A reversal by its parts.
        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime, transaction: Int? = nil) {
            self.group = group
            self.at = at
            self.transaction = transaction
        }
    }

    /// Access through Family Sharing.
    public struct Share: Sendable, Hashable {
        /// The product.
        public var product: ProductId
        /// The product's group.
        public var group: SubscriptionGroupId
        /// When access began.
        public var at: ScenarioTime
        /// How long one payment of the family member lasts.
        public var period: Period

        /// Shared access by its parts.
        public init(product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, period: Period) {
            self.product = product
            self.group = group
            self.at = at
            self.period = period
        }
    }
}
