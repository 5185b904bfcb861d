import OfferModel

/// An offer while it is redeemed: how its payments are made and marked.
struct PlayedOffer {
    let type: TransactionOfferType
    let identifier: OfferIdentifier?
    let discountType: OfferDiscountType
    /// How long one payment lasts.
    let period: Period
    let price: Int64
    let currency: String?
    /// The length of the whole offer.
    let whole: Period
    /// How many of its payments are still to be made.
    var paymentsLeft: Int

    /// A free introductory period.
    init(trialOf length: Period, currency: String?) {
        type = .introductory
        identifier = nil
        discountType = .freeTrial
        period = length
        price = 0
        self.currency = currency
        whole = length
        paymentsLeft = 1
    }

    /// An offer as a scenario spells it: only "pay as you go" is paid period by period.
    init(_ step: ScenarioStep.Redeem, currency: String?) {
        type = step.type.offerType
        identifier = step.offerIdentifier
        whole = step.period.multiplied(by: step.periodCount)
        price = step.price?.milliunits ?? 0
        self.currency = step.price?.currency ?? currency
        switch step.paymentMode {
        case .freeTrial:
            (discountType, period, paymentsLeft) = (.freeTrial, whole, 1)
        case .payUpFront:
            (discountType, period, paymentsLeft) = (.payUpFront, whole, 1)
        case .payAsYouGo:
            (discountType, period, paymentsLeft) = (.payAsYouGo, step.period, step.periodCount)
        }
    }

    /// What is left after one payment; `nil` once it is used up.
    var afterPayment: PlayedOffer? {
        guard paymentsLeft > 1 else { return nil }
        var next = self
        next.paymentsLeft -= 1
        return next
    }
}
