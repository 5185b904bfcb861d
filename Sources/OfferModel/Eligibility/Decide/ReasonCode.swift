/// Why a rule answered as it did: a closed list, the same in code, `openapi.yaml` and docs.
///
/// The rules' authors extend it; a code once released keeps its meaning.
public enum ReasonCode: String, Sendable, Hashable, CaseIterable, Codable {
    case holds
    case notApplicable
    /// The condition held before, and the offer is still open to the customer.
    case heldOpen

    // What is not known.

    case historyIncomplete
    /// A renewal is due and the known data is older.
    case historyStale
    /// The transaction that decides has no expiry, or its grace period no end.
    case expiryUnknown
    case groupUnknown
    /// A purchase of one of the group's products names another group or none.
    case groupMismatch
    case introductoryOfferShared
    case transactionUnknown
    /// No renewal info of the current period says it.
    case renewalInfoMissing
    case valueUnknown
    case signalMissing
    case typeMismatch
    case currencyMismatch
    case factUnknown
    /// The comparison has the wrong number of values, or one that cannot be compared.
    case comparisonMalformed
    /// How much everyone together has used of the offer was not counted.
    case usesNotCounted
    case noSubscription
    case noAccess
    case accessGoesOn
    case nothingPending
    case attributeMissing
    case deviceUnknown
    case textUnreadable
    case noPurchase
    case noRedemption
    case storefrontUnknown
    case appTransactionUnknown
    case offerUnknown
    case rolloutKeyUnknown

    // What does not hold.

    case offerDraft
    case offerArchived
    case notStarted
    case ended
    case environmentExcluded
    case formatExcluded
    case productExcluded
    case offerPaused
    case everyOfferPaused
    /// The database was restored, and uses since the copy may be missing.
    case restoredRecently
    case introductoryOfferUsed
    case activeInGroup
    case neverSubscribed
    case familySharedOnly
    case offerPending
    case offerRunning
    case notLapsed
    /// The subscription has ended, and Apple still says that it renews.
    case autoRenewOn
    case paidTooShort
    case lapsedTooRecently
    case lapsedTooLongAgo
    case redeemedTooRecently
    case notListedByAppStore
    case conditionNotMet
    /// Every place or all the money that the limit gives is used.
    case limitReached
    case signingsUsedUp
    case availabilityEnded
    case notInRollout
    case heldOut
    case coolingDown
    case excludedByOffer
    /// A limit counts the uses of an app account, and the request names none.
    case accountUnknown
    /// The fact needs an offer in the current period.
    case noOffer
    /// Apple's data does not state it.
    case valueMissing
}

/// The events at which a finding flips: a closed list.
public enum TurningEvent: String, Sendable, Hashable, CaseIterable, Codable {
    case historyCompleted, renewalInfoReceived, transactionReceived, subscriptionBought, subscriptionEnded,
        subscriptionChanged, offerEnded, signalReceived, attributesSet, requestChanged, offerRedeemed,
        catalogChanged, offerResumed
}
