import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

/// Decisions in plain words. A pure function of the answer: the same findings always read the same.
struct DecisionText {
    let palette: Palette
    let now: Instant

    /// One decision; of its findings those that decide it come first.
    func explanation(_ decision: DecisionBody, detail: DetailLevel = .full) -> String {
        let findings = FindingWords.inOrder(decision.findings)
        let head = [verdict(decision)] + change(decision).map { "    " + $0 }
        let text = FindingText(
            palette: palette, now: now, showsFacts: detail == .full,
            isFinal: decision.turningPoint == nil && decision.explanation?.change != nil)
        switch detail {
        case .brief:
            return ([verdict(decision)] + brief(decision)).joined(separator: "\n")
        case .normal:
            // A grant, and what it lifts, explains an answer that the rules do not.
            let deciding = findings.filter { FindingWords.rank($0) < 3 || $0.rule == RuleId.grantApplied.rawValue }
            return (head + answer(decision) + deciding.flatMap { text.lines($0) }).joined(separator: "\n")
        case .full:
            return (head + answer(decision) + [""] + findings.flatMap { text.lines($0) }).joined(
                separator: "\n")
        }
    }

    /// A recorded decision, with when and for what it was made.
    func recorded(_ body: RecordedDecisionBody, detail: DetailLevel) -> String {
        var fields = FieldList()
        fields.add("decided", TimeText.absolute(body.decidedAt))
        fields.add("product", body.productId.rawValue)
        fields.add("catalog", "revision \(body.catalogRevision)")
        let heading = palette.paint(body.decisionId.description, .heading)
        return ([heading] + fields.lines(palette, indent: 2) + ["", explanation(body.decision, detail: detail)])
            .joined(separator: "\n")
    }

    func overview(_ body: DecisionsBody, detail: DetailLevel = .brief) -> String {
        guard !body.decisions.isEmpty else { return "the catalog has no offers" }
        let blocks = body.decisions.map { explanation($0, detail: detail) }
        let reason = body.bestReason.map { " (\($0.printable))" } ?? ""
        let best = body.best.map { palette.paint("best offer: \($0.rawValue.printable)", .heading) + reason }
        return (blocks + [best ?? palette.paint("no offer for this customer now", .heading)])
            .joined(separator: "\n\n")
    }

    /// How old the data is that was decided on, if that is long enough for something to have changed.
    func age(_ body: DecisionsBody) -> String {
        guard let asOf = body.dataAsOf, now.milliseconds(since: asOf) >= Self.notableAge else { return "" }
        let age =
            "purchase data as of \(TimeText.relative(asOf, now: now)); to fetch newer: `offerctl customers refresh`"
        return "\n\n" + palette.paint(age, .quiet)
    }

    private static let notableAge = Instant.Duration.hour

    /// Why, when it changes, and what to tell the customer. To a `client` key the server does not explain, so then it
    /// is what blocks the offer.
    private func brief(_ decision: DecisionBody) -> [String] {
        guard let sentence = decision.explanation?.sentence else {
            let text = FindingText(palette: palette, now: now, showsFacts: false)
            return change(decision).map { "    " + $0 }
                + answer(decision) + decision.findings.filter { FindingWords.rank($0) < 2 }.flatMap { text.lines($0) }
        }
        let lines =
            [TimeText.readable(sentence.printable)] + change(decision)
        return lines.map { "    " + $0 } + answer(decision)
    }

    private func answer(_ decision: DecisionBody) -> [String] {
        decision.explanation.map { ["    to the customer: " + $0.customerAnswer.printable] } ?? []
    }

    private func change(_ decision: DecisionBody) -> [String] {
        if let instant = decision.turningPoint?.at {
            let word = decision.outcome == Outcome.eligible.rawValue ? "until" : "from"
            return ["eligible \(word) \(TimeText.absolute(instant, now: now)) if nothing else changes"]
        }
        if let change = decision.explanation?.change { return [TimeText.readable(change.printable)] }
        guard let event = decision.turningPoint?.event else { return [] }
        return ["not eligible until " + (TurningEvent(rawValue: event)?.clause ?? "`\(event)` happens".printable)]
    }

    private func verdict(_ decision: DecisionBody) -> String {
        let (words, role): (String, Palette.Role) =
            switch Outcome(rawValue: decision.outcome) {
            case .eligible: ("eligible", .good)
            case .ineligible: ("not eligible", .bad)
            case .undetermined: ("undetermined: information is missing, so no offer would be signed", .unsure)
            case nil: (decision.outcome.printable, .unsure)
            }
        return palette.paint(decision.offerId.rawValue.printable, .heading) + ": " + palette.paint(words, role)
    }
}
