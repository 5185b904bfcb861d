/// Answers a question from the known facts: the one evaluator of dry-run, issuing, simulation and replay (invariant 4).
///
/// Evaluates every rule of the policy that concerns the offer's kind, also after one is violated. Rules of another kind
/// of offer leave no finding.
public func decide(_ question: Question, facts: SubjectFacts, policy: Policy = .standard) -> Decision {
    decide(question, about: PreparedSubject(facts, policy: policy))
}

/// The same for one of several questions about a subject.
public func decide(_ question: Question, about subject: PreparedSubject) -> Decision {
    Decision(subject.context(question))
}

/// The same with its outlook.
public func decideAhead(
    _ question: Question, about subject: PreparedSubject
) -> (decision: Decision, outlook: Outlook) {
    let context = subject.context(question)
    let decision = Decision(context)
    return (decision, decision.outlook(context, about: subject))
}

extension Decision {
    init(_ context: RuleContext) {
        var findings: [Finding] = []
        findings.reserveCapacity(context.policy.rules.count)
        let offer = context.offer
        for rule in context.policy.rules where rule.concerns(offer) { findings.append(rule.finding(context)) }
        if context.grant != nil || context.waitingGrant != nil,
            let rule = context.policy.rules.first(where: { $0.id == .grantApplied })
        {
            findings.append(rule.finding(context))
            findings.lift()
        }
        self.init(findings: findings)
    }
}

/// The answer to a question, with every rule's finding.
public struct Decision: Sendable, Hashable {
    public var outcome: Outcome
    public var findings: [Finding]

    /// Draws the outcome from the findings: any violated is ineligible, else any undetermined is undetermined, else
    /// eligible. What a grant has lifted is neither.
    public init(findings: [Finding]) {
        self.findings = findings
        outcome = .eligible
        // By place: a finding has many members.
        for place in findings.indices {
            switch findings[place].verdict {
            case .violated: outcome = .ineligible
            case .undetermined where outcome == .eligible: outcome = .undetermined
            case .undetermined, .satisfied, .notApplicable, .lifted: break
            }
        }
    }
}

public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    case eligible
    case ineligible
    /// Information is missing; then nothing is signed (invariant 3).
    case undetermined
}
