/// One thing that happened in a scenario.
public enum ScenarioStep: Sendable, Hashable {
    /// The customer obtained the app.
    case appTransaction(AppTransaction)
    /// A free trial of a subscription began.
    case trial(Trial)
    /// A subscription was bought.
    case buy(Buy)
    /// A subscription renewed.
    case renew(Renew)
    /// Auto-renewal was turned off; access stays until the period's end.
    case cancel(Cancel)
    /// A subscription ended with its period.
    case expire(Expire)

    /// The step's name in a document.
    public var verb: Verb {
        switch self {
        case .appTransaction: .appTransaction
        case .trial: .trial
        case .buy: .buy
        case .renew: .renew
        case .cancel: .cancel
        case .expire: .expire
        }
    }

    /// The names of steps.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        /// See ``ScenarioStep/appTransaction(_:)``.
        case appTransaction
        /// See ``ScenarioStep/trial(_:)``.
        case trial
        /// See ``ScenarioStep/buy(_:)``.
        case buy
        /// See ``ScenarioStep/renew(_:)``.
        case renew
        /// See ``ScenarioStep/cancel(_:)``.
        case cancel
        /// See ``ScenarioStep/expire(_:)``.
        case expire
    }
}

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

    /// Turning auto-renewal off.
    public struct Cancel: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When it was turned off.
        public var at: ScenarioTime

        /// A cancellation by its parts.
        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime) {
            self.group = group
            self.at = at
        }
    }

    /// The end of a subscription.
    public struct Expire: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// Why it ended.
        public var reason: Reason

        /// An end by its parts.
        public init(group: SubscriptionGroupId? = nil, reason: Reason = .customerCancelled) {
            self.group = group
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
