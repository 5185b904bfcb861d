extension ScenarioStep {
    public struct PlanChange: Sendable, Hashable {
        public var group: SubscriptionGroupId?
        public var at: ScenarioTime
        public var product: ProductId
        public var period: Period
        public var price: Money

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

    public struct RaisePrice: Sendable, Hashable {
        public var group: SubscriptionGroupId?
        public var at: ScenarioTime
        public var price: Money
        /// Whether the subscription ends unless the customer consents.
        public var needsConsent: Bool

        public init(
            group: SubscriptionGroupId? = nil, at: ScenarioTime, price: Money, needsConsent: Bool = true
        ) {
            self.group = group
            self.at = at
            self.price = price
            self.needsConsent = needsConsent
        }
    }

    public struct Refund: Sendable, Hashable {
        /// The spellings of Apple's `revocationReason` in a document.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            case appIssue, other

            public var number: Int {
                switch self {
                case .appIssue: 1
                case .other: 0
                }
            }
        }

        public var group: SubscriptionGroupId?
        public var at: ScenarioTime
        /// Which transaction of the subscription, from 1; the latest where it is absent.
        public var transaction: Int?
        /// How much of the price, from 1 to 100; 100 is a full refund.
        public var percent: Int
        public var reason: Reason

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

    public struct ReverseRefund: Sendable, Hashable {
        public var group: SubscriptionGroupId?
        public var at: ScenarioTime
        /// Which transaction of the subscription, from 1; the latest where it is absent.
        public var transaction: Int?

        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime, transaction: Int? = nil) {
            self.group = group
            self.at = at
            self.transaction = transaction
        }
    }

    public struct Share: Sendable, Hashable {
        public var product: ProductId
        public var group: SubscriptionGroupId
        public var at: ScenarioTime
        /// How long one payment of the family member lasts.
        public var period: Period

        public init(product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, period: Period) {
            self.product = product
            self.group = group
            self.at = at
            self.period = period
        }
    }
}
