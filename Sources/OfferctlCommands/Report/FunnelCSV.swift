import OfferAPI
import OfferModel
import OfferWords

/// A funnel report for a spreadsheet: one number a row, so that columns never change and rows can be pivoted.
enum FunnelCSV {
    static let columns = ["from", "to", "asOf", "offerId", "section", "measure", "fact", "value", "currency"]

    static func text(_ report: FunnelReport) -> String {
        let times = [report.from, report.to, report.asOf].map { CSVTable.Cell.text($0) }
        let lines = report.offers.flatMap { funnel in
            rows(funnel).map { CSVTable.line(times + [.text(funnel.offerId.rawValue)] + $0) }
        }
        return CSVTable.line(columns.map { .text($0) }) + lines.joined()
    }

    private static func rows(_ funnel: OfferFunnel) -> [[CSVTable.Cell]] {
        counts("stages", FunnelWords.stages, funnel)
            + (funnel.placements ?? []).flatMap { placement in
                counts(
                    "placements" + (placement.placement.map { ".\($0)" } ?? ""), FunnelWords.stages,
                    funnel.with(placement.stages))
            } + counts("notIssued", FunnelWords.notIssued, funnel)
            + funnel.reasons.flatMap(reason)
            + counts("redemptions", FunnelWords.redemptions, funnel)
            + [
                row("redemptions", "doubled", funnel.redemptions.doubled),
                row("redemptions", "redeemedWithoutSlot", funnel.redemptions.redeemedWithoutSlot),
                row("redemptions", "redeemedByAnother", funnel.redemptions.redeemedByAnother),
                row("requests", "requestsOfUnknown", funnel.requestsOfUnknown),
            ] + (funnel.redemptions.retention.map { [row("redemptions", "retention", $0)] } ?? [])
            + (funnel.granted.map { [row("requests", "granted", $0)] } ?? [])
            + funnel.discountCost.flatMap(cost)
            + [row("discountCost", "slotsWithoutCost", funnel.slotsWithoutCost)] + lift(funnel.holdoutLift)
            + saveRate(funnel.saveRate)
    }

    private static func counts(
        _ section: String, _ counts: [FunnelWords.Count], _ funnel: OfferFunnel
    ) -> [[CSVTable.Cell]] {
        counts.map { row(section, $0.measure, $0.value(funnel)) }
    }

    private static func reason(_ reason: OfferFunnel.Reason) -> [[CSVTable.Cell]] {
        [
            row("reasons.\(reason.verdict)", reason.rule, reason.customers, fact: reason.fact),
            row("reasons.\(reason.verdict).alone", reason.rule, reason.alone, fact: reason.fact),
        ]
    }

    private static func cost(_ cost: OfferFunnel.Cost) -> [[CSVTable.Cell]] {
        [("issued", cost.issued), ("redeemed", cost.redeemed), ("refunded", cost.refunded)].map { measure, amount in
            [.text("discountCost"), .text(measure), .empty, .number(amount), .text(cost.currency)]
        }
    }

    private static func lift(_ lift: HoldoutLift) -> [[CSVTable.Cell]] {
        let section = "holdoutLift.\(lift.outcome)"
        let groups = [("treated", lift.treated), ("heldOut", lift.heldOut)].flatMap { name, group in
            [
                row(section, "\(name).customers", group.customers), row(section, "\(name).active", group.active),
                row(section, "\(name).undetermined", group.undetermined),
            ]
        }
        return groups + [
            row(section, "difference", lift.difference.map(decimal)),
            row(section, "lower", lift.interval.map { decimal($0.lower) }),
            row(section, "upper", lift.interval.map { decimal($0.upper) }),
        ]
    }

    private static func saveRate(_ rate: SaveRate) -> [[CSVTable.Cell]] {
        let section = "saveRate.\(rate.definition)"
        return [
            row(section, "judged", rate.judged), row(section, "saved", rate.saved),
            row(section, "undetermined", rate.undetermined), row(section, "pending", rate.pending),
            row(section, "rate", rate.rate.map(decimal)),
        ]
    }

    /// A share with six decimals: not every spreadsheet reads an exponent.
    private static func decimal(_ share: Double) -> String {
        let millionths = Int(saturating: (share * 1_000_000).rounded())
        let fraction = String(millionths.magnitude % 1_000_000)
        let zeros = String(repeating: "0", count: max(0, 6 - fraction.count))
        return "\(millionths < 0 ? "-" : "")\(millionths.magnitude / 1_000_000).\(zeros)\(fraction)"
    }

    private static func row(
        _ section: String, _ measure: String, _ value: (some CustomStringConvertible)?, fact: String? = nil
    ) -> [CSVTable.Cell] {
        [.text(section), .text(measure), .text(fact), .number(value), .empty]
    }
}
