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
