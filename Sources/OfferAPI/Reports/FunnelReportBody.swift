package import OfferModel

/// `GET /v1/reports/funnel`: the outcome for customers first evaluated for offers in a period. What
/// each number counts is in docs/reports.md.
package struct FunnelReportBody: Sendable, Hashable, Codable {
    package var asOf: Instant
    /// Customers first evaluated from then on.
    package var from: Instant
    /// Customers first evaluated before.
    package var to: Instant
    /// One funnel per offer, by id.
    package var offers: [FunnelBody]

    package init(asOf: Instant, from: Instant, to: Instant, offers: [FunnelBody]) {
        self.asOf = asOf
        self.from = from
        self.to = to
        self.offers = offers
    }
}

/// The funnel of one offer.
package struct FunnelBody: Sendable, Hashable, Codable {
    package var offerId: OfferId
    package var stages: FunnelStagesBody
    package var notIssued: FunnelNotIssuedBody
    /// The rules that blocked customers, the most frequent first.
    package var reasons: [FunnelReasonBody]
    package var redemptions: FunnelRedemptionsBody
    /// Refused requests that named no known customer.
    package var requestsOfUnknown: Int
    /// What the discount costs, one entry per currency.
    package var discountCost: [FunnelCostBody]
    /// Issued offers whose discount the catalog does not say.
    package var slotsWithoutCost: Int
    /// Offered customers compared with held-out ones.
    package var holdoutLift: HoldoutLiftBody
    /// Of those who redeemed after cancelling, how many stayed.
    package var saveRate: SaveRateBody

    package init(
        offerId: OfferId, stages: FunnelStagesBody, notIssued: FunnelNotIssuedBody, reasons: [FunnelReasonBody],
        redemptions: FunnelRedemptionsBody, requestsOfUnknown: Int, discountCost: [FunnelCostBody],
        slotsWithoutCost: Int, holdoutLift: HoldoutLiftBody, saveRate: SaveRateBody
    ) {
        self.offerId = offerId
        self.stages = stages
        self.notIssued = notIssued
        self.reasons = reasons
        self.redemptions = redemptions
        self.requestsOfUnknown = requestsOfUnknown
        self.discountCost = discountCost
        self.slotsWithoutCost = slotsWithoutCost
        self.holdoutLift = holdoutLift
        self.saveRate = saveRate
    }
}

/// Customers by stage; each stage counts members of the one before.
package struct FunnelStagesBody: Sendable, Hashable, Codable {
    /// First requested in this period.
    package var evaluated: Int
    /// All rules but the rollout passed at least once.
    package var eligible: Int
    package var issued: Int
    /// Redeemed the offer at Apple.
    package var redeemed: Int
    /// Paid for a later period without an offer.
    package var renewedAtFullPrice: Int
    /// Have access through their own subscription.
    package var stillActive: Int

    package init(
        evaluated: Int, eligible: Int, issued: Int, redeemed: Int, renewedAtFullPrice: Int, stillActive: Int
    ) {
        self.evaluated = evaluated
        self.eligible = eligible
        self.issued = issued
        self.redeemed = redeemed
        self.renewedAtFullPrice = renewedAtFullPrice
        self.stillActive = stillActive
    }
}

/// The evaluated who were never issued the offer, each in one of these.
package struct FunnelNotIssuedBody: Sendable, Hashable, Codable {
    /// All rules passed but the holdout.
    package var heldOut: Int
    /// All rules passed but the rollout's percentage.
    package var notInRollout: Int
    /// All rules passed, but offers were paused.
    package var paused: Int
    /// A rule was violated.
    package var ineligible: Int
    /// No rule was violated, but information was missing.
    package var undetermined: Int
    /// Retention has removed the reason.
    package var removed: Int

    package init(heldOut: Int, notInRollout: Int, paused: Int, ineligible: Int, undetermined: Int, removed: Int) {
        self.heldOut = heldOut
        self.notInRollout = notInRollout
        self.paused = paused
        self.ineligible = ineligible
        self.undetermined = undetermined
        self.removed = removed
    }
}

