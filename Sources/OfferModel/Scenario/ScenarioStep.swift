/// One thing that happened in a scenario.
public enum ScenarioStep: Sendable, Hashable {
    /// The customer obtained the app.
    case appTransaction(AppTransaction)
    /// A free trial of a subscription began.
    case trial(Trial)
    /// A subscription was bought.
    case buy(Buy)
    /// A subscription that ended was bought again.
    case resubscribe(Resubscribe)
    /// An offer was redeemed.
    case redeem(Redeem)
    /// A subscription renewed.
    case renew(Renew)
    /// The payment of a renewal failed.
    case failToRenew(FailToRenew)
    /// A failed payment succeeded after all.
    case recover(AtSubscription)
    /// Auto-renewal was turned off; access stays until the period's end.
    case cancel(AtSubscription)
    /// Auto-renewal was turned on again.
    case enableRenewal(AtSubscription)
    /// A subscription ended.
    case expire(Expire)
    /// A better product was chosen; at once.
    case upgrade(PlanChange)
    /// A lesser product was chosen; with the next renewal.
    case downgrade(PlanChange)
    /// A product of the same level was chosen; at once if it lasts as long, else with the next renewal.
    case crossgrade(PlanChange)
    /// A change that was to come with the next renewal was taken back.
    case keepProduct(AtSubscription)
    /// The developer raised the price.
    case raisePrice(RaisePrice)
    /// The customer consented to the higher price.
    case acceptPrice(AtSubscription)
    /// Apple refunded a transaction.
    case refund(Refund)
    /// Apple took a refund back.
    case reverseRefund(ReverseRefund)
    /// A family member's subscription was shared with the customer.
    case share(Share)
    /// The family member's subscription is shared no longer.
    case revoke(AtSubscription)
    /// The developer asked Apple for a test notification.
    case test(Test)

    /// The step's name in a document.
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

    /// The names of steps.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        /// See ``ScenarioStep/appTransaction(_:)``.
        case appTransaction
        /// See ``ScenarioStep/trial(_:)``.
        case trial
        /// See ``ScenarioStep/buy(_:)``.
        case buy
        /// See ``ScenarioStep/resubscribe(_:)``.
        case resubscribe
        /// See ``ScenarioStep/redeem(_:)``.
        case redeem
        /// See ``ScenarioStep/renew(_:)``.
        case renew
        /// See ``ScenarioStep/failToRenew(_:)``.
        case failToRenew
        /// See ``ScenarioStep/recover(_:)``.
        case recover
        /// See ``ScenarioStep/cancel(_:)``.
        case cancel
        /// See ``ScenarioStep/enableRenewal(_:)``.
        case enableRenewal
        /// See ``ScenarioStep/expire(_:)``.
        case expire
        /// See ``ScenarioStep/upgrade(_:)``.
        case upgrade
        /// See ``ScenarioStep/downgrade(_:)``.
        case downgrade
        /// See ``ScenarioStep/crossgrade(_:)``.
        case crossgrade
        /// See ``ScenarioStep/keepProduct(_:)``.
        case keepProduct
        /// See ``ScenarioStep/raisePrice(_:)``.
        case raisePrice
        /// See ``ScenarioStep/acceptPrice(_:)``.
        case acceptPrice
        /// See ``ScenarioStep/refund(_:)``.
        case refund
        /// See ``ScenarioStep/reverseRefund(_:)``.
        case reverseRefund
        /// See ``ScenarioStep/share(_:)``.
        case share
        /// See ``ScenarioStep/revoke(_:)``.
        case revoke
        /// See ``ScenarioStep/test(_:)``.
        case test
    }
}

extension ScenarioStep {
    /// What happens to a subscription at a moment and needs no more words.
    public struct AtSubscription: Sendable, Hashable {
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// When it happened.
        public var at: ScenarioTime

        /// Such a step by its parts.
        public init(group: SubscriptionGroupId? = nil, at: ScenarioTime) {
            self.group = group
            self.at = at
        }
    }

    /// A notification of the type `TEST`.
    public struct Test: Sendable, Hashable {
        /// When it was sent.
        public var at: ScenarioTime

        /// A test by its moment.
        public init(at: ScenarioTime) {
            self.at = at
        }
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

extension ScenarioStep {
    /// The redemption of an offer.
    public struct Redeem: Sendable, Hashable {
        /// The spellings of Apple's `offerType` in a document.
        public enum OfferKind: String, Sendable, Hashable, CaseIterable {
            /// For the first time in a group.
            case introductory
            /// Signed by the developer.
            case promotional
            /// By a code.
            case offerCode
            /// Apple's, for those who left.
            case winBack

            /// Apple's number.
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

        /// What is paid after the offer.
        public struct RegularTerms: Sendable, Hashable {
            /// How long one payment lasts.
            public var period: Period
            /// What one payment costs.
            public var price: Money

            /// Terms by their parts.
            public init(period: Period, price: Money) {
                self.period = period
                self.price = price
            }
        }

        /// What kind of offer it is.
        public var type: OfferKind
        /// Apple's name of the offer; absent for introductory offers alone.
        public var offerIdentifier: OfferIdentifier?
        /// The group meant; the one of the latest purchase where it is absent.
        public var group: SubscriptionGroupId?
        /// The product; as before where it is absent.
        public var product: ProductId?
        /// When it was redeemed.
        public var at: ScenarioTime
        /// How the offer is paid.
        public var paymentMode: PaymentMode
        /// The length of one of its periods.
        public var period: Period
        /// How many periods it lasts.
        public var periodCount: Int
        /// What is paid; absent for a free trial alone.
        public var price: Money?
        /// What it does to the product of a running subscription; nothing where it is absent.
        public var change: Change?
        /// What is paid after the offer; as before where it is absent.
        public var regular: RegularTerms?

        /// A redemption by its parts.
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
