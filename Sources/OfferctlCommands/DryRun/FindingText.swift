import OfferAPI
import OfferEligibility
import OfferModel

/// One finding in plain words: what was found, what was seen and required, where that comes from, and when it changes.
struct FindingText: Sendable {
    /// Colours or none.
    let palette: Palette
    /// What "in 9 days" counts from.
    let now: Instant

    /// The finding's lines, its children's indented below; children are told by their place in the condition.
    func lines(_ finding: FindingBody, depth: Int = 0) -> [String] {
        let label = depth == 0 ? finding.rule : finding.path ?? finding.rule
        let title =
            "\(mark(finding)) \(sentence(finding, isRoot: depth == 0))  "
            + palette.paint("[\(label.printable)]", .quiet)
        let details = (finding.evidence ?? []).map(EvidenceText.line) + change(finding, isRoot: depth == 0)
        let indent = String(repeating: " ", count: depth * 4)
        return [indent + title] + details.map { indent + "    " + $0 }
            + (finding.children ?? []).flatMap { lines($0, depth: depth + 1) }
    }

    private func mark(_ finding: FindingBody) -> String {
        switch Verdict(rawValue: finding.verdict) {
        case .satisfied: palette.paint("✓", .good)
        case .violated: palette.paint("✗", .bad)
        case .undetermined, nil: palette.paint("?", .unsure)
        case .notApplicable: palette.paint("–", .quiet)
        }
    }

    /// The server's sentence; to a `client` key it gives none, then what the rule asks for and the reason's code.
    private func sentence(_ finding: FindingBody, isRoot: Bool) -> String {
        if let group = GroupText.sentence(finding, isRoot: isRoot) { return group }
        if let message = finding.message { return message.printable }
        let question = RuleId(rawValue: finding.rule)?.requirement ?? finding.rule
        return "\(question) (`\(finding.reason)`)".printable
    }

    private func change(_ finding: FindingBody, isRoot: Bool) -> [String] {
        let holds = finding.verdict == Verdict.satisfied.rawValue
        if let instant = finding.turningPoint?.at {
            return [(holds ? "holds until " : "would change on ") + TimeText.absolute(instant, now: now)]
        }
        if let event = finding.turningPoint?.event {
            let words = TurningEvent(rawValue: event)?.clause ?? "`\(event)` happens".printable
            return [(holds ? "holds until " : "would change when ") + words]
        }
        // Only where support would wait for it: a final no is worth saying, a part of a condition is not.
        let isFinalNo = isRoot && finding.verdict == Verdict.violated.rawValue && finding.message != nil
        return isFinalNo ? ["no date or event is known that would change this"] : []
    }
}
