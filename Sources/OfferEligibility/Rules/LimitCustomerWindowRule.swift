import OfferModel

/// The customer has a place left under every limit per customer with a window (docs/design.md#issued-offers-and-limits).
///
/// What counts without a window counts here as long as it is younger than the window: a slot, redeemed or not, by the
/// moment it was issued; a redemption without a slot by its first evidence.
struct LimitCustomerWindowRule: Rule {
    let id = RuleId.limitCustomerWindow

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.windowLimits
        return finding(on: limits, none: "the offer has no such limit per customer", place: \.index) {
            $0.finding(self, context)
        }
    }
}
