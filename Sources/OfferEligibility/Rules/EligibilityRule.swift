import OfferModel

/// The offer's own condition: one finding whose children are the nodes of the condition.
struct EligibilityRule: Rule {
    let id = RuleId.ruleEligibility

    func finding(_ context: RuleContext) -> Finding {
        guard let condition = context.offer.eligibility else {
            return notApplicable("the offer has no condition of its own")
        }
        let reader = FactReader(question: context.question, subject: context.subject)
        return Condition(reader: reader, timeline: ConditionTimeline(condition, context: context)).judge(condition)
            .finding
    }
}
