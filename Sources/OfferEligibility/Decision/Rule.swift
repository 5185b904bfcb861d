import OfferModel

/// One condition of an offer: a pure function of the question and of what is known.
protocol Rule: Sendable {
    /// Its stable id.
    var id: RuleId { get }

    /// Whether it has anything to do with that kind of offer; if not, the decision does not mention it.
    func concerns(_ offer: Offer) -> Bool

    /// Its answer with what it saw.
    func finding(_ context: RuleContext) -> Finding
}

extension Rule {
    func concerns(_ offer: Offer) -> Bool { true }

    func satisfied(
        _ message: @autoclosure @escaping @Sendable () -> String, reason: ReasonCode = .holds,
        evidence: [Evidence] = [], until: Instant? = nil
    ) -> Finding {
        Finding(
            rule: id, verdict: .satisfied, reason: reason, sentence: Message(message), evidence: evidence,
            turningPoint: until.map(TurningPoint.at))
    }

    func violated(
        _ reason: ReasonCode, _ message: @autoclosure @escaping @Sendable () -> String, evidence: [Evidence] = [],
        turningPoint: TurningPoint? = nil
    ) -> Finding {
        Finding(
            rule: id, verdict: .violated, reason: reason, sentence: Message(message), evidence: evidence,
            turningPoint: turningPoint)
    }

    /// What is missing also says which event would bring it.
    func undetermined(
        _ reason: ReasonCode, _ message: @autoclosure @escaping @Sendable () -> String, evidence: [Evidence] = []
    ) -> Finding {
        Finding(
            rule: id, verdict: .undetermined, reason: reason, sentence: Message(message), evidence: evidence,
            turningPoint: reason.bringing.map(TurningPoint.event))
    }

    func notApplicable(
        _ message: @autoclosure @escaping @Sendable () -> String, evidence: [Evidence] = []
    ) -> Finding {
        Finding(
            rule: id, verdict: .notApplicable, reason: .notApplicable, sentence: Message(message), evidence: evidence)
    }
}

extension ReasonCode {
    /// The event that brings what is not known; `nil` where nothing but time or the catalog would.
    var bringing: TurningEvent? {
        switch self {
        case .historyIncomplete: .historyCompleted
        case .historyStale, .renewalInfoMissing: .renewalInfoReceived
        case .expiryUnknown, .transactionUnknown, .storefrontUnknown, .appTransactionUnknown, .rolloutKeyUnknown:
            .transactionReceived
        case .signalMissing, .typeMismatch: .signalReceived
        case .attributeMissing: .attributesSet
        case .deviceUnknown, .textUnreadable: .requestChanged
        case .noSubscription, .noAccess: .subscriptionBought
        case .noPurchase: .transactionReceived
        case .noRedemption: .offerRedeemed
        case .accessGoesOn: .subscriptionEnded
        case .nothingPending, .currencyMismatch, .valueUnknown, .introductoryOfferShared: .subscriptionChanged
        case .groupUnknown, .groupMismatch, .factUnknown, .comparisonMalformed, .offerUnknown:
            .catalogChanged
        case .holds, .notApplicable, .offerDraft, .offerArchived, .notStarted, .ended, .environmentExcluded,
            .formatExcluded,
            .productExcluded, .offerPaused, .everyOfferPaused, .introductoryOfferUsed, .activeInGroup,
            .neverSubscribed, .familySharedOnly, .offerPending, .offerRunning, .notLapsed, .autoRenewOn, .paidTooShort,
            .lapsedTooRecently, .lapsedTooLongAgo, .redeemedTooRecently, .notListedByAppStore, .conditionNotMet,
            .limitReached, .signingsUsedUp, .heldOpen, .availabilityEnded, .notInRollout, .heldOut, .coolingDown,
            .excludedByOffer, .usesNotCounted:
            nil
        }
    }

    /// What is not known, in words that follow "because".
    var explanation: String {
        switch self {
        case .historyIncomplete: "the history is not known to be complete"
        case .historyStale: "a renewal was due and no newer renewal info is known"
        case .expiryUnknown: "the latest transaction has no expiry"
        case .groupUnknown: "the catalog does not say which group the product is in"
        case .groupMismatch: "a purchase of one of the group's products names another group or none"
        case .introductoryOfferShared: "the only introductory offer known came through Family Sharing"
        case .transactionUnknown: "nothing signed by Apple is known"
        case .renewalInfoMissing: "no renewal info of the current period says it"
        case .valueUnknown: "Apple sent a value that is not known here"
        case .signalMissing: "the backend did not send it"
        case .typeMismatch: "its type is not that of the value it is compared with"
        case .currencyMismatch: "the amounts are of different currencies"
        case .factUnknown: "the fact is not known here"
        case .comparisonMalformed: "the comparison's values do not fit its operator"
        case .usesNotCounted: "what everyone together has used was not counted"
        case .noSubscription: "there is no subscription in the group"
        case .noAccess: "there is no access"
        case .accessGoesOn: "access goes on"
        case .nothingPending: "no change is pending"
        case .attributeMissing: "it is not set"
        case .deviceUnknown: "the request does not state it"
        case .textUnreadable: "it cannot be read"
        case .noPurchase: "nothing was bought"
        case .noRedemption: "no offer was redeemed"
        case .storefrontUnknown: "no purchase known names its storefront"
        case .appTransactionUnknown: "no app transaction known says when the app was obtained"
        case .offerUnknown: "the catalog does not have the offer and none was issued"
        case .rolloutKeyUnknown: "no identifier of the customer is known to draw by"
        case .holds, .notApplicable, .offerDraft, .offerArchived, .notStarted, .ended, .environmentExcluded,
            .formatExcluded,
            .productExcluded, .offerPaused, .everyOfferPaused, .introductoryOfferUsed, .activeInGroup,
            .neverSubscribed, .familySharedOnly, .offerPending, .offerRunning, .notLapsed, .autoRenewOn, .paidTooShort,
            .lapsedTooRecently, .lapsedTooLongAgo, .redeemedTooRecently, .notListedByAppStore, .conditionNotMet,
            .limitReached, .signingsUsedUp, .heldOpen, .availabilityEnded, .notInRollout, .heldOut, .coolingDown,
            .excludedByOffer:
            rawValue
        }
    }
}
