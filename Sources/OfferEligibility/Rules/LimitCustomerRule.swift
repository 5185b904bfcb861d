import OfferModel

/// The customer has a place left under every limit per customer that knows no window (docs/design.md#issued-offers-and-limits).
///
/// Redemptions count for ever, whether or not we issued them; slots count until `countsUntil`, voided ones too unless
/// released. The open slot of this offer does not count against itself.
struct LimitCustomerRule: Rule {
    let id = RuleId.limitCustomer

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.customerLimits
        return finding(on: limits, none: "the offer has no such limit per customer", place: \.index) {
            $0.finding(self, context)
        }
    }
}
