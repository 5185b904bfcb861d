import OfferAPI
import OfferEligibility

/// A group of an offer's condition in words. Its own message repeats its members', which stand below it anyway.
enum GroupText {
    /// The words for a finding with children; `nil` for one without, and for limits, whose own message tells all.
    static func sentence(_ finding: FindingBody, isRoot: Bool) -> String? {
        guard let first = finding.children?.first, first.path?.hasPrefix("limits[") != true else { return nil }
        let requirement = requirement(first.path ?? "")
        guard isRoot else { return requirement }
        let answer =
            switch Verdict(rawValue: finding.verdict) {
            case .satisfied: "holds"
            case .violated: "does not hold"
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
