import Hummingbird
import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

/// `/v1/reports`: the offer funnel.
struct ReportsController: Sendable {
    let reports: FunnelReports

    /// `GET /v1/reports/funnel`.
    @Sendable func funnel(_ request: Request, _ context: CallerContext<MarketingAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: ["offerId", "from", "to"])
        let wanted = FunnelRequest(
            offerId: query.text("offerId").map { OfferId($0) }, from: query.instant("from"), to: query.instant("to"))
        try query.finish()
        return try .json(FunnelReportBody(try await reports.funnel(wanted, caller: context.caller)))
    }
}

extension FunnelReportBody {
    init(_ report: FunnelReport) {
        self.init(
            asOf: report.asOf, from: report.range.lowerBound, to: report.range.upperBound,
            offers: report.offers.map(FunnelBody.init))
    }
}

extension FunnelBody {
    fileprivate init(_ funnel: OfferFunnel) {
        self.init(
            offerId: funnel.offerId, stages: FunnelStagesBody(funnel.stages),
            notIssued: FunnelNotIssuedBody(funnel.notIssued), reasons: FunnelReasonBody.all(funnel.obstacles),
            redemptions: FunnelRedemptionsBody(
                inOffer: funnel.inOffer, refunded: funnel.refunded, doubled: funnel.doubledRedemptions,
                redeemedWithoutSlot: funnel.redemptionsWithoutSlot, redeemedByAnother: funnel.redemptionsByAnother),
            requestsOfUnknown: funnel.requestsOfUnknown,
            discountCost: funnel.discountCost.sorted { $0.key < $1.key }
                .map { FunnelCostBody($0.key, $0.value) },
            slotsWithoutCost: funnel.slotsWithoutCost, holdoutLift: HoldoutLiftBody(funnel),
            saveRate: SaveRateBody(funnel.saveRate))
        if funnel.redemptionsOfRetention > 0 { redemptions.retention = funnel.redemptionsOfRetention }
    }
}

extension FunnelStagesBody {
    fileprivate init(_ stages: FunnelStages) {
        self.init(
            evaluated: stages.evaluated, eligible: stages.eligible, issued: stages.issued, redeemed: stages.redeemed,
            renewedAtFullPrice: stages.renewedAtFullPrice, stillActive: stages.stillActive)
    }
}

extension FunnelNotIssuedBody {
    fileprivate init(_ counts: [RefusalKind: Int]) {
        self.init(
            heldOut: counts[.heldOut] ?? 0, notInRollout: counts[.notInRollout] ?? 0, paused: counts[.paused] ?? 0,
            ineligible: counts[.ineligible] ?? 0, undetermined: counts[.undetermined] ?? 0,
            removed: counts[.removed] ?? 0)
    }
}

extension FunnelReasonBody {
    /// The most frequent first; the rules' names settle ties.
    fileprivate static func all(_ counts: [BlockingRule: BlockingRuleCount]) -> [FunnelReasonBody] {
        counts.map { obstacle, count in
            FunnelReasonBody(
                rule: obstacle.rule.rawValue, verdict: obstacle.verdict.rawValue, fact: obstacle.fact,
                customers: count.customers, alone: count.alone)
        }
        .sorted {
            ($1.customers, $0.rule, $0.fact ?? "", $0.verdict) < ($0.customers, $1.rule, $1.fact ?? "", $1.verdict)
        }
    }
}

extension FunnelCostBody {
    fileprivate init(_ currency: String, _ cost: DiscountCost) {
        func amount(_ milliunits: Int64) -> String { Money(milliunits: milliunits, currency: currency).amount }
        self.init(
            currency: currency, issued: amount(cost.issued), redeemed: amount(cost.redeemed),
            refunded: amount(cost.refunded))
    }
}

extension HoldoutLiftBody {
    fileprivate init(_ funnel: OfferFunnel) {
        let lift = funnel.lift
        self.init(
            outcome: "activeAtAsOf", treated: Group(funnel.treated), heldOut: Group(funnel.heldOut),
            minimumCustomers: ComparedGroup.minimum, difference: lift?.difference.millionths,
            interval: lift.map {
                Interval(
                    level: ProportionDifference.level, method: "newcombe", lower: $0.lower.millionths,
                    upper: $0.upper.millionths)
            })
    }
}

extension HoldoutLiftBody.Group {
    fileprivate init(_ group: ComparedGroup) {
        self.init(customers: group.customers, active: group.active, undetermined: group.undetermined)
    }
}

extension SaveRateBody {
    fileprivate init(_ rate: SaveRate) {
        self.init(
            definition: "autoRenewOnAfter\(SaveOutcome.days)Days", judged: rate.judged, saved: rate.saved,
            undetermined: rate.undetermined, pending: rate.pending,
            rate: rate.judged == 0 ? nil : (Double(rate.saved) / Double(rate.judged)).millionths)
    }
}

extension Double {
    /// Rounded to six decimals: more would only show how numbers are stored.
    fileprivate var millionths: Double { (self * 1_000_000).rounded() / 1_000_000 }
}
