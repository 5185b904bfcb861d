import OfferModel

/// The offer has a place left under every limit in all (docs/design.md#issued-offers-and-limits).
///
/// Counted are the issued offers that count and the redemptions of everyone, known late or without an issued offer too.
/// The customer's own open issued offer does not count against itself.
struct LimitTotalRule: Rule {
    let id = RuleId.limitTotal

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.totals
        return finding(on: limits, none: "the offer has no limit in all", place: \.index) { $0.finding(self, context) }
    }
}
