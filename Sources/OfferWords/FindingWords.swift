package import OfferAPI
package import OfferModel

/// A decision's findings in words.
package enum FindingWords {
    /// What keeps the offer back comes first, then what a grant lifts, then what holds.
    package static func inOrder(_ findings: [FindingBody]) -> [FindingBody] {
        findings.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }

    package static func rank(_ finding: FindingBody) -> Int {
        switch Verdict(rawValue: finding.verdict) {
        case .violated: 0
        case .undetermined, nil: 1
        case .lifted: 2
        case .satisfied: 3
        case .notApplicable: 4
        }
    }

    package static func verdict(_ verdict: String) -> String {
        switch Verdict(rawValue: verdict) {
        case .satisfied: "holds"
        case .violated: "does not hold"
        case .undetermined: "cannot be decided"
        case .notApplicable: "does not apply"
        case .lifted: "is lifted by a grant"
        case nil: verdict
        }
    }

    /// When a finding changes; `nil` where that cannot be said.
    ///
    /// - Parameter words: an instant in words.
    package static func change(_ finding: FindingBody, at words: (Instant) -> String) -> String? {
        let holds = finding.verdict == Verdict.satisfied.rawValue
        if let instant = finding.turningPoint?.at {
            return (holds ? "holds until " : "would change on ") + words(instant)
        }
        return finding.turningPoint?.event.map { event in
            (holds ? "holds until " : "would change when ")
                + (TurningEvent(rawValue: event)?.clause ?? "`\(event)` happens")
        }
    }
}

/// A group of an offer's condition in words. Its own message would repeat its members', which are shown below it.
package enum GroupText {
    /// The words for a finding with children; `nil` for one without, and for limits, whose own message is enough.
    package static func sentence(_ finding: FindingBody, isRoot: Bool) -> String? {
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

package enum EvidenceText {
    /// `subscription.daysSinceExpired: seen 12 days, required 30, 180 days; from signed data sent by the app`.
    package static func line(_ evidence: EvidenceBody) -> String {
        let unit = FactVocabulary.unit(evidence.field)
        let words = words(evidence.field)
        let seen = evidence.observed.map { "\(words.seen) \(text($0, unit))" } ?? "no known value"
        let required = evidence.required.map { ", \(words.required) \(text($0, unit))" } ?? ""
        let sources = [
            evidence.provenance.map(source), evidence.transactionId.map { "transaction \($0.rawValue)" },
        ].compactMap { $0 }
        let origin = sources.isEmpty ? "" : "; " + sources.joined(separator: ", ")
        return "\(evidence.field): \(seen)\(required)\(origin)"
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

    package static func text(_ value: FactValue) -> String {
        switch value {
        case .instant(let instant): TimeText.absolute(instant)
        case .text(let text): text.isEmpty ? "an empty text" : text
        case .number, .boolean, .money: value.description
        }
    }

    package static func source(_ provenance: Provenance) -> String {
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
