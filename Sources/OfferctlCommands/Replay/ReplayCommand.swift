import ArgumentParser
import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Decide again what was decided when an offer was issued, and show what differs.",
        discussion: """
            Everything that the decision saw was recorded: the moment, the history and limits as they were, the pauses and \
            signals. The same code decides it again, by the same revision of the catalog or by the one named, and writes \
            nothing. Needs a key with the role support.

            Exit status: 0 if the decision is the same, 1 if anything differs.

            Example:
              offerctl replay 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
              offerctl replay 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90 --catalog-revision 5
            """)

    @OptionGroup var issued: IssuedOfferArgument

    @Option(help: ArgumentHelp("Decide by this revision of the catalog instead.", valueName: "revision"))
    var catalogRevision: Int?

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        try checkRevision(catalogRevision)
    }

    func run() async throws {
        let text = ReplayText(palette: answer.output.palette)
        let body = try await answer.show { client in
            try await client.post(
                "/v1/issued-offers/\(issued.id)/replay", ReplayRequestBody { $0.catalogRevision = catalogRevision },
                as: DecisionReplay.self)
        } text: { body in
            text.comparison(body)
        }
        if let warning = text.warning(body) { Console.note(warning) }
        if !body.differences.isEmpty { throw CommandFailure.answeredNo }
    }
}

/// A replayed decision for people: what was decided, how it comes out now, and what differs.
struct ReplayText {
    let palette: Palette

    func comparison(_ body: DecisionReplay) -> String {
        let same = body.differences.isEmpty
        let moment = TimeText.absolute(body.decidedAt)
        let name = palette.paint(body.offerId.rawValue.printable, .heading)
        let heads = [
            "\(name): \(outcome(body.recorded.outcome)) by revision \(body.recorded.catalogRevision) of the catalog",
            "  decided          \(moment)",
            "  decided again    by \(revision(body)): "
                + (same ? palette.paint("it comes out the same", .good) : outcome(body.recomputed.outcome)),
            "  decision         \(body.decisionId)",
        ]
        guard !same else { return heads.joined(separator: "\n") }
        return (heads + [""] + table(body.differences).lines(palette)).joined(separator: "\n")
    }

    /// The hint about a decision that its own catalog does not reproduce; `nil` where nothing is wrong.
    func warning(_ body: DecisionReplay) -> String? {
        guard !body.differences.isEmpty, isSameRevision(body) else { return nil }
        return
            "warning: the same catalog should give the same decision: another version of offerd may decide otherwise, "
            + "so tell the team"
    }

    private func isSameRevision(_ body: DecisionReplay) -> Bool {
        body.recorded.catalogRevision == body.recomputed.catalogRevision
    }

    private func revision(_ body: DecisionReplay) -> String {
        isSameRevision(body) ? "the same revision" : "revision \(body.recomputed.catalogRevision)"
    }

    private func table(_ differences: [ReplayDifference]) -> TextTable {
        let shown = differences.filter { !isCoveredBySentence($0, differences) }
        return TextTable(
            ["RULE", "WHAT", "THEN", "NOW"],
            rows: shown.map { difference in
                let place = difference.path.map { " [\($0)]" } ?? ""
                return [
                    difference.rule.map { $0 + place }, member(difference.member),
                    value(difference, difference.recorded), value(difference, difference.recomputed),
                ]
            })
    }

    /// A sentence that differs already covers its reason's code and its evidence.
    private func isCoveredBySentence(_ difference: ReplayDifference, _ all: [ReplayDifference]) -> Bool {
        ["reason", "evidence"].contains(difference.member)
            && all.contains {
                $0.member == "message" && $0.rule == difference.rule && $0.path == difference.path
            }
    }

    /// The member in the word that dry-runs and `offerctl test` use.
    private func member(_ member: String) -> String {
        switch member {
        case "message": "sentence"
        case "turningPoint": "changes"
        case "evidence": "seen"
        default: member
        }
    }

    private func value(_ difference: ReplayDifference, _ value: String?) -> String? {
        guard let value else { return difference.member == "turningPoint" ? "never by itself" : nil }
        switch difference.member {
        case "outcome": return Outcome(rawValue: value) == .ineligible ? "not eligible" : value
        case "verdict", "finding": return FindingWords.verdict(value)
        case "turningPoint":
            if let event = TurningEvent(rawValue: value) { return "when \(event.clause)" }
            return Instant(iso8601: value).map(TimeText.absolute) ?? value
        default: return TimeText.readable(value)
        }
    }

    private func outcome(_ outcome: String) -> String {
        switch Outcome(rawValue: outcome) {
        case .eligible: palette.paint("eligible", .good)
        case .ineligible: palette.paint("not eligible", .bad)
        case .undetermined: palette.paint("undetermined", .unsure)
        case nil: palette.paint(outcome.printable, .unsure)
        }
    }
}
