package import OfferAPI

/// The columns of a funnel, shared by the help, the table and the CSV.
package enum FunnelWords {
    package struct Count: Sendable {
        package let name: String
        /// As the answer and the CSV name it.
        package let measure: String
        /// The customers it counts: completes "customers who …".
        package let meaning: String
        package let value: @Sendable (OfferFunnel) -> Int

        fileprivate init(_ name: String, _ measure: String, _ meaning: String, _ value: @escaping @Sendable (OfferFunnel) -> Int) {
            (self.name, self.measure, self.meaning, self.value) = (name, measure, meaning, value)
        }
    }

    /// The stages, each of which counts members of the one before.
    package static let stages = [
        Count("evaluated", "evaluated", "first requested in this period") { $0.stages.evaluated },
        Count("eligible", "eligible", "met every rule but the rollout at least once") { $0.stages.eligible },
        Count("issued", "issued", "were issued the offer") { $0.stages.issued },
        Count("redeemed", "redeemed", "used it at Apple") { $0.stages.redeemed },
        Count("renewed at full price", "renewedAtFullPrice", "then paid for a period without an offer") {
            $0.stages.renewedAtFullPrice
        },
        Count("still active", "stillActive", "of these, have access by their own subscription now") {
            $0.stages.stillActive
        },
    ]

    /// The evaluated customers who were never issued the offer, each in one of these.
    package static let notIssued = [
        Count("held out", "heldOut", "met every rule but are kept for comparison") { $0.notIssued.heldOut },
        Count("not in the rollout", "notInRollout", "met every rule but its percentage") { $0.notIssued.notInRollout },
        Count("paused", "paused", "met every rule while the offer was paused") { $0.notIssued.paused },
        Count("ineligible", "ineligible", "failed a rule") { $0.notIssued.ineligible },
        Count("undetermined", "undetermined", "have too little known history to decide") {
            $0.notIssued.undetermined
        },
        Count("no longer recorded", "removed", "were refused; retention removed the reason") { $0.notIssued.removed },
    ]

    package static let redemptions = [
        Count("in the offer", "inOffer", "redeemed it and still have periods of it left") { $0.redemptions.inOffer },
        Count("refunded", "refunded", "redeemed it and got a refund of a period of it") { $0.redemptions.refunded },
    ]
}
