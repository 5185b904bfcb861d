package import OfferModel

/// `GET /v1/offers`: one offer of the catalog in force, without its condition.
///
/// Members that older servers do not send are optional.
package struct OfferSummary: Sendable, Hashable, Codable {
    package var offerId: OfferId
    package var formerly: [OfferId]?
    package var type: OfferType
    package var status: OfferStatus
    package var starts: Instant?
    package var ends: Instant?
    /// Its rank; larger wins.
    package var priority: Int
    package var paused: Bool
    package var terms: Terms?
    package var tags: [String]?
    package var availableFor: Period?
    package var again: Again?
    package var coolDown: Period?
    package var excludes: [OfferId]?
    package var rollout: Share?
    package var limits: [Allowance]?
    package var used: Used?

    /// What customers get, by the catalog; what they pay is set in App Store Connect.
    package struct Terms: Sendable, Hashable, Codable {
        package var delivery: Delivery
        package var offerIdentifier: OfferIdentifier?
        package var products: [ProductId]
        /// The name of the plan that it discounts; absent if its products list none.
        package var billingPlan: String?
        package var paymentMode: PaymentMode
        package var period: Period
        package var periodCount: Int
        package var price: Price?
    }

    /// When an introductory offer is given again, after the last one ended.
    package struct Again: Sendable, Hashable, Codable {
        package var after: Period
    }

    /// A rollout, in percent.
    package struct Share: Sendable, Hashable, Codable {
        package var percent: Double
        package var holdout: Double
        package var salt: String?
    }

    /// A limit, with the keys of the catalog.
    package struct Allowance: Sendable, Hashable, Codable {
        package var count: Int?
        /// `customer` or `account`; absent for a limit across all customers.
        package var per: String?
        package var window: Period?
        /// `all` or `tag:<name>`; absent for this offer alone.
        package var across: String?
        package var spend: String?
        package var currency: String?
    }

    /// What all customers together have used: issued offers that count, and redemptions.
    package struct Used: Sendable, Hashable, Codable {
        package var uses: Int
        /// The nominal discount of these, by currency.
        package var spent: [Price]

        package init(uses: Int, spent: [Price]) {
            self.uses = uses
            self.spent = spent
        }
    }

    package init(_ offer: Offer, paused: Bool, used: Used?) {
        offerId = offer.id
        formerly = offer.formerly.isEmpty ? nil : offer.formerly
        type = offer.type
        status = offer.status
        starts = offer.starts
        ends = offer.ends
        priority = offer.priority
        self.paused = paused
        terms = Terms(
            delivery: offer.delivery, offerIdentifier: offer.offerIdentifier, products: offer.products,
            billingPlan: offer.billingPlan?.name, paymentMode: offer.paymentMode, period: offer.period,
            periodCount: offer.periodCount, price: offer.price.map(Price.init))
        tags = offer.tags
        availableFor = offer.availableFor
        again = offer.again.map(Again.init)
        coolDown = offer.coolDown
        excludes = offer.excludes
        rollout = offer.rollout.map { Share(percent: $0.percent, holdout: $0.holdout, salt: $0.salt) }
        limits = offer.limits.map(Allowance.init)
        self.used = used
    }
}

extension OfferSummary.Allowance {
    fileprivate init(_ limit: Limit) {
        switch limit {
        case .perCustomer(let count, let window, let across):
            self.init(count: count, per: "customer", window: window)
            switch across {
            case .thisOffer: break
            case .all: self.across = "all"
            case .tag(let tag): self.across = "tag:\(tag)"
            }
        case .perAccount(let count, let window): self.init(count: count, per: "account", window: window)
        case .total(let count): self.init(count: count)
        case .budget(let money): self.init(spend: money.amount, currency: money.currency)
        }
    }
}
