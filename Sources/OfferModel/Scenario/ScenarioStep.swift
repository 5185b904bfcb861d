/// One thing that happened. Where a step may leave out its group, it means the latest one.
public enum ScenarioStep: Sendable, Hashable {
    case appTransaction(at: ScenarioTime, appVersion: String = "1.0")
    /// Nothing is paid for the `length`; the period and the price are those of a renewal after it.
    case trial(
        product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, length: Period, period: Period? = nil,
        price: Money? = nil)
    case buy(product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, period: Period, price: Money)
    /// A purchase at full price after an end; what is absent is as before.
    case resubscribe(
        group: SubscriptionGroupId? = nil, at: ScenarioTime, product: ProductId? = nil, period: Period? = nil,
        price: Money? = nil)
    case redeem(Redeem)
    /// At the end of the period before unless a time is given, for as long and at the price as before.
    case renew(
        group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, period: Period? = nil, price: Money? = nil,
        times: Int = 1)
    /// At the end of the period unless a time is given; access continues for the `grace`, if there is any.
    case failToRenew(group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, grace: Period? = nil)
    case recover(group: SubscriptionGroupId? = nil, at: ScenarioTime)
    /// Auto-renewal was turned off; access stays until the period's end.
    case cancel(group: SubscriptionGroupId? = nil, at: ScenarioTime)
    case enableRenewal(group: SubscriptionGroupId? = nil, at: ScenarioTime)
    /// Apple gave up charging, 60 days after the end of the period unless a time is given. A subscription whose payment
    /// did not fail ends with its period, and has no time. Without a reason the steps before say it: a failed payment,
    /// a price increase without consent, else the customer's will.
    case expire(group: SubscriptionGroupId? = nil, at: ScenarioTime? = nil, reason: ExpirationIntent? = nil)
    /// A better product was chosen; at once.
    case upgrade(PlanChange)
    /// A lesser product was chosen; with the next renewal.
    case downgrade(PlanChange)
    /// A product of the same level was chosen; at once if it lasts as long, else with the next renewal.
    case crossgrade(PlanChange)
    /// A change that was to come with the next renewal was taken back.
    case keepProduct(group: SubscriptionGroupId? = nil, at: ScenarioTime)
    /// With `needsConsent` the subscription ends unless the customer consents.
    case raisePrice(group: SubscriptionGroupId? = nil, at: ScenarioTime, price: Money, needsConsent: Bool = true)
    case acceptPrice(group: SubscriptionGroupId? = nil, at: ScenarioTime)
    /// Of the subscription's transaction with that number, from 1, or of the latest; 100 percent are a full refund.
    case refund(
        group: SubscriptionGroupId? = nil, at: ScenarioTime, transaction: Int? = nil, percent: Int = 100,
        reason: RefundReason = .other)
    case reverseRefund(group: SubscriptionGroupId? = nil, at: ScenarioTime, transaction: Int? = nil)
    /// The period is that of one payment of the family member.
    case share(product: ProductId, group: SubscriptionGroupId, at: ScenarioTime, period: Period)
    case revoke(group: SubscriptionGroupId? = nil, at: ScenarioTime)
    case test(at: ScenarioTime)

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

    /// The spellings of Apple's `revocationReason` in a document.
    public enum RefundReason: String, Sendable, Hashable, CaseIterable {
        case appIssue, other

        public var number: Int { self == .appIssue ? 1 : 0 }
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
        /// The price; absent for a free trial alone.
        public var price: Money?
        /// Its effect on the product of a running subscription; none if absent.
        public var change: Change?
        /// The price after the offer; as before if absent.
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
}
