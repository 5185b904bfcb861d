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
