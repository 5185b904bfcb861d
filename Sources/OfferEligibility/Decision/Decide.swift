/// Answers a question from what is known: the one evaluator of dry-run, issuing, simulation and replay (invariant 4).
///
/// Evaluates every rule of the policy that concerns the offer's kind, also after one is violated. Rules of another kind
/// of offer leave no finding.
public func decide(_ question: Question, facts: SubjectFacts, policy: Policy = .standard) -> Decision {
    let context = RuleContext(question: question, facts: facts, policy: policy)
    return Decision(
        findings: policy.rules.filter { $0.concerns(question.offer) }.map { $0.finding(context) })
}
