import OfferAPI

/// What the numbers of a funnel count, in words: each completes "customers who …". The help, the table and the CSV all
/// take them from here.
enum FunnelWords {
    /// One number of a funnel.
    struct Count: Sendable {
        /// As people read it.
        var name: String
        /// As the answer and the CSV name it.
        var measure: String
        /// Which customers it counts.
        var meaning: String
        /// The number.
        var value: @Sendable (FunnelBody) -> Int
    }

    /// The stages, each of which counts members of the one before.
    static let stages = [
        Count(
            name: "evaluated", measure: "evaluated", meaning: "an issue request first asked about in the range",
            value: { $0.stages.evaluated }),
        Count(
            name: "eligible", measure: "eligible", meaning: "met every rule but the rollout at least once",
            value: { $0.stages.eligible }),
        Count(name: "issued", measure: "issued", meaning: "were issued the offer", value: { $0.stages.issued }),
        Count(name: "redeemed", measure: "redeemed", meaning: "used it at Apple", value: { $0.stages.redeemed }),
        Count(
            name: "renewed at full price", measure: "renewedAtFullPrice",
            meaning: "then paid for a period without an offer", value: { $0.stages.renewedAtFullPrice }),
        Count(
            name: "still active", measure: "stillActive", meaning: "have access by their own subscription now",
            value: { $0.stages.stillActive }),
    ]

    /// The evaluated who were never issued the offer, each in one of these.
    static let notIssued = [
        Count(
            name: "held out", measure: "heldOut", meaning: "met every rule but are kept for comparison",
            value: { $0.notIssued.heldOut }),
        Count(
            name: "not in the rollout", measure: "notInRollout", meaning: "met every rule but its percentage",
            value: { $0.notIssued.notInRollout }),
        Count(
            name: "paused", measure: "paused", meaning: "met every rule while the offer was paused",
            value: { $0.notIssued.paused }),
        Count(
            name: "ineligible", measure: "ineligible", meaning: "a rule said no to",
            value: { $0.notIssued.ineligible }),
        Count(
            name: "undetermined", measure: "undetermined", meaning: "too little is known of to decide",
            value: { $0.notIssued.undetermined }),
        Count(
            name: "not recorded any more", measure: "removed", meaning: "were refused; retention removed why",
            value: { $0.notIssued.removed }),
    ]

    /// More about the redeemed.
    static let redemptions = [
        Count(
            name: "in the offer", measure: "inOffer", meaning: "redeemed and are not through with the offer",
            value: { $0.redemptions.inOffer }),
        Count(
            name: "refunded", measure: "refunded", meaning: "redeemed and got a refund of a period of it",
            value: { $0.redemptions.refunded }),
    ]
}
