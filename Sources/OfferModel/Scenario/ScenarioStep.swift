public enum ScenarioStep: Sendable, Hashable {
    case appTransaction(AppTransaction)
    case trial(Trial)
    case buy(Buy)
    case resubscribe(Resubscribe)
    case redeem(Redeem)
    case renew(Renew)
    case failToRenew(FailToRenew)
    case recover(AtSubscription)
    /// Auto-renewal was turned off; access stays until the period's end.
    case cancel(AtSubscription)
    case enableRenewal(AtSubscription)
    case expire(Expire)
    /// A better product was chosen; at once.
    case upgrade(PlanChange)
    /// A lesser product was chosen; with the next renewal.
    case downgrade(PlanChange)
    /// A product of the same level was chosen; at once if it lasts as long, else with the next renewal.
    case crossgrade(PlanChange)
    /// A change that was to come with the next renewal was taken back.
    case keepProduct(AtSubscription)
    case raisePrice(RaisePrice)
    case acceptPrice(AtSubscription)
    case refund(Refund)
    case reverseRefund(ReverseRefund)
    case share(Share)
    case revoke(AtSubscription)
    case test(Test)

    public var verb: Verb {
        switch self {
        case .appTransaction: .appTransaction
        case .trial: .trial
        case .buy: .buy
        case .resubscribe: .resubscribe
        case .redeem: .redeem
        case .renew: .renew
        case .failToRenew: .failToRenew
        case .recover: .recover
        case .cancel: .cancel
        case .enableRenewal: .enableRenewal
        case .expire: .expire
        case .upgrade: .upgrade
        case .downgrade: .downgrade
        case .crossgrade: .crossgrade
        case .keepProduct: .keepProduct
        case .raisePrice: .raisePrice
        case .acceptPrice: .acceptPrice
        case .refund: .refund
        case .reverseRefund: .reverseRefund
        case .share: .share
        case .revoke: .revoke
        case .test: .test
        }
    }

    public enum Verb: String, Sendable, Hashable, CaseIterable {
        case appTransaction, trial, buy, resubscribe, redeem, renew, failToRenew, recover, cancel,
            enableRenewal, expire, upgrade, downgrade, crossgrade, keepProduct, raisePrice, acceptPrice,
            refund, reverseRefund, share, revoke, test
    }

    /// What happens to a subscription at a moment and needs no more words.
    public struct AtSubscription: Sendable, Hashable {
        public var group: SubscriptionGroupId?
        public var at: ScenarioTime

        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime) {
            self.group = group
            self.at = at
        }
    }

    public struct Test: Sendable, Hashable {
        public var at: ScenarioTime

        public init(at: ScenarioTime) {
            self.at = at
        }
    }

    public struct AppTransaction: Sendable, Hashable {
        public var at: ScenarioTime
        public var appVersion: String

        public init(at: ScenarioTime, appVersion: String = "1.0") {
            self.at = at
            self.appVersion = appVersion
        }
    }

    public struct Trial: Sendable, Hashable {
        public var product: ProductId
        public var group: SubscriptionGroupId
        public var at: ScenarioTime
        /// How long nothing is paid.
        public var length: Period
        /// The period of a renewal after the trial.
        public var period: Period?
        public var price: Money?

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

    public struct Buy: Sendable, Hashable {
        public var product: ProductId
        public var group: SubscriptionGroupId
        public var at: ScenarioTime
        public var period: Period
        public var price: Money

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
        public var group: SubscriptionGroupId?
        public var at: ScenarioTime
        /// The product; as before where it is absent.
        public var product: ProductId?
        /// How long one payment lasts; as before where it is absent.
        public var period: Period?
        public var price: Money?

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

    public struct Redeem: Sendable, Hashable {
        /// The spellings of Apple's `offerType` in a document.
        public enum OfferKind: String, Sendable, Hashable, CaseIterable {
            case introductory, promotional, offerCode, winBack

            public var offerType: TransactionOfferType {
                switch self {
                case .introductory: .introductory
                case .promotional: .promotional
                case .offerCode: .offerCode
                case .winBack: .winBack
                }
            }
        }

        /// How a redemption changes the product of a running subscription.
        public enum Change: String, Sendable, Hashable, CaseIterable {
            /// A better product, at once.
            case upgrade
            /// A lesser product, with the next renewal.
            case downgrade
        }

        public struct RegularTerms: Sendable, Hashable {
            public var period: Period
            public var price: Money

            public init(period: Period, price: Money) {
                self.period = period
                self.price = price
            }
        }

        public var type: OfferKind
        /// Apple's name of the offer; absent for introductory offers alone.
        public var offerIdentifier: OfferIdentifier?
        public var group: SubscriptionGroupId?
        /// The product; as before where it is absent.
        public var product: ProductId?
        public var at: ScenarioTime
        public var paymentMode: PaymentMode
        public var period: Period
        public var periodCount: Int
        /// What is paid; absent for a free trial alone.
        public var price: Money?
        /// What it does to the product of a running subscription; nothing where it is absent.
        public var change: Change?
        /// What is paid after the offer; as before where it is absent.
        public var regular: RegularTerms?

        public init(
            type: OfferKind, offerIdentifier: OfferIdentifier? = nil, group: SubscriptionGroupId? = nil,
            product: ProductId? = nil, at: ScenarioTime, paymentMode: PaymentMode, period: Period,
            periodCount: Int = 1, price: Money? = nil, change: Change? = nil, regular: RegularTerms? = nil
        ) {
            self.type = type
            self.offerIdentifier = offerIdentifier
            self.group = group
            self.product = product
            self.at = at
            self.paymentMode = paymentMode
            self.period = period
            self.periodCount = periodCount
            self.price = price
            self.change = change
            self.regular = regular
        }
    }

    public struct Renew: Sendable, Hashable {
        public var group: SubscriptionGroupId?
        /// When it renewed; at the end of the period before where it is absent.
        public var at: ScenarioTime?
        /// How long one payment lasts; as before where it is absent.
        public var period: Period?
        public var price: Money?
        public var times: Int

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

    public struct FailToRenew: Sendable, Hashable {
        public var group: SubscriptionGroupId?
        /// When it failed; at the end of the period where it is absent.
        public var at: ScenarioTime?
        /// How long access goes on after the end of the period; not at all where it is absent.
        public var grace: Period?

        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, grace: Period? = nil) {
            self.group = group
            self.at = at
            self.grace = grace
        }
    }

    public struct Expire: Sendable, Hashable {
        public typealias Reason = ExpirationReason

        public var group: SubscriptionGroupId?
        /// When Apple gave up charging; 60 days after the end of the period where it is absent. A subscription whose
        /// payment did not fail ends with its period, and has none.
        public var at: ScenarioTime?
        /// Why it ended; where it is absent, what the steps before say: a failed payment, a price increase without
        /// consent, else the customer's will.
        public var reason: Reason?

        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, reason: Reason? = nil) {
            self.group = group
            self.at = at
            self.reason = reason
        }
    }
}
