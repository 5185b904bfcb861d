import OfferEligibility

extension RuleId {
    /// What the rule asks for, where the server's own sentence is not shown.
    var requirement: String {
        switch self {
        case .catalogStatus: "the offer must be active"
        case .catalogSchedule: "the offer must have started and not ended"
        case .catalogEnvironment: "the offer must be meant for this environment"
        case .catalogProduct: "the product must be one of the offer's"
        case .catalogPaused: "the offer must not be paused"
        case .introductoryUnusedInGroup: "no introductory offer may have been used in the group"
        case .introductoryNotSubscribed: "no subscription of the group may be active"
        case .introductoryTransactionKnown: "signed data of the customer must be known"
        case .promotionalEverSubscribed: "the customer must have or have had a subscription of their own"
        case .promotionalNotApplied: "the same offer must be neither pending nor running"
        case .winBackLapsed: "the subscription must have lapsed"
        case .winBackAutoRenewOff: "the subscription must not renew"
        case .winBackOwned: "the lapsed subscription must have been the customer's own"
        case .winBackNoActiveInGroup: "no subscription of the group may be active"
        case .winBackPaidDuration: "the customer must have paid for enough months"
        case .winBackTimeSinceLastSubscribed: "the subscription must have ended within the offer's months"
        case .winBackWaitBetweenOffers: "the last use of the same offer must be long enough ago"
        case .winBackListedByAppStore: "the App Store must list the offer for the customer"
        case .ruleEligibility: "the offer's own condition must hold"
        case .ruleAvailableFor: "the time for which the offer was open must not be over"
        case .rolloutPercent: "the customer must be among those who get the offer"
        case .rolloutHoldout: "the customer must not be held out for comparison"
        case .limitCustomer, .limitCustomerWindow: "the customer must have a place left under the limit"
        case .limitTotal: "the offer must have a place left for everyone together"
        case .limitBudget: "the offer's budget must have enough left"
        case .limitCoolDown: "the rest after the last redemption must be over"
        case .limitExcludes: "no offer that excludes this one may have been issued or redeemed"
        case .limitSignatures: "the issued offer must have a signing left"
        }
    }
}
