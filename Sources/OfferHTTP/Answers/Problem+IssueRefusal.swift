import OfferAPI
import OfferApplication
import OfferModel

extension Problem {
    /// A refusal, with as much as the caller's role may see.
    init(_ refusal: IssueRefusal, offerId: OfferId, role: Role, locale: String?) {
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
                ? Self.missing(refusal, for: role)
                : "`GET /v1/decisions/{id}` with a `support` key explains every rule of `decisionId`")
        document.decisionId = refusal.decisionId
        document.findings = refusal.decision.findings.bodies(for: role, appSignals: refusal.appSignals)
        document.turningPoint = refusal.outlook.turningPoint.map(TurningPointBody.init)
        document.customerAnswer = Explanation(refusal.decision, outlook: refusal.outlook).customerAnswer(in: locale)
        document.introductoryEligibility = refusal.introductoryEligibility
        document.ignored = refusal.ignored
    }

    private static func missing(_ refusal: IssueRefusal, for role: Role) -> String? {
        let reasons = refusal.decision.findings.filter { $0.verdict == .undetermined }.flatMap(\.undeterminedReasons)
        let missing = MissingFacts(refusal.decision.findings, for: role, appSignals: refusal.appSignals)
        var advice: [String] = []
        if !missing.signals.isEmpty {
            advice.append(
                "send `signals` with \(list(missing.signals)), of the type that the offer's condition compares")
        }
        if missing.backendsSignals {
            advice.append("signals that the catalog's `appSignals` does not list are for a backend to send")
        }
        if !missing.attributes.isEmpty {
            advice.append(
                "set the customer's attributes (`PUT /v1/customers/attributes`) with \(list(missing.attributes)), of the "
                    + "type that the offer's condition compares")
        }
        if missing.backendsAttributes { advice.append("the customer's attributes are for a backend to set") }
        if reasons.contains(.deviceUnknown) || reasons.contains(.textUnreadable) {
            advice.append("state the device in `request` as the offer's condition compares it")
        }
        let events = Set(refusal.decision.findings.filter { $0.verdict == .undetermined }.flatMap(\.awaitedEvents))
        if events.contains(.transactionReceived), refusal.isIntroductory {
            advice.append("send the customer's `signedAppTransaction`, which a new customer has too")
        }
        if events.contains(.historyCompleted) {
            advice.append(
                role == .app
                    ? "send all `signedTransactions` of `Transaction.all`, which show a used offer; that none is missing "
                        + "only Apple can tell, when the service fetches the history (`POST /v1/customers/refresh`), or a "
                        + "backend with `historyComplete`"
                    : "send all of the customer's signed transactions, with `historyComplete` set to `true`")
        } else if events.contains(.transactionReceived), !refusal.isIntroductory {
            advice.append("send the customer's `signedTransactions`")
        }
        if reasons.contains(.accountUnknown), role == .app {
            advice.append("a limit per account needs a customer token in `Customer-Token`, or a backend")
        }
        if events.contains(.renewalInfoReceived) { advice.append("send the customer's `signedRenewalInfo`") }
        if refusal.introductoryEligibility != nil {
            advice.append(
                "until then pass `introductoryEligibility` to StoreKit, which knows nothing of the catalog's terms")
        } else if refusal.isIntroductory, events.contains(.historyCompleted) {
            advice.append("until then StoreKit applies Apple's own rules by itself: buy without a statement")
        }
        return advice.isEmpty ? nil : advice.joined(separator: "; ")
    }

    /// Names in a sentence: "`plan` and `seats`".
    private static func list(_ names: [String]) -> String {
        let quoted = names.map { "`\($0)`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension IssueRefusal {
    fileprivate var isIntroductory: Bool {
        decision.findings.contains { $0.rule == .introductoryTransactionKnown }
    }
}

extension Finding {
    /// The reasons of the nodes at the ends of the tree that could not be told.
    fileprivate var undeterminedReasons: [ReasonCode] {
        guard let children, !children.isEmpty else { return [reason] }
        return children.filter { $0.verdict == .undetermined }.flatMap(\.undeterminedReasons)
    }

    /// The events for which those nodes wait.
    fileprivate var awaitedEvents: [TurningEvent] {
        guard let children, !children.isEmpty else { return turningPoint?.event.map { [$0] } ?? [] }
        return children.filter { $0.verdict == .undetermined }.flatMap(\.awaitedEvents)
    }
}
