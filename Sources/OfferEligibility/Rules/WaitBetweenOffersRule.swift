import OfferModel

/// So many months have passed since the customer's last use of the same offer ended: calendar months in UTC from the end
/// of its last period (Apple: `customerEligibilityWaitBetweenOffersInMonths`).
struct WaitBetweenOffersRule: WinBackMonthRule {
    let id = RuleId.winBackWaitBetweenOffers

    func term(of terms: WinBackTerms) -> Int? { terms.waitBetweenOffersInMonths }

    func judge(_ months: Int, _ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        let last = context.use.redemptions.max { ($0.ends, $0.firstEvidence) < ($1.ends, $1.firstEvidence) }
        let evidence = last.map { seen(months, $0, context.now) } ?? []
        let doubt = context.subject.doubt(about: group)
        if let last {
            let free = last.ends.adding(months: months)
            if context.now < free {
                return violated(
                    .redeemedTooRecently,
                    "the last use of the offer ended on \(last.ends.day); \(months) months must pass",
                    evidence: evidence, turningPoint: doubt?.bringing.map(TurningPoint.event) ?? .at(free))
            }
        }
        if let doubt {
            return undetermined(
                doubt, "no use of the offer within \(months) months is known, but \(doubt.explanation)",
                evidence: evidence)
        }
        let ended = last?.ends
        return satisfied(
            (ended.map { "the last use of the offer ended on \($0.day)" } ?? "the offer was never used")
                + "; \(months) months must pass", evidence: evidence)
    }

    private func seen(_ months: Int, _ last: Redemption, _ now: Instant) -> [Evidence] {
        [
            Evidence(
                field: "waitBetweenOffersInMonths", observed: .number(max(0, now.months(since: last.ends))),
                required: .number(months)),
            Evidence(
                field: "redemption", observed: .instant(last.ends), provenance: last.provenance,
                transactionId: last.namedTransaction),
        ]
    }
}

extension Redemption {
    /// What never began ended when it was shown.
    fileprivate var ends: Instant { offerEnds ?? firstEvidence }
}
