import OfferEligibility
import OfferModel

/// One thing that a recomputed decision says otherwise than the record.
public struct ReplayDifference: Sendable, Hashable {
    /// The rule whose finding differs; absent for the outcome.
    public var rule: String?
    /// Where in the offer's own condition.
    public var path: String?
    /// What differs: `outcome`, `finding`, `verdict`, `reason`, `message`, `evidence` or `turningPoint`.
    public var member: String
    /// As it was recorded; absent if there was none.
    public var recorded: String?
    /// As it comes out now; absent if there is none.
    public var recomputed: String?

    /// Everything that differs, in the order of the rules.
    static func between(_ recorded: Decision, _ recomputed: Decision) -> [ReplayDifference] {
        var differences: [ReplayDifference] = []
        if recorded.outcome != recomputed.outcome {
            differences.append(
                ReplayDifference(
                    member: "outcome", recorded: recorded.outcome.rawValue, recomputed: recomputed.outcome.rawValue))
        }
        compare(recorded.findings, recomputed.findings, into: &differences)
        return differences
    }

    private static func compare(
        _ recorded: [Finding], _ recomputed: [Finding], into differences: inout [ReplayDifference]
    ) {
        let now = Dictionary(recomputed.map { (FindingPlace($0), $0) }) { first, _ in first }
        let then = Set(recorded.map(FindingPlace.init))
        for finding in recorded {
            compare(finding, now[FindingPlace(finding)], into: &differences)
        }
        for finding in recomputed where !then.contains(FindingPlace(finding)) {
            compare(nil, finding, into: &differences)
        }
    }

    private static func compare(
        _ recorded: Finding?, _ recomputed: Finding?, into differences: inout [ReplayDifference]
    ) {
        func note(_ member: String, _ read: (Finding) -> String?) {
            let (then, now) = (recorded.flatMap(read), recomputed.flatMap(read))
            guard then != now, let finding = recorded ?? recomputed else { return }
            differences.append(
                ReplayDifference(
                    rule: finding.rule.rawValue, path: finding.path, member: member, recorded: then, recomputed: now))
        }
        guard let recorded, let recomputed else { return note("finding") { $0.verdict.rawValue } }
        note("verdict") { $0.verdict.rawValue }
        note("reason") { $0.reason.rawValue }
        note("message") { $0.message }
        note("evidence") { $0.evidence.map(\.words).joined(separator: "; ") }
        note("turningPoint") { $0.turningPoint.map(\.words) }
        compare(recorded.children ?? [], recomputed.children ?? [], into: &differences)
    }
}

/// Which of a decision's findings one is.
private struct FindingPlace: Hashable {
    let rule: RuleId
    let path: String?

    init(_ finding: Finding) {
        rule = finding.rule
        path = finding.path
    }
}

extension Evidence {
    /// All that it says, so that two pieces with the same words are the same.
    fileprivate var words: String {
        let parts = [
            observed.map { "is \($0.words)" }, required.map { "required \($0.words)" },
            provenance.map { "from \($0.rawValue)" }, transactionId.map { "transaction \($0)" },
        ]
        return ([field] + parts.compactMap(\.self)).joined(separator: ", ")
    }
}

extension EvidenceValue {
    fileprivate var words: String {
        switch self {
        case .value(let value): value.description
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        }
    }
}

extension TurningPoint {
    fileprivate var words: String {
        switch self {
        case .at(let instant): instant.description
        case .event(let event): event.rawValue
        }
    }
}
