import OfferAPI
import OfferEligibility
import OfferModel

/// Decisions in plain words. A pure function of the answer: the same findings always read the same.
struct DecisionText: Sendable {
    /// Colours or none.
    let palette: Palette
    /// What "in 9 days" counts from.
    let now: Instant

    /// One decision with every finding, those that decide it first.
    func explanation(_ decision: DecisionBody) -> String {
        let findings = decision.findings.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }
        let text = FindingText(palette: palette, now: now)
        return ([verdict(decision), ""] + findings.flatMap { text.lines($0.element) }).joined(separator: "\n")
    }

    /// Every decision with only what stands against it, then the best offer.
    func overview(_ body: DecisionsBody) -> String {
        guard !body.decisions.isEmpty else { return "the catalog has no offers" }
        let text = FindingText(palette: palette, now: now)
        let blocks = body.decisions.map { decision in
            ([verdict(decision)] + decision.findings.filter { rank($0) < 2 }.flatMap { text.lines($0) })
                .joined(separator: "\n")
        }
        let best = body.best.map { "best offer: \($0.rawValue.printable)" } ?? "no offer for this customer now"
        return (blocks + [palette.paint(best, .heading)]).joined(separator: "\n\n")
    }

    private func verdict(_ decision: DecisionBody) -> String {
        let (words, role): (String, Palette.Role) =
            switch Outcome(rawValue: decision.outcome) {
            case .eligible: ("eligible", .good)
            case .ineligible: ("not eligible", .bad)
            case .undetermined: ("undetermined: what is known does not decide, so nothing would be signed", .unsure)
            case nil: (decision.outcome.printable, .unsure)
            }
        return palette.paint(decision.offerId.rawValue.printable, .heading) + ": " + palette.paint(words, role)
    }

    private func rank(_ finding: FindingBody) -> Int {
        switch Verdict(rawValue: finding.verdict) {
        case .violated: 0
        case .undetermined, nil: 1
        case .satisfied: 2
        case .notApplicable: 3
        }
    }
}
