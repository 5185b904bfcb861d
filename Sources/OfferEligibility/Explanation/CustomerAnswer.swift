import OfferModel

extension Explanation {
    /// What may be told to the customer: one or two sentences without other offers, limits, counts or shares, and
    /// without what the customer could use to get around a rule.
    public var customerAnswer: String {
        guard let decisive else {
            return "You can have this offer" + (outlook.changesAt.map { " until \($0.minute)." } ?? ".")
        }
        let date = outlook.changesAt.map { " You can have it from \($0.nextMinute)." } ?? ""
        guard outcome == .ineligible else {
            return "We cannot tell yet whether you can have this offer. \(decisive.request)\(date)"
        }
        return (decisive.reason.customerSentence ?? "You cannot have this offer at the moment.") + date
    }
}

extension Finding {
    /// What the customer can do about what is not known.
    fileprivate var request: String {
        switch turningPoint?.event {
        case .historyCompleted, .renewalInfoReceived, .transactionReceived:
            "Please open the app, restore your purchases there, and try again."
        default: "Please try again later."
        }
    }
}

extension ReasonCode {
    /// A refusal that the customer knows the cause of anyway; `nil` for every other.
    fileprivate var customerSentence: String? {
        switch self {
        case .notStarted: "This offer has not started yet."
        case .ended, .offerArchived, .availabilityEnded: "This offer has ended."
        case .introductoryOfferUsed: "An introductory offer was used with this Apple Account before."
        case .activeInGroup: "This offer is for customers without a subscription, and yours is active."
        case .notLapsed: "This offer is for customers whose subscription has ended."
        case .neverSubscribed: "This offer is for customers who have subscribed before."
        case .familySharedOnly: "This offer is for customers who have bought a subscription themselves."
        case .offerPending, .offerRunning: "You have this offer already."
        default: nil
        }
    }
}

extension Instant {
    /// The minute it is in, in UTC: `2026-12-14 09:00 UTC`.
    fileprivate var minute: String {
        let text = description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    /// The first minute that is not before it.
    fileprivate var nextMinute: String {
        adding(milliseconds: Duration.minute - 1).minute
    }
}
