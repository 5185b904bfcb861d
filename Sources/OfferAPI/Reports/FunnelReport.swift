package import OfferModel

/// `GET /v1/reports/funnel`: the outcome for customers first evaluated for offers in a period. What
/// each number counts is in docs/reports.md.
package struct FunnelReport: WireObject {
    /// The instant of the report: what happened later is not in it.
    package var asOf: Instant = .blank
    /// Customers first evaluated from then on.
    package var from: Instant = .blank
    /// Customers first evaluated before.
    package var to: Instant = .blank
    /// One funnel per offer, by id.
    package var offers: [OfferFunnel] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("asOf", &asOf)
        members.required("from", &from)
        members.required("offers", &offers)
        members.required("to", &to)
    }
}

/// The funnel of one offer. Every number counts customers, each once, unless it says otherwise.
package struct OfferFunnel: WireObject {
    package var offerId: OfferId = ""
    package var stages = Stages()
    /// The stages by the placement of each customer's first request, the most evaluated first; absent if none stated
    /// one.
    package var placements: [PlacementStages]?
    package var notIssued = NotIssued()
    /// The rules that blocked customers, the most frequent first.
    package var reasons: [Reason] = []
    package var redemptions = Redemptions()
    /// Refused requests that named no known customer.
    package var requestsOfUnknown = 0
    /// What the discount costs, one entry per currency.
    package var discountCost: [Cost] = []
    /// Offers that a grant of support gave these customers, which no other number counts; absent if there was none.
    package var granted: Int?
    /// Issued offers whose discount the catalog does not say.
    package var slotsWithoutCost = 0
    package var holdoutLift = HoldoutLift()
    package var saveRate = SaveRate()

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("discountCost", &discountCost)
        members.optional("granted", &granted)
        members.required("holdoutLift", &holdoutLift)
        members.required("notIssued", &notIssued)
        members.required("offerId", &offerId)
        members.optional("placements", &placements)
        members.required("reasons", &reasons)
        members.required("redemptions", &redemptions)
        members.required("requestsOfUnknown", &requestsOfUnknown)
        members.required("saveRate", &saveRate)
        members.required("slotsWithoutCost", &slotsWithoutCost)
        members.required("stages", &stages)
    }

    /// Customers by stage; each stage counts members of the one before.
    package struct Stages: WireObject {
        /// First requested in this period.
        package var evaluated = 0
        /// All rules but the rollout passed at least once.
        package var eligible = 0
        package var issued = 0
        package var redeemed = 0
        /// Paid for a later period without an offer.
        package var renewedAtFullPrice = 0
        /// Have access through their own subscription.
        package var stillActive = 0

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("eligible", &eligible)
            members.required("evaluated", &evaluated)
            members.required("issued", &issued)
            members.required("redeemed", &redeemed)
            members.required("renewedAtFullPrice", &renewedAtFullPrice)
            members.required("stillActive", &stillActive)
        }

        package init() {}
    }

    /// The customers whose first request came from one place in the app.
    package struct PlacementStages: WireObject {
        /// Absent for the requests that state none.
        package var placement: String?
        package var stages = Stages()

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.optional("placement", &placement)
            members.required("stages", &stages)
        }
    }

    /// The evaluated who were never issued the offer, each in one of these.
    package struct NotIssued: WireObject {
        package var heldOut = 0
        package var notInRollout = 0
        package var paused = 0
        package var ineligible = 0
        package var undetermined = 0
        package var removed = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("heldOut", &heldOut)
            members.required("ineligible", &ineligible)
            members.required("notInRollout", &notInRollout)
            members.required("paused", &paused)
            members.required("removed", &removed)
            members.required("undetermined", &undetermined)
        }
    }

    /// How many of the paused, ineligible and undetermined a rule blocked, by their newest decision.
    package struct Reason: WireObject {
        package var rule = ""
        /// `violated` or `undetermined`.
        package var verdict = ""
        /// Of the offer's own condition, the fact that decided it.
        package var fact: String?
        /// Customers the rule blocked; several rules may block one customer.
        package var customers = 0
        /// Of these, those that no other rule blocked.
        package var alone = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("alone", &alone)
            members.required("customers", &customers)
            members.optional("fact", &fact)
            members.required("rule", &rule)
            members.required("verdict", &verdict)
        }
    }

    package struct Redemptions: WireObject {
        /// Of the redeemed customers, those whose offer still runs or waits for the next renewal.
        package var inOffer = 0
        /// The redeemed customers who got a refund for a period of it.
        package var refunded = 0
        /// Redemptions of an issued offer beyond its first.
        package var doubled = 0
        /// Redemptions by the evaluated without an issued offer.
        package var redeemedWithoutSlot = 0
        /// Redemptions of their issued offers by another customer, with the account the offer was signed for.
        package var redeemedByAnother = 0
        /// Redemptions of the App Store's own retention offers by the evaluated; absent without any.
        package var retention: Int?

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("doubled", &doubled)
            members.required("inOffer", &inOffer)
            members.required("redeemedByAnother", &redeemedByAnother)
            members.required("redeemedWithoutSlot", &redeemedWithoutSlot)
            members.required("refunded", &refunded)
            members.optional("retention", &retention)
        }
    }

    /// What the discount costs in one currency: nominally, regular price minus what is paid, by the catalog of the
    /// issue.
    package struct Cost: WireObject {
        package var currency = ""
        /// Of everything issued, as a decimal.
        package var issued = ""
        /// Of what was redeemed, each redemption once.
        package var redeemed = ""
        /// The part of the redeemed whose customers got a refund for a period of it.
        package var refunded = ""

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("currency", &currency)
            members.required("issued", &issued)
            members.required("redeemed", &redeemed)
            members.required("refunded", &refunded)
        }
    }
}

