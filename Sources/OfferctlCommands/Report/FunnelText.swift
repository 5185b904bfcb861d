import OfferAPI
import OfferModel

/// A funnel report for people.
struct FunnelText: Sendable {
    let palette: Palette

    /// Every offer with its tables.
    func report(_ report: FunnelReportBody) -> String {
        let range = "\(TimeText.absolute(report.from)) until \(TimeText.absolute(report.to))"
        let head = "first evaluated from \(range), as of \(TimeText.absolute(report.asOf))"
        guard !report.offers.isEmpty else { return head + "\n\nthere are no offers" }
        return ([head] + report.offers.map { lines($0).joined(separator: "\n") }).joined(separator: "\n\n")
    }

    private func lines(_ funnel: FunnelBody) -> [String] {
        let heading = palette.paint(funnel.offerId.rawValue.printable, .heading)
        guard funnel.stages.evaluated > 0 else {
            return [heading, "  nobody was first evaluated in this range"] + unknown(funnel)
        }
        let parts = [
            table(stages(funnel)), table(counts("NOT ISSUED", FunnelWords.notIssued, funnel)), table(reasons(funnel)),
            table(counts("REDEEMED", FunnelWords.redemptions, funnel)) + doubtful(funnel), table(cost(funnel)),
            FunnelRateText.lift(funnel.holdoutLift), FunnelRateText.saveRate(funnel.saveRate), unknown(funnel),
        ]
        return [heading] + parts.filter { !$0.isEmpty }.joined(separator: [""])
    }

    private func table(_ table: TextTable) -> [String] {
        table.isEmpty ? [] : table.lines(palette).map { "  " + $0 }
    }

    private func stages(_ funnel: FunnelBody) -> TextTable {
        var table = TextTable(["STAGE", "CUSTOMERS", "OF THE STAGE BEFORE", "WHO"], alignedRight: [1, 2])
        var before: Int?
        for stage in FunnelWords.stages {
            let count = stage.value(funnel)
            table.add([stage.name, String(count), FunnelRateText.share(count, of: before), stage.meaning])
            before = count
        }
        return table
    }

    private func counts(_ heading: String, _ counts: [FunnelWords.Count], _ funnel: FunnelBody) -> TextTable {
        var table = TextTable([heading, "CUSTOMERS", "WHO"], alignedRight: [1])
        for count in counts where count.value(funnel) > 0 {
            table.add([count.name, String(count.value(funnel)), count.meaning])
        }
        return table
    }

    private func reasons(_ funnel: FunnelBody) -> TextTable {
        var table = TextTable(["IN THE WAY", "FACT", "VERDICT", "CUSTOMERS", "NOTHING ELSE"], alignedRight: [3, 4])
        for reason in funnel.reasons {
            table.add([reason.rule, reason.fact, reason.verdict, String(reason.customers), String(reason.alone)])
        }
        return table
    }

    private func cost(_ funnel: FunnelBody) -> TextTable {
        var table = TextTable(["DISCOUNT COST", "ISSUED", "REDEEMED", "OF THAT REFUNDED"], alignedRight: [1, 2, 3])
        for cost in funnel.discountCost { table.add([cost.currency, cost.issued, cost.redeemed, cost.refunded]) }
        return table
    }

    private func doubtful(_ funnel: FunnelBody) -> [String] {
        let (doubled, alone) = (funnel.redemptions.doubled, funnel.redemptions.redeemedWithoutSlot)
        let byAnother = funnel.redemptions.redeemedByAnother
        return [
            doubled > 0 ? "  redemptions of a place that was used before: \(doubled)" : nil,
            byAnother > 0 ? "  redemptions by another Apple account than the one it was issued to: \(byAnother)" : nil,
            alone > 0 ? "  redemptions of nothing we issued, in no stage: \(alone)" : nil,
            funnel.slotsWithoutCost > 0
                ? "  issued offers whose discount the catalog does not tell: \(funnel.slotsWithoutCost)" : nil,
        ].compactMap(\.self)
    }

    private func unknown(_ funnel: FunnelBody) -> [String] {
        guard funnel.requestsOfUnknown > 0 else { return [] }
        return ["  requests about somebody unknown, in no stage: \(funnel.requestsOfUnknown)"]
    }
}
