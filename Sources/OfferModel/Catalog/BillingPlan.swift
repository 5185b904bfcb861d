/// One way to pay for a product's period: in one payment, or monthly with a 12-month commitment (Apple: "Supporting
/// monthly subscriptions with a 12-month commitment").
public struct BillingPlan: Sendable, Hashable {
    public var type: BillingPlanType
    /// One payment.
    public var price: Money
    /// The sum of all payments for the period.
    public var commitmentPrice: Money

    public init(type: BillingPlanType, price: Money, commitmentPrice: Money) {
        self.type = type
        self.price = price
        self.commitmentPrice = commitmentPrice
    }

    /// The commitment of the plan `monthly`, which only products of this length have.
    public static let commitment = Period(months: 12)

    /// The sum of all payments of a commitment.
    public static func commitmentPrice(of payment: Money) -> Money {
        Money(
            milliunits: payment.milliunits.saturatingMultiplied(by: Int64(commitment.months)),
            currency: payment.currency)
    }
}

extension BillingPlanType {
    /// For messages: `monthly with a 12-month commitment`.
    public var words: String {
        switch self {
        case .billedUpfront: "billed up front"
        case .monthly: "monthly with a 12-month commitment"
        default: rawValue
        }
    }
}

extension Product {
    /// Whether customers can buy it with a plan; a product without a list is billed up front.
    public func has(_ plan: BillingPlanType) -> Bool {
        billingPlans.isEmpty ? plan == .billedUpfront : billingPlans.contains { $0.type == plan }
    }

    /// The product as customers of a plan pay for it: the price of one payment, for the time that one pays for.
    public func billed(by plan: BillingPlanType?) -> Product {
        guard plan == .monthly, let monthly = billingPlans.first(where: { $0.type == .monthly }) else { return self }
        var billed = self
        billed.price = monthly.price
        billed.period = Period(months: 1)
        return billed
    }
}
