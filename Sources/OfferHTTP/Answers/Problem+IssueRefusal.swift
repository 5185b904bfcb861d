import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension Problem {
    /// A refusal, with as much as the caller's role may see.
    init(_ refusal: IssueRefusal, offerId: OfferId, role: Role) {
        let isUndetermined = refusal.decision.outcome == .undetermined
        let verdict: Verdict = isUndetermined ? .undetermined : .violated
        let causes = refusal.decision.findings.filter { $0.verdict == verdict }
            .map { "`\($0.rule.rawValue)` (\($0.reason.rawValue))" }.joined(separator: ", ")
        self.init(
            isUndetermined ? .undetermined : .notEligible,
            isUndetermined
                ? "there is not enough information to decide `\(offerId)`: \(causes)"
                : "the customer may not have `\(offerId)`: \(causes)",
            hint: isUndetermined
                ? Self.missing(refusal.decision)
                : "`POST /v1/decisions` with a `support` key explains every rule")
        document.decisionId = refusal.decisionId
        document.findings = refusal.decision.findings.bodies(for: role)
        document.turningPoint = refusal.outlook.turningPoint.map(TurningPointBody.init)
        document.introductoryEligibility = refusal.introductoryEligibility
    }

    /// What would help to decide, by what is not known.
    private static func missing(_ decision: Decision) -> String {
        let reasons = decision.findings.filter { $0.verdict == .undetermined }.flatMap(\.undeterminedReasons)
        var advice: [String] = []
        if reasons.contains(.signalMissing) || reasons.contains(.typeMismatch) {
            advice.append("send the `signals` that the offer's condition compares, each of its type")
        }
        if reasons.contains(.attributeMissing) {
            advice.append("set the customer's attributes that the offer's condition compares")
        }
        if reasons.contains(.deviceUnknown) || reasons.contains(.textUnreadable) {
            advice.append("state the device in `request` as the offer's condition compares it")
        }
        let ofTheCaller: Set<ReasonCode> = [
            .signalMissing, .typeMismatch, .attributeMissing, .deviceUnknown, .textUnreadable,
        ]
        if reasons.contains(where: { !ofTheCaller.contains($0) }) {
            advice.append(
                "send the customer's signed transactions and renewal info, and `historyComplete` if none is missing")
        }
        return advice.joined(separator: "; ")
    }
}

extension Finding {
    /// The reasons of the nodes at the ends of the tree that could not be told.
    fileprivate var undeterminedReasons: [ReasonCode] {
        guard let children, !children.isEmpty else { return [reason] }
        return children.filter { $0.verdict == .undetermined }.flatMap(\.undeterminedReasons)
    }
}
