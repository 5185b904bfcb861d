public import OfferEligibility
public import OfferModel

/// The offer funnel of the customers who were first evaluated in a range of time (docs/reports.md).
public struct FunnelReport: Sendable, Hashable {
    /// The instant of the report: what happened later is not in it.
    public var asOf: Instant
    public var range: Range<Instant>
    public var offers: [OfferFunnel]
}

/// The funnel of one offer. Every number counts customers, each once, unless it says otherwise.
public struct OfferFunnel: Sendable, Hashable {
    public var offerId: OfferId
    /// Each stage counts members of the stage before.
    public var stages = FunnelStages()
    /// The evaluated who were never issued the offer, by why.
    public var notIssued: [RefusalKind: Int] = [:]
    /// What stood in the way of those who are ineligible, undetermined or met the kill switch.
    public var obstacles: [BlockingRule: BlockingRuleCount] = [:]
    /// Of the redeemed, those whose offer still runs or waits for the next renewal.
    public var inOffer = 0
    /// The redeemed customers who got a refund for a period of it.
    public var refunded = 0
    /// Uses of a slot beyond its first: a number of redemptions.
    public var doubledRedemptions = 0
    /// Uses of their slots by another customer: a number of redemptions.
    public var redemptionsByAnother = 0
    /// Uses of the offer by the evaluated that no slot led to: a number of redemptions.
    public var redemptionsWithoutSlot = 0
    /// Uses of the App Store's own retention offers by the evaluated: a number of redemptions.
    public var redemptionsOfRetention = 0
    /// Requests refused to unknown customers: a number of requests.
    public var requestsOfUnknown = 0
    /// What the discount costs, by currency.
    public var discountCost: [String: DiscountCost] = [:]
    /// Slots of which the catalog does not tell a discount: a number of slots.
    public var slotsWithoutCost = 0
    /// Those whom the rules would have given the offer, and to whom it was offered.
    public var treated = ComparedGroup()
    /// Those whom the rules would have given the offer, and who were held out.
    public var heldOut = ComparedGroup()
    /// Whether retention has removed why some were refused, and with it who of them was held out.
    public var hasRemovedRefusals = false
    /// Of those redeemed after cancelling, how many stayed.
    public var saveRate = SaveRate()

    /// The treated minus the held out, of whom the subscription is active; absent where a group is too small, or not all
    /// of the held out are known any more.
    public var lift: ProportionDifference? {
        guard !hasRemovedRefusals, min(treated.customers, heldOut.customers) >= ComparedGroup.minimum else {
            return nil
        }
        return ProportionDifference(
            .init(treated.active, of: treated.customers), minus: .init(heldOut.active, of: heldOut.customers))
    }
}

public struct FunnelStages: Sendable, Hashable {
    /// First asked about by an issue request in the range.
    public var evaluated = 0
    /// Of these, those for whom every rule but the rollout held at least once.
    public var eligible = 0
    public var issued = 0
    /// Of these, those who used it at Apple.
    public var redeemed = 0
    /// Of these, those who paid for a later period without an offer.
    public var renewedAtFullPrice = 0
    /// Of these, those whose own subscription gives access.
    public var stillActive = 0
}

/// How often something stood in the way.
public struct BlockingRuleCount: Sendable, Hashable {
    public var customers = 0
    /// Of these, those for whom it was the only thing.
    public var alone = 0
}

/// What discounts of one currency cost, nominally and in milliunits.
public struct DiscountCost: Sendable, Hashable {
    public var issued: Int64 = 0
    /// Of what was redeemed, each redemption once.
    public var redeemed: Int64 = 0
    /// The part of the redeemed whose customers got a refund for a period of it.
    public var refunded: Int64 = 0

    /// With another slot; `nil` beyond any amount that can be counted.
    func adding(_ value: Int64, uses: Int64, isRefunded: Bool) -> DiscountCost? {
        let (used, tooMany) = value.multipliedReportingOverflow(by: uses)
        let sums = [
            issued.addingReportingOverflow(value), redeemed.addingReportingOverflow(used),
            refunded.addingReportingOverflow(isRefunded ? used : 0),
        ]
        guard !tooMany, sums.allSatisfy({ !$0.overflow }) else { return nil }
        return DiscountCost(
            issued: sums[0].partialValue, redeemed: sums[1].partialValue, refunded: sums[2].partialValue)
    }
}

/// One side of the comparison with the holdout.
public struct ComparedGroup: Sendable, Hashable {
    public var customers = 0
    /// Of these, those whose own subscription of the offer's group gives access.
    public var active = 0
    /// Of these, those of whom that is not known; they count as not active.
    public var undetermined = 0

    /// A smaller group says too little to compare.
    public static let minimum = 30
}

/// Of the customers who redeemed the offer after they had cancelled, how many stayed.
public struct SaveRate: Sendable, Hashable {
    /// Those judged: saved, lost or undetermined.
    public var judged = 0
    /// Of these, those whose subscription runs and renews afterwards.
    public var saved = 0
    /// Of these, those of whom that is not known; they count as not saved.
    public var undetermined = 0
    /// Those whose days have not passed yet.
    public var pending = 0
}

public struct FunnelRequest: Sendable, Hashable {
    /// Only this offer; every offer if absent.
    public var offerId: OfferId?
    /// Customers first evaluated from then on; 30 days before the end if absent.
    public var from: Instant?
    /// Customers first evaluated before; until now if absent.
    public var to: Instant?

    public init(offerId: OfferId? = nil, from: Instant? = nil, to: Instant? = nil) {
        self.offerId = offerId
        self.from = from
        self.to = to
    }
}

extension FunnelRequest {
    static let longestDays: Int64 = 366
    static let usualDays: Int64 = 30

    /// The range asked for.
    ///
    /// - Throws: `unusableParameter` for a range that is empty, longer than a year or lies in the future: no report of
    ///   it would say anything.
    func range(at now: Instant) throws(RequestError) -> Range<Instant> {
        // What was decided in this very millisecond is known too.
        let to = to ?? now.adding(milliseconds: 1)
        let from = from ?? to.adding(milliseconds: -Self.usualDays * Instant.Duration.day)
        guard from <= now else {
            throw .unusableParameter(
                name: "from",
                detail: "the range begins at `\(from)`, which is in the future: no customer was evaluated yet",
                hint: nil)
        }
        guard from < to else {
            throw .unusableParameter(
                name: "to", detail: "the range ends at `\(to)`, which is not after its beginning, `\(from)`",
                hint: "a range holds what was decided from `from` on and before `to`")
        }
        guard to.milliseconds(since: from) <= Self.longestDays * Instant.Duration.day else {
            throw .unusableParameter(
                name: "from", detail: "the range is longer than \(Self.longestDays) days",
                hint: "ask for shorter ranges one after the other; each customer is in one of them")
        }
        return from..<to
    }
}
