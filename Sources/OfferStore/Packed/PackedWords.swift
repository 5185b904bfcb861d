public import OfferModel

/// A word of a closed list, which is kept as its code. A word without a code cannot be written, and a code without a
/// word is refused.
public protocol PackedWord: Packable, Equatable {
    /// A code is never given to another word. Up to 63 it takes one byte.
    static var codes: KeyValuePairs<UInt64, Self> { get }
}

extension PackedWord {
    public func pack(into writer: inout PackedWriter) throws {
        guard let code = Self.codes.first(where: { $0.value == self })?.key else {
            throw StoreError.corrupt("`\(self)` has no code")
        }
        writer.append(varint: code << 1)
    }

    public init(unpacking reader: inout PackedReader) throws {
        let code = try reader.code()
        guard let word = Self.codes.first(where: { $0.key == code })?.value else { throw PackedError() }
        self = word
    }
}

extension Verdict: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [
        1: .satisfied, 2: .violated, 3: .undetermined, 4: .notApplicable, 5: .lifted,
    ]
}

extension ReasonCode: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [
        1: .holds, 2: .notApplicable, 3: .heldOpen, 4: .historyIncomplete, 5: .historyStale, 6: .expiryUnknown,
        7: .groupUnknown, 8: .groupMismatch, 9: .introductoryOfferShared, 10: .transactionUnknown,
        11: .renewalInfoMissing, 12: .valueUnknown, 13: .signalMissing, 14: .typeMismatch, 15: .currencyMismatch,
        16: .factUnknown, 17: .comparisonMalformed, 18: .usesNotCounted, 19: .noSubscription, 20: .noAccess,
        21: .accessGoesOn, 22: .nothingPending, 23: .attributeMissing, 24: .deviceUnknown, 25: .textUnreadable,
        26: .noPurchase, 27: .noRedemption, 28: .storefrontUnknown, 29: .appTransactionUnknown, 30: .offerUnknown,
        31: .rolloutKeyUnknown, 32: .offerDraft, 33: .offerArchived, 34: .notStarted, 35: .ended,
        36: .environmentExcluded, 37: .formatExcluded, 38: .productExcluded, 39: .offerPaused, 40: .everyOfferPaused,
        41: .introductoryOfferUsed, 42: .activeInGroup, 43: .neverSubscribed, 44: .familySharedOnly, 45: .offerPending,
        46: .offerRunning, 47: .notLapsed, 48: .autoRenewOn, 49: .paidTooShort, 50: .lapsedTooRecently,
        51: .lapsedTooLongAgo, 52: .redeemedTooRecently, 53: .notListedByAppStore, 54: .conditionNotMet,
        55: .limitReached, 56: .signingsUsedUp, 57: .availabilityEnded, 58: .notInRollout, 59: .heldOut,
        60: .coolingDown, 61: .excludedByOffer, 62: .accountUnknown, 63: .noOffer, 64: .valueMissing,
        65: .restoredRecently,
    ]
}

extension RuleId: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [
        1: .catalogStatus, 2: .catalogSchedule, 3: .catalogEnvironment, 4: .catalogProduct, 5: .catalogPaused,
        6: .introductoryUnusedInGroup, 7: .introductoryNotSubscribed, 8: .introductoryTransactionKnown,
        9: .promotionalEverSubscribed, 10: .promotionalNotApplied, 11: .winBackLapsed, 12: .winBackAutoRenewOff,
        13: .winBackOwned, 14: .winBackNoActiveInGroup, 15: .winBackPaidDuration, 16: .winBackTimeSinceLastSubscribed,
        17: .winBackWaitBetweenOffers, 18: .winBackListedByAppStore, 19: .ruleEligibility, 20: .ruleAvailableFor,
        21: .rolloutPercent, 22: .rolloutHoldout, 23: .limitCustomer, 24: .limitCustomerWindow, 25: .limitTotal,
        26: .limitBudget, 27: .limitCoolDown, 28: .limitExcludes, 29: .limitSignatures, 30: .limitAccount,
        31: .ruleAgain, 32: .grantApplied,
    ]
}

extension Provenance: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [
        1: .notification, 2: .client, 3: .serverAPI, 4: .caller, 5: .receipt, 6: .operator,
    ]
}

extension Coverage.Level: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [1: .none, 2: .partial, 3: .complete]
}

extension Pause: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [1: .none, 2: .offer, 3: .everyOffer, 4: .limitedOffers]
}

extension SignatureFormat: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [1: .v1, 2: .v2]
}

extension KeptEvidence.Kind: PackedWord {
    public static let codes: KeyValuePairs<UInt64, Self> = [1: .period, 2: .pending]
}
