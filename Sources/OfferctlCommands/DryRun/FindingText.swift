import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

/// One finding in plain words: what was found, what was seen and required, where that comes from, and when it changes.
struct FindingText {
    let palette: Palette
    let now: Instant
    /// Whether to show the raw facts below each sentence: what was seen and required, and where that comes from.
    let showsFacts: Bool
    /// Whether it was said of the decision that it will not change, so that its findings need not say so.
    var isFinal = false

    /// The finding's lines, its children's indented below; children are labelled with their place in the condition.
    ///
    /// - Parameter said: the sentence of the finding it belongs to, which is not repeated.
    func lines(_ finding: FindingBody, depth: Int = 0, said: String? = nil) -> [String] {
        let label = depth == 0 ? finding.rule : finding.path ?? finding.rule
        let sentence = sentence(finding, isRoot: depth == 0)
        let title =
            "\(mark(finding)) \(sentence == said ? "" : sentence + "  ")"
            + palette.paint("[\(label.printable)]", .quiet)
        let facts = showsFacts ? (finding.evidence ?? []).map(Self.line) : []
        let details = facts + (sentence == said ? [] : change(finding, isRoot: depth == 0))
        let indent = String(repeating: " ", count: depth * 4)
        // Where one of several limits decides, its sentence is that of all of them.
        let children = (finding.children ?? []).filter {
            showsFacts || self.sentence($0, isRoot: false) != sentence
        }
        return [indent + title] + details.map { indent + "    " + $0 }
            + children.flatMap { lines($0, depth: depth + 1, said: sentence) }
    }

    private func mark(_ finding: FindingBody) -> String {
        switch Verdict(rawValue: finding.verdict) {
        case .satisfied: palette.paint("✓", .good)
        case .violated: palette.paint("✗", .bad)
        case .undetermined, nil: palette.paint("?", .unsure)
        case .notApplicable: palette.paint("–", .quiet)
        case .lifted: palette.paint("○", .quiet)
        }
    }

    /// The server's sentence; to a `client` key it gives none, then what the rule asks for, the reason's code and what is
    /// missing.
    private func sentence(_ finding: FindingBody, isRoot: Bool) -> String {
        if let group = GroupText.sentence(finding, isRoot: isRoot) { return group }
        if let message = finding.message { return TimeText.readable(message.printable) }
        let question = RuleId(rawValue: finding.rule)?.requirement ?? finding.rule
        let missing = finding.missing.map { ": \($0.joined(separator: ", "))" } ?? ""
        return "\(question) (`\(finding.reason)`\(missing))".printable
    }

    private func change(_ finding: FindingBody, isRoot: Bool) -> [String] {
        if let change = FindingWords.change(finding, at: { TimeText.absolute($0, now: now) }) {
            return [change.printable]
        }
        // Only where support would wait for it: a final no is worth saying, a part of a condition is not.
        let isFinalNo = isRoot && !isFinal && finding.verdict == Verdict.violated.rawValue && finding.message != nil
        return isFinalNo ? ["this will not change"] : []
    }

    /// With how to see what a signal would do that the backend did not send.
    private static func line(_ evidence: EvidenceBody) -> String {
        var line = EvidenceText.line(evidence)
        if evidence.observed == nil, let name = FactVocabulary.signalName(evidence.field) {
            line += "; try one with `--signal \(name)=…`"
        }
        return line.printable
    }
}
