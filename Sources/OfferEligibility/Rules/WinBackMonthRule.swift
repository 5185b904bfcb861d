import OfferModel

/// A rule over one of the numbers that App Store Connect knows of a win-back offer (`WinBackOffer` of the App Store
/// Connect API). How they are counted is this project's reading, because Apple publishes none (`docs/eligibility.md`).
///
/// It is judged where the offer states the number. It is set aside, its numbers kept as evidence, in Sandbox, where Apple
/// makes lapsed customers eligible at once, and where Apple's own list decides (docs/design.md#decisions).
protocol WinBackMonthRule: Rule {
    associatedtype Term

    /// The number, if the offer states it.
    func term(of terms: WinBackTerms) -> Term?

    /// The answer wherever the number counts.
    func judge(_ term: Term, _ context: RuleContext) -> Finding
}

extension WinBackMonthRule {
    func concerns(_ offer: Offer) -> Bool {
        offer.delivery == .appStore || offer.type == .winBack && offer.winBackTerms.flatMap(term) != nil
    }

    func finding(_ context: RuleContext) -> Finding {
        guard let term = context.offer.winBackTerms.flatMap(term) else {
            return notApplicable("the offer does not ask for it")
        }
        let judged = judge(term, context)
        if context.question.scope.environment == .sandbox {
            return notApplicable(
                "in Sandbox Apple makes lapsed customers eligible at once; else: \(judged.message)",
                evidence: judged.evidence)
        }
        if context.winBackList != nil {
            return notApplicable(
                "the App Store's own list decides; else: \(judged.message)", evidence: judged.evidence)
        }
        return judged
    }
}

extension Int {
    /// So many months, in words.
    var inMonths: String { self == 1 ? "1 month" : "\(self) months" }
}
