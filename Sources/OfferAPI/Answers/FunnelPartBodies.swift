/// Customers by stage; each stage counts members of the one before.
public struct FunnelStagesBody: Sendable, Hashable, Codable {
    /// First asked about by an issue request in the range.
    public var evaluated: Int
    /// Every rule but the rollout held at least once.
    public var eligible: Int
    /// Issued the offer.
    public var issued: Int
    /// Used it at Apple.
    public var redeemed: Int
    /// Paid for a later period without an offer.
    public var renewedAtFullPrice: Int
    /// Their own subscription gives access.
    public var stillActive: Int

    /// Stages by their numbers.
    public init(
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
public struct FunnelNotIssuedBody: Sendable, Hashable, Codable {
    /// Everything held but the holdout.
    public var heldOut: Int
    /// Everything held but the rollout's percentage.
    public var notInRollout: Int
    /// Everything held but the kill switch was on.
    public var paused: Int
    /// A rule said no.
    public var ineligible: Int
    /// Nothing said no, and what is known did not decide.
    public var undetermined: Int
    /// Why is not recorded any more: retention removed it.
    public var removed: Int

    /// Numbers by reason.
    public init(heldOut: Int, notInRollout: Int, paused: Int, ineligible: Int, undetermined: Int, removed: Int) {
        self.heldOut = heldOut
        self.notInRollout = notInRollout
        self.paused = paused
        self.ineligible = ineligible
        self.undetermined = undetermined
        self.removed = removed
    }
}

/// How many of the paused, ineligible and undetermined a rule stood in the way of, by their newest decision.
public struct FunnelReasonBody: Sendable, Hashable, Codable {
    /// The rule.
    public var rule: String
    /// `violated` or `undetermined`.
    public var verdict: String
    /// Of the offer's own condition, the fact that decided it.
    public var fact: String?
    /// Customers in whose way it stood; several rules may stand in the way of one.
    public var customers: Int
    /// Of these, those for whom nothing else did.
    public var alone: Int

    /// A reason by its parts.
    public init(rule: String, verdict: String, fact: String?, customers: Int, alone: Int) {
        self.rule = rule
        self.verdict = verdict
        self.fact = fact
        self.customers = customers
        self.alone = alone
    }
}

/// More about the redeemed.
public struct FunnelRedemptionsBody: Sendable, Hashable, Codable {
    /// Of the redeemed customers, those whose offer still runs or waits for the next renewal.
    public var inOffer: Int
    /// Of the redeemed customers, those to whom Apple refunded a period of it.
    public var refunded: Int
    /// Redemptions of a slot beyond its first.
    public var doubled: Int
    /// Redemptions by the evaluated that no slot led to.
    public var redeemedWithoutSlot: Int
    /// Redemptions of their slots by another customer, with the account that the slot was signed for.
    public var redeemedByAnother: Int

    /// Numbers by kind.
    public init(inOffer: Int, refunded: Int, doubled: Int, redeemedWithoutSlot: Int, redeemedByAnother: Int) {
        self.inOffer = inOffer
        self.refunded = refunded
        self.doubled = doubled
        self.redeemedWithoutSlot = redeemedWithoutSlot
        self.redeemedByAnother = redeemedByAnother
    }
}

/// What the discount costs in one currency: nominally, regular price minus what is paid, by the catalog of the issue.
public struct FunnelCostBody: Sendable, Hashable, Codable {
    /// ISO 4217 code.
    public var currency: String
    /// Of everything issued, as a decimal.
    public var issued: String
    /// Of what was redeemed.
    public var redeemed: String
    /// Of the redeemed, that of customers to whom Apple refunded a period of it.
    public var refunded: String

    /// A cost by its parts.
    public init(currency: String, issued: String, redeemed: String, refunded: String) {
        self.currency = currency
        self.issued = issued
        self.redeemed = redeemed
        self.refunded = refunded
    }
}
