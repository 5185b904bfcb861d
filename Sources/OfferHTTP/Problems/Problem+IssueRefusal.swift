import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel

extension Problem {
    /// A reasoned no, shown as far as the caller's role may see it.
    init(_ refusal: IssueRefusal, offerId: OfferId, role: Role) {
        let isUndetermined = refusal.decision.outcome == .undetermined
        let verdict: Verdict = isUndetermined ? .undetermined : .violated
        let causes = refusal.decision.findings.filter { $0.verdict == verdict }
            .map { "`\($0.rule.rawValue)` (\($0.reason.rawValue))" }.joined(separator: ", ")
        self.init(
            isUndetermined ? .undetermined : .notEligible,
            isUndetermined
                ? "what is known does not decide `\(offerId)`: \(causes)"
                : "the customer may not have `\(offerId)`: \(causes)",
            hint: isUndetermined
                ? "send the customer's signed transactions and renewal info, and `historyComplete` if none is missing"
                : "`POST /v1/decisions` with a `support` key explains every rule")
        decisionId = refusal.decisionId
        findings = refusal.decision.findings.bodies(for: role)
        introductoryEligibility = refusal.introductoryEligibility.map(IntroductoryEligibilityBody.init)
    }
}
