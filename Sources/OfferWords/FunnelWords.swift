package import OfferAPI
import OfferModel

/// The columns of a funnel, shared by the help, the table and the CSV.
package enum FunnelWords {
    package struct Count: Sendable {
        package let name: String
        /// As the answer and the CSV name it.
        package let measure: String
        /// The customers it counts: completes "customers who …".
        package let meaning: String
        package let value: @Sendable (OfferFunnel) -> Int

        fileprivate init(
            _ name: String, _ measure: String, _ meaning: String, _ value: @escaping @Sendable (OfferFunnel) -> Int
        ) {
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

    /// The discount cost: a row for each currency with what was issued, redeemed and refunded.
    package static func costs(_ funnel: OfferFunnel) -> [[String?]] {
        funnel.discountCost.map { cost in
            [cost.currency] + [cost.issued, cost.redeemed, cost.refunded].map { NumberWords.amount($0, cost.currency) }
        }
    }

    package static let redemptions = [
        Count("in the offer", "inOffer", "redeemed it and still have periods of it left") { $0.redemptions.inOffer },
        Count("refunded", "refunded", "redeemed it and got a refund of a period of it") { $0.redemptions.refunded },
    ]
}

package enum FunnelRateText {
    /// `60.0 %`; absent if there is nothing to be a share of.
    package static func share(_ count: Int, of whole: Int?) -> String? {
        guard let whole, whole > 0 else { return nil }
        return "\(tenths(Double(count) / Double(whole))) %"
    }

    /// The comparison with the customers held out; nothing if there are none.
    package static func lift(_ lift: HoldoutLift) -> [String] {
        guard lift.heldOut.customers > 0 else { return [] }
        let (treated, heldOut) = (group(lift.treated, "offered it"), group(lift.heldOut, "held out"))
        let groups = "  with access now, paid or free: \(treated), \(heldOut)"
        guard let difference = lift.difference, let interval = lift.interval else {
            let isSmall = min(lift.treated.customers, lift.heldOut.customers) < lift.minimumCustomers
            return [
                groups,
                isSmall
                    ? "  not enough data for the lift: each side needs \(lift.minimumCustomers) customers"
                    : "  no lift: retention removed why some were refused, so not all customers held out are known",
            ]
        }
        let range = "\(signed(interval.lower)) to \(signed(interval.upper)) percentage points"
        return [
            groups, "  lift \(signed(difference)) percentage points; 95 % interval \(range) (Newcombe)",
        ]
    }

    /// How many of those who had cancelled stayed; nothing if none had.
    package static func saveRate(_ rate: SaveRate) -> [String] {
        guard rate.judged + rate.pending > 0 else { return [] }
        let share = share(rate.saved, of: rate.judged).map { ": \($0)" } ?? ""
        let pending = rate.pending > 0 ? ", \(rate.pending) not yet judged" : ""
        let unknown = rate.undetermined > 0 ? ", \(rate.undetermined) of them not known" : ""
        return [
            "  save rate \(rate.definition)\(share)",
            "  (\(rate.saved) of \(rate.judged) who redeemed after cancelling renew 30 days later\(unknown)\(pending))",
        ]
    }

    private static func group(_ group: HoldoutLift.Group, _ name: String) -> String {
        let unknown = group.undetermined > 0 ? "\(group.undetermined) not known" : nil
        let details = [share(group.active, of: group.customers), unknown].compactMap(\.self).joined(separator: ", ")
        return "\(group.active) of \(group.customers) \(name)" + (details.isEmpty ? "" : " (\(details))")
    }

    private static func signed(_ share: Double) -> String { share < 0 ? tenths(share) : "+" + tenths(share) }

    private static func tenths(_ share: Double) -> String {
        let tenths = Int(saturating: (share * 1_000).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}
