import OfferModel

/// The customer has paid for at least so many months of the group's subscriptions, free trials left out and gaps
/// notwithstanding (Apple: `customerEligibilityPaidSubscriptionDurationInMonths`).
struct PaidDurationRule: WinBackMonthRule {
    let id = RuleId.winBackPaidDuration

    func term(of terms: WinBackTerms) -> Int? { terms.paidSubscriptionDurationInMonths }

    func judge(_ least: Int, _ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        let paid = context.subject.paidTime(of: group)
        let evidence = [
            Evidence(
                field: "paidSubscriptionDurationInMonths", observed: .number(paid.months), required: .number(least)),
            Evidence(field: "subscription.paidPeriods", observed: .number(paid.periods)),
        ]
        if paid.months >= least {
            return satisfied("paid for \(paid.months.inMonths), at least \(least) asked for", evidence: evidence)
        }
        if let doubt = context.subject.doubt(about: group) ?? (paid.isPartial ? .valueUnknown : nil) {
            return undetermined(
                doubt,
                "known to be paid for \(paid.months.inMonths), at least \(least) asked for, but \(doubt.explanation)",
                evidence: evidence)
        }
        return violated(
            .paidTooShort, "paid for \(paid.months.inMonths), at least \(least) asked for", evidence: evidence,
            turningPoint: .event(.subscriptionBought))
    }
}