/// Customers whom the rules would have given the offer: those who were offered it compared with those held out.
package struct HoldoutLift: WireObject {
    package struct Group: WireObject {
        package var customers = 0
        /// Of these, those whose own subscription of the offer's group gives access.
        package var active = 0
        /// Of these, those with an unknown outcome; they count as not active.
        package var undetermined = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("active", &active)
            members.required("customers", &customers)
            members.required("undetermined", &undetermined)
        }
    }

    package struct Interval: WireObject {
        package var level: Double = 0
        package var method = ""
        package var lower: Double = 0
        package var upper: Double = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("level", &level)
            members.required("lower", &lower)
            members.required("method", &method)
            members.required("upper", &upper)
        }
    }

    package var outcome = "activeAtAsOf"
    package var treated = Group()
    package var heldOut = Group()
    /// A smaller group says too little and is not compared.
    package var minimumCustomers = 30
    /// Share of the treated minus share of the held out; absent if there is not enough data, or
    /// retention has removed why some were refused.
    package var difference: Double?
    /// The interval of the difference; absent with it.
    package var interval: Interval?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("difference", &difference)
        members.required("heldOut", &heldOut)
        members.optional("interval", &interval)
        members.required("minimumCustomers", &minimumCustomers)
        members.required("outcome", &outcome)
        members.required("treated", &treated)
    }
}

/// Of the customers who redeemed the offer after they had cancelled, how many stayed.
package struct SaveRate: WireObject {
    package var definition = ""
    /// Saved, lost or undetermined.
    package var judged = 0
    /// Of these, those whose subscription runs and renews afterwards.
    package var saved = 0
    /// Of these, those with an unknown outcome; they count as not saved.
    package var undetermined = 0
    /// Those whose days have not passed yet.
    package var pending = 0
    /// Saved divided by judged; absent if no customer was judged.
    package var rate: Double?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("definition", &definition)
        members.required("judged", &judged)
        members.required("pending", &pending)
        members.optional("rate", &rate)
        members.required("saved", &saved)
        members.required("undetermined", &undetermined)
    }
}
