import OfferModel

/// Every budget of the offer has enough left for one more use (docs/design.md#issued-offers-and-limits).
///
/// A use costs nominally what it saves the customer by the catalog's prices when it is issued, whatever becomes of it;
/// nothing is converted. A redemption without an issued offer costs what the catalog in force says of its product.
struct LimitBudgetRule: Rule {
    let id = RuleId.limitBudget

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.budgets
        return finding(on: limits, none: "the offer has no budget", place: \.index) { $0.finding(self, context) }
    }
}
