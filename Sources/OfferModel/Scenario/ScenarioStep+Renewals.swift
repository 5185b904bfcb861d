extension ScenarioStep {
    /// One or more renewals.
    public struct Renew: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When it renewed; at the end of the period before where it is absent.
        public var at: ScenarioTime?
        /// How long one payment lasts; as before where it is absent.
        public var period: Period?
        /// What one payment costs; as before where it is absent.
        public var price: Money?
        /// How many renewals follow each other.
        public var times: Int

        /// Renewals by their parts.
        public init(
            group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, period: Period? = nil, price: Money? = nil,
            times: Int = 1
        ) {
            self.group = group
            self.at = at
            self.period = period
            self.price = price
            self.times = times
        }
    }

    /// A payment that failed at a renewal.
    public struct FailToRenew: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When it failed; at the end of the period where it is absent.
        public var at: ScenarioTime?
        /// How long access goes on after the end of the period; not at all where it is absent.
        public var grace: Period?

        /// A failure by its parts.
        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, grace: Period? = nil) {
            self.group = group
            self.at = at
            self.grace = grace
        }
    }

    /// The end of a subscription.
    public struct Expire: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When Apple gave up charging; 60 days after the end of the period where it is absent. A subscription whose
        /// payment did not fail ends with its period, and has none.
        public var at: ScenarioTime?
        /// Why it ended; where it is absent, what the steps before say: a failed payment, a price increase without
        /// consent, else the customer's will.
        public var reason: Reason?

        /// An end by its parts.
        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, reason: Reason? = nil) {
            self.group = group
            self.at = at
            self.reason = reason
        }

        /// The spellings of Apple's `expirationIntent` in a document.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            /// The customer turned renewal off.
            case customerCancelled
            /// The payment failed for good.
            case billingError
            /// The customer did not consent to a price increase.
            case priceIncreaseNotConsented
            /// The product was not for sale.
            case productNotAvailable
            /// Another reason.
            case other

            /// Apple's number.
            public var expirationIntent: ExpirationIntent {
                switch self {
                case .customerCancelled: .customerCancelled
                case .billingError: .billingError
                case .priceIncreaseNotConsented: .priceIncreaseNotConsented
                case .productNotAvailable: .productNotAvailable
                case .other: .other
                }
            }
        }
    }
}
