import CommandLineSupport
import OfferAPI
import OfferModel

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
        let facts = showsFacts ? (finding.evidence ?? []).map(EvidenceText.line) : []
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
        let holds = finding.verdict == Verdict.satisfied.rawValue
        if let instant = finding.turningPoint?.at {
            return [(holds ? "holds until " : "would change on ") + TimeText.absolute(instant, now: now)]
        }
        if let event = finding.turningPoint?.event {
            let words = TurningEvent(rawValue: event)?.clause ?? "`\(event)` happens".printable
            return [(holds ? "holds until " : "would change when ") + words]
        }
        // Only where support would wait for it: a final no is worth saying, a part of a condition is not.
        let isFinalNo = isRoot && !isFinal && finding.verdict == Verdict.violated.rawValue && finding.message != nil
        return isFinalNo ? ["this will not change"] : []
    }
}

/// A group of an offer's condition in words. Its own message would repeat its members', which are shown below it.
enum GroupText {
    /// The words for a finding with children; `nil` for one without, and for limits, whose own message is enough.
    static func sentence(_ finding: FindingBody, isRoot: Bool) -> String? {
        guard let first = finding.children?.first, first.path?.hasPrefix("limits[") != true else { return nil }
        let requirement = requirement(first.path ?? "")
        guard isRoot else { return requirement }
        let answer =
            switch Verdict(rawValue: finding.verdict) {
            case .satisfied: "holds"
            case .violated, .lifted: "does not hold"
            case .undetermined, .notApplicable, nil: "cannot be decided"
            }
        return "the offer's own condition \(answer): \(requirement)"
    }

    /// The kind of the group, from the last step of a member's path: `all[0]`, `any[1].not`.
    private static func requirement(_ path: String) -> String {
        let step = path.split(separator: ".").last ?? ""
        if step.hasPrefix("all[") { return "all of these must hold" }
        if step.hasPrefix("any[") { return "one of these must hold" }
        return "this must not hold"
    }
}

enum EvidenceText {
    /// `subscription.daysSinceExpired: seen 12 days, required 30, 180 days; from signed data sent by the app`.
    static func line(_ evidence: EvidenceBody) -> String {
        let unit = FactVocabulary.unit(evidence.field)
        let words = words(evidence.field)
        let seen = evidence.observed.map { "\(words.seen) \(text($0, unit))" } ?? "no known value"
        let required = evidence.required.map { ", \(words.required) \(text($0, unit))" } ?? ""
        let sources = [
            evidence.provenance.map(source), evidence.transactionId.map { "transaction \($0.rawValue)" },
        ].compactMap { $0 }
        let origin = sources.isEmpty ? "" : "; " + sources.joined(separator: ", ")
        return "\(evidence.field): \(seen)\(required)\(origin)\(trial(evidence))".printable
    }

    /// How to see what a signal would do that the backend did not send.
    private static func trial(_ evidence: EvidenceBody) -> String {
        guard evidence.observed == nil, let name = FactVocabulary.signalName(evidence.field) else { return "" }
        return "; try one with `--signal \(name)=…`"
    }

    /// "seen 1, required 1" beside a no would be confusing: where the field implies the comparison, name it.
    private static func words(_ field: String) -> (seen: String, required: String) {
        switch field {
        case "offer.starts": ("now", "must be at or after")
        case "offer.ends", "offer.availableFor": ("now", "must be before")
        case "offer.coolDown", "offer.again": ("now", "must be at or after")
        case "rollout.draw": ("drew", "must be below")
        case "holdout.draw": ("drew", "must be at least")
        case _ where field.hasPrefix("limit."): ("taken", "allowed")
        default: ("seen", "required")
        }
    }

    private static func text(_ value: EvidenceValue, _ unit: String?) -> String {
        let values: [FactValue] =
            switch value {
            case .value(let single): [single]
            case .list(let several): several
            }
        let words = values.isEmpty ? "nothing" : values.map(text).joined(separator: ", ")
        guard let unit, case .number(let last) = values.last else { return words }
        return "\(words) \(last == 1 && unit.hasSuffix("s") ? String(unit.dropLast()) : unit)"
    }

    static func text(_ value: FactValue) -> String {
        switch value {
        case .instant(let instant): TimeText.absolute(instant)
        case .text(let text): text.isEmpty ? "an empty text" : text
        case .number, .boolean, .money: value.description
        }
    }

    static func source(_ provenance: Provenance) -> String {
        switch provenance {
        case .notification: "from a signed App Store notification"
        case .client: "from signed data sent by the app"
        case .serverAPI: "from a signed answer of Apple's server"
        case .caller: "on the backend's word"
        case .receipt: "from a legacy receipt"
        case .operator: "entered by an operator"
        }
    }
}
