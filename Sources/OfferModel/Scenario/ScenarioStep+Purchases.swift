extension ScenarioStep {
    /// Obtaining the app.
    public struct AppTransaction: Sendable, Hashable {
        /// When the app was first obtained.
        public var at: ScenarioTime
        /// The version obtained.
        public var appVersion: String

        /// An app transaction by its parts.
        public init(at: ScenarioTime, appVersion: String = "1.0") {
            self.at = at
            self.appVersion = appVersion
        }
    }

    /// The start of a free introductory period.
    public struct Trial: Sendable, Hashable {
        /// The product.
        public var product: ProductId
        /// The product's group.
        public var group: SubscriptionGroupId
        /// When it began.
        public var at: ScenarioTime
        /// How long nothing is paid.
        public var length: Period
        /// The period of a renewal after the trial.
        public var period: Period?
        /// The price of a renewal after the trial.
        public var price: Money?

        /// A trial by its parts.
        public init(
            product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, length: Period, period: Period? = nil,
            price: Money? = nil
        ) {
            self.product = product
            self.group = group
            self.at = at
            self.length = length
            self.period = period
            self.price = price
        }
    }

    /// A purchase at full price.
    public struct Buy: Sendable, Hashable {
        /// The product.
        public var product: ProductId
        /// The product's group.
        public var group: SubscriptionGroupId
        /// When it was bought.
        public var at: ScenarioTime
        /// How long one payment lasts.
        public var period: Period
        /// What one payment costs.
        public var price: Money

        /// A purchase by its parts.
        public init(
            product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, period: Period, price: Money
        ) {
            self.product = product
            self.group = group
            self.at = at
            self.period = period
            self.price = price
        }
    }

    /// A purchase at full price after an end.
    public struct Resubscribe: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When it was bought.
        public var at: ScenarioTime
        /// The product; as before where it is absent.
        public var product: ProductId?
        /// How long one payment lasts; as before where it is absent.
        public var period: Period?
        /// What one payment costs; as before where it is absent.
        public var price: Money?

        /// A purchase by its parts.
        public init(
            group: SubscriptionGroupId? = nil, at: ScenarioTime, product: ProductId? = nil, period: Period? = nil,
            price: Money? = nil
        ) {
            self.group = group
            self.at = at
            self.product = product
            self.period = period
            self.price = price
        }
    }
}