/// How many of the paused, ineligible and undetermined a rule blocked, by their newest decision.
package struct FunnelReasonBody: Sendable, Hashable, Codable {
    package var rule: String
    /// `violated` or `undetermined`.
    package var verdict: String
    /// Of the offer's own condition, the fact that decided it.
    package var fact: String?
    /// Customers the rule blocked; several rules may block one customer.
    package var customers: Int
    /// Of these, those that no other rule blocked.
    package var alone: Int

    package init(rule: String, verdict: String, fact: String?, customers: Int, alone: Int) {
        self.rule = rule
        self.verdict = verdict
        self.fact = fact
        self.customers = customers
        self.alone = alone
    }
}

/// More about the redeemed.
package struct FunnelRedemptionsBody: Sendable, Hashable, Codable {
    /// Of the redeemed customers, those whose offer still runs or waits for the next renewal.
    package var inOffer: Int
    /// The redeemed customers who got a refund for a period of it.
    package var refunded: Int
    /// Redemptions of an issued offer beyond its first.
    package var doubled: Int
    /// Redemptions by the evaluated without an issued offer.
    package var redeemedWithoutSlot: Int
    /// Redemptions of their issued offers by another customer, with the account the offer was signed for.
    package var redeemedByAnother: Int
    /// Redemptions of the App Store's own retention offers by the evaluated; absent without any.
    package var retention: Int?

    package init(inOffer: Int, refunded: Int, doubled: Int, redeemedWithoutSlot: Int, redeemedByAnother: Int) {
        self.inOffer = inOffer
        self.refunded = refunded
        self.doubled = doubled
        self.redeemedWithoutSlot = redeemedWithoutSlot
        self.redeemedByAnother = redeemedByAnother
    }
}

/// What the discount costs in one currency: nominally, regular price minus what is paid, by the catalog of the issue.
package struct FunnelCostBody: Sendable, Hashable, Codable {
    package var currency: String
    /// Of everything issued, as a decimal.
    package var issued: String
    package var redeemed: String
    /// The part of the redeemed whose customers got a refund for a period of it.
    package var refunded: String

    package init(currency: String, issued: String, redeemed: String, refunded: String) {
        self.currency = currency
        self.issued = issued
        self.redeemed = redeemed
        self.refunded = refunded
    }
}

/// Customers who were offered something compared with those held out.
package struct HoldoutLiftBody: Sendable, Hashable, Codable {
    /// One side.
    package struct Group: Sendable, Hashable, Codable {
        package var customers: Int
        /// Of these, those with the outcome.
        package var active: Int
        /// Of these, those with an unknown outcome; they count as not active.
        package var undetermined: Int

        package init(customers: Int, active: Int, undetermined: Int) {
            self.customers = customers
            self.active = active
            self.undetermined = undetermined
        }
    }

    /// An interval of the difference.
    package struct Interval: Sendable, Hashable, Codable {
        package var level: Double
        package var method: String
        package var lower: Double
        package var upper: Double

        package init(level: Double, method: String, lower: Double, upper: Double) {
            self.level = level
            self.method = method
            self.lower = lower
            self.upper = upper
        }
    }

    /// What is compared: `activeAtAsOf`.
    package var outcome: String
    package var treated: Group
    package var heldOut: Group
    /// A smaller group is not compared.
    package var minimumCustomers: Int
    /// Share of the treated minus share of the held out; absent if there is not enough data, or
    /// retention has removed why some were refused.
    package var difference: Double?
    /// The interval of the difference; absent with it.
    package var interval: Interval?

    package init(
        outcome: String, treated: Group, heldOut: Group, minimumCustomers: Int, difference: Double?,
        interval: Interval?
    ) {
        self.outcome = outcome
        self.treated = treated
        self.heldOut = heldOut
        self.minimumCustomers = minimumCustomers
        self.difference = difference
        self.interval = interval
    }
}

/// Of the customers who redeemed the offer after they had cancelled, how many stayed.
package struct SaveRateBody: Sendable, Hashable, Codable {
    package var definition: String
    package var judged: Int
    /// Of these, the saved.
    package var saved: Int
    /// Of these, those with an unknown outcome; they count as not saved.
    package var undetermined: Int
    /// Those whose days have not passed yet.
    package var pending: Int
    /// Saved divided by judged; absent if no customer was judged.
    package var rate: Double?

    package init(definition: String, judged: Int, saved: Int, undetermined: Int, pending: Int, rate: Double?) {
        self.definition = definition
        self.judged = judged
        self.saved = saved
        self.undetermined = undetermined
        self.pending = pending
        self.rate = rate
    }
}
