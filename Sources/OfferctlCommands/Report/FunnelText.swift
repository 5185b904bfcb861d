import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

struct FunnelText {
    let palette: Palette

    func report(_ report: FunnelReport) -> String {
        let range = "\(TimeText.absolute(report.from)) until \(TimeText.absolute(report.to))"
        let head = "cohort: customers first evaluated from \(range), as of \(TimeText.absolute(report.asOf))"
        guard !report.offers.isEmpty else { return head + "\n\nthere are no offers" }
        return ([head] + report.offers.map { lines($0).joined(separator: "\n") }).joined(separator: "\n\n")
    }

    private func lines(_ funnel: OfferFunnel) -> [String] {
        let heading = palette.paint(funnel.offerId.rawValue.printable, .heading)
        guard funnel.stages.evaluated > 0 else {
            return [heading, "  no customer was first evaluated in this range"] + unknown(funnel)
        }
        let parts = [
            table(stages(funnel)), table(placements(funnel)),
            table(counts("NOT ISSUED", FunnelWords.notIssued, funnel)), table(reasons(funnel)),
            table(counts("REDEEMED", FunnelWords.redemptions, funnel)) + doubtful(funnel), cost(funnel),
            FunnelRateText.lift(funnel.holdoutLift), FunnelRateText.saveRate(funnel.saveRate).map(\.printable),
            unknown(funnel),
        ]
        return [heading] + parts.filter { !$0.isEmpty }.joined(separator: [""])
    }

    private func table(_ table: TextTable) -> [String] {
        table.isEmpty ? [] : table.lines(palette, indent: 2)
    }

    private func stages(_ funnel: OfferFunnel) -> TextTable {
        let counts = FunnelWords.stages.map { $0.value(funnel) }
        return TextTable(
            ["STAGE", "CUSTOMERS", "OF THE STAGE BEFORE", "WHO"], alignedRight: [1, 2], endsInDetail: true,
            rows: zip(FunnelWords.stages, zip(counts, [nil] + counts)).map { stage, count in
                [stage.name, String(count.0), FunnelRateText.share(count.0, of: count.1), stage.meaning]
            })
    }

    private func placements(_ funnel: OfferFunnel) -> TextTable {
        TextTable(
            ["PLACEMENT"] + FunnelWords.stages.map { $0.name.uppercased() },
            alignedRight: Set(1...FunnelWords.stages.count),
            rows: (funnel.placements ?? []).map { placement in
                [placement.placement?.printable ?? "not stated"]
                    + FunnelWords.stages.map { String($0.value(funnel.with(placement.stages))) }
            })
    }

    private func counts(_ heading: String, _ counts: [FunnelWords.Count], _ funnel: OfferFunnel) -> TextTable {
        TextTable(
            [heading, "CUSTOMERS", "WHO"], alignedRight: [1], endsInDetail: true,
            rows: counts.filter { $0.value(funnel) > 0 }.map { [$0.name, String($0.value(funnel)), $0.meaning] })
    }

    private func reasons(_ funnel: OfferFunnel) -> TextTable {
        TextTable(
            ["BLOCKED BY", "FACT", "VERDICT", "CUSTOMERS", "ONLY BY THIS"], alignedRight: [3, 4],
            rows: funnel.reasons.map { [$0.rule, $0.fact, $0.verdict, String($0.customers), String($0.alone)] })
    }

    private func cost(_ funnel: OfferFunnel) -> [String] {
        let lines = table(
            TextTable(
                ["DISCOUNT COST", "ISSUED", "REDEEMED", "OF THAT REFUNDED"], alignedRight: [1, 2, 3],
                rows: FunnelWords.costs(funnel)))
        return lines.isEmpty
            ? [] : lines + ["  nominal: the regular price minus the offer's, by the catalog of the issue"]
    }

    private func doubtful(_ funnel: OfferFunnel) -> [String] {
        let (doubled, alone) = (funnel.redemptions.doubled, funnel.redemptions.redeemedWithoutSlot)
        let byAnother = funnel.redemptions.redeemedByAnother
        return [
            doubled > 0 ? "  redemptions of an issued offer that was used before: \(doubled)" : nil,
            byAnother > 0 ? "  redemptions by another Apple account than the one it was issued to: \(byAnother)" : nil,
            funnel.redemptions.retention.map {
                "  redemptions of the App Store's own retention offers, in no stage: \($0)"
            },
            alone > 0 ? "  redemptions of offers issued elsewhere, in no stage: \(alone)" : nil,
            funnel.granted.map { "  granted by support, in no stage: \($0)" },
            funnel.slotsWithoutCost > 0
                ? "  issued offers whose discount is not in the catalog: \(funnel.slotsWithoutCost)" : nil,
        ].compactMap(\.self)
    }

    private func unknown(_ funnel: OfferFunnel) -> [String] {
        guard funnel.requestsOfUnknown > 0 else { return [] }
        return ["  requests about unknown customers, in no stage: \(funnel.requestsOfUnknown)"]
    }
}

extension OfferFunnel {
    /// The same with the stages of some of its customers.
    func with(_ stages: Stages) -> OfferFunnel {
        var funnel = self
        funnel.stages = stages
        return funnel
    }
}
