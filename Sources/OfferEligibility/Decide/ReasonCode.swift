/// Why a rule answered as it did: a closed list, the same in code, `openapi.yaml` and docs.
///
/// The rules' authors extend it; a code once released keeps its meaning.
public enum ReasonCode: String, Sendable, Hashable, CaseIterable, Codable {
    /// The rule holds.
    case holds
    /// The rule has nothing to say about this question.
    case notApplicable
    /// The condition held before, and the offer is still open to the customer.
    case heldOpen

    // What is not known.

    /// Absence cannot be proven: the history is not complete.
    case historyIncomplete
    /// A renewal is due and what is known is older.
    case historyStale
    /// The transaction that decides has no expiry.
    case expiryUnknown
    /// The catalog does not say which group the product is in.
    case groupUnknown
    /// A purchase of one of the group's products names another group or none.
    case groupMismatch
    /// The only introductory offer known came through Family Sharing.
    case introductoryOfferShared
    /// No signed transaction or app transaction is known.
    case transactionUnknown
    /// No renewal info of the current period says it.
    case renewalInfoMissing
    /// Apple sent a value that this version does not know.
    case valueUnknown
    /// The backend did not send the signal.
    case signalMissing
    /// The value is of another type than the one it is compared with.
    case typeMismatch
    /// The amounts are of different currencies.
    case currencyMismatch
    /// This version does not know the fact.
    case factUnknown
    /// The comparison has the wrong number of values, or one that cannot be compared.
    case comparisonMalformed
    /// How much everyone together has used of the offer was not counted.
    case usesNotCounted
    /// The fact needs a subscription in the group, and there is none.
    case noSubscription
    /// The fact needs access, and there is none.
    case noAccess
    /// The fact needs an ended access, and access goes on.
    case accessGoesOn
    /// The fact needs a change of product, and none is pending.
    case nothingPending
    /// The backend keeps no such attribute of the customer.
    case attributeMissing
    /// The request does not state that about the device.
    case deviceUnknown
    /// The version or locale does not have the form of one.
    case textUnreadable
    /// The fact needs a purchase, and there is none.
    case noPurchase
    /// The fact needs a redemption of an offer, and there is none.
    case noRedemption
    /// No purchase known names its storefront.
    case storefrontUnknown
    /// No app transaction known says when the app was obtained.
    case appTransactionUnknown
    /// The catalog does not have the offer that the fact names, and none was issued.
    case offerUnknown
    /// No identifier is known by which the customer draws in a rollout.
    case rolloutKeyUnknown

    // What does not hold.

    /// The offer is a draft.
    case offerDraft
    /// The offer is archived.
    case offerArchived
    /// The offer has not started.
    case notStarted
    /// The offer has ended.
    case ended
    /// The offer is not meant for this environment.
    case environmentExcluded
    /// The offer has no encoding that is signed in this environment.
    case formatExcluded
    /// The product is not one of the offer's.
    case productExcluded
    /// The offer is paused.
    case offerPaused
    /// Every offer is paused.
    case everyOfferPaused
    /// An introductory offer of the group was used.
    case introductoryOfferUsed
    /// A subscription of the group is active.
    case activeInGroup
    /// No subscription was ever bought.
    case neverSubscribed
    /// The only subscriptions were received through Family Sharing.
    case familySharedOnly
    /// The same offer waits for the next renewal.
    case offerPending
    /// The same offer is running.
    case offerRunning
    /// The subscription has not lapsed.
    case notLapsed
    /// The subscription has ended, and Apple still says that it renews.
    case autoRenewOn
    /// The customer has paid for fewer months than the offer asks for.
    case paidTooShort
    /// The subscription ended more recently than the offer asks for.
    case lapsedTooRecently
    /// The subscription ended longer ago than the offer allows.
    case lapsedTooLongAgo
    /// The customer used the same offer too recently.
    case redeemedTooRecently
    /// The App Store does not list the offer among those the customer may have.
    case notListedByAppStore
    /// The offer's own condition does not hold.
    case conditionNotMet
    /// Every place or all the money that the limit gives is used.
    case limitReached
    /// The open slot holds every signing it may.
    case signingsUsedUp
    /// The time for which the offer was open to the customer is over.
    case availabilityEnded
    /// The customer is not among those who get the offer yet.
    case notInRollout
    /// The customer is among those who never get the offer, for comparison.
    case heldOut
    /// The offer rests after it was redeemed.
    case coolingDown
    /// An offer after which this one is never issued was issued or redeemed.
    case excludedByOffer
}

/// What would have to happen for a finding to flip: a closed list.
public enum TurningEvent: String, Sendable, Hashable, CaseIterable, Codable {
    /// The complete history is fetched or stated.
    case historyCompleted
    /// Newer renewal info arrives.
    case renewalInfoReceived
    /// A transaction or app transaction signed by Apple arrives.
    case transactionReceived
    /// The customer buys a subscription.
    case subscriptionBought
    /// The customer's subscription ends.
    case subscriptionEnded
    /// The customer's subscription changes.
    case subscriptionChanged
    /// The offer that is pending or running ends.
    case offerEnded
    /// The backend sends the signal, or another value of it.
    case signalReceived
    /// The backend sets the attribute, or another value of it.
    case attributesSet
    /// The request states it about the device, or another value of it.
    case requestChanged
    /// The customer redeems an offer.
    case offerRedeemed
    /// Another catalog is applied.
    case catalogChanged
    /// The pause is lifted.
    case offerResumed
}
