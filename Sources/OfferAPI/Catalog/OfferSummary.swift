public import OfferModel

/// `GET /v1/offers`: one offer of the catalog in force, without its condition.
///
/// Members that older servers do not send are optional.
package struct OfferSummary: WireObject {
    package var offerId: OfferId = ""
    package var formerly: [OfferId]?
    package var type: OfferType = .promotional
    package var status: OfferStatus = .active
    package var starts: Instant?
    package var ends: Instant?
    /// Its rank; larger wins.
    package var priority = 0
    package var paused = false
    /// How it is for everyone.
    package var standing = OfferStanding.running
    /// What keeps it back, if anything does.
    package var pause: OfferPauseBody?
    package var terms: Terms?
    package var tags: [String]?
    package var availableFor: Period?
    package var again: Again?
    package var coolDown: Period?
    package var excludes: [OfferId]?
    package var rollout: Rollout?
    package var limits: [Allowance]?
    package var used: Used?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("again", &again)
        members.optional("availableFor", &availableFor)
        members.optional("coolDown", &coolDown)
        members.optional("ends", &ends)
        members.optional("excludes", &excludes)
        members.optional("formerly", &formerly)
        members.optional("limits", &limits)
        members.required("offerId", &offerId)
        members.optional("pause", &pause)
        members.required("paused", &paused)
        members.required("priority", &priority)
        members.optional("rollout", &rollout)
        members.required("standing", &standing)
        members.optional("starts", &starts)
        members.required("status", &status)
        members.optional("tags", &tags)
        members.optional("terms", &terms)
        members.required("type", &type)
        members.optional("used", &used)
    }

    /// What customers get, by the catalog; what they pay is set in App Store Connect.
    package struct Terms: WireObject {
        package var delivery: Delivery = .signature
        package var offerIdentifier: OfferIdentifier?
        package var products: [ProductId] = []
        /// The name of the plan that it discounts; absent if its products list none.
        package var billingPlan: String?
        package var paymentMode: PaymentMode = .freeTrial
        package var period: Period = .blank
        package var periodCount = 0
        package var price: Price?

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.optional("billingPlan", &billingPlan)
            members.required("delivery", &delivery)
            members.optional("offerIdentifier", &offerIdentifier)
            members.required("paymentMode", &paymentMode)
            members.required("period", &period)
            members.required("periodCount", &periodCount)
            members.optional("price", &price)
            members.required("products", &products)
        }
    }

    /// When an introductory offer is given again, after the last one ended.
    package struct Again: WireObject {
        package var after: Period = .blank

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("after", &after)
        }
    }

    /// A limit, with the keys of the catalog.
    package struct Allowance: WireObject {
        package var count: Int?
        /// `customer` or `account`; absent for a limit across all customers.
        package var per: String?
        package var window: Period?
        /// `all` or `tag:<name>`; absent for this offer alone.
        package var across: String?
        package var spend: String?
        package var currency: String?
        /// Of a total: the uses that it counts, and how many more it allows.
        package var used: Int?
        package var remaining: Int?
        /// Of a budget: what it counts as spent, and how much more it allows, as decimals.
        package var spent: String?
        package var unspent: String?
        /// When nothing is left of a total or a budget at the pace of the last days; absent if that cannot be told.
        package var usedUpAt: Instant?

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.optional("across", &across)
            members.optional("count", &count)
            members.optional("currency", &currency)
            members.optional("per", &per)
            members.optional("remaining", &remaining)
            members.optional("spend", &spend)
            members.optional("spent", &spent)
            members.optional("unspent", &unspent)
            members.optional("used", &used)
            members.optional("usedUpAt", &usedUpAt)
            members.optional("window", &window)
        }

        /// Sets how much of it is taken.
        package mutating func note(_ allowance: SharedAllowance, usedUpAt: Instant?) {
            self.usedUpAt = usedUpAt
            switch allowance.limit.unit {
            case .places: (used, remaining) = (Int(clamping: allowance.taken), Int(clamping: allowance.remaining))
            case .money(let currency):
                spent = Money(milliunits: allowance.taken, currency: currency).amount
                unspent = Money(milliunits: allowance.remaining, currency: currency).amount
            }
        }
    }

    /// What all customers together have used: issued offers that count, and redemptions.
    package struct Used: WireObject {
        package var uses = 0
        /// Of these, the issued offers without a redemption; absent from older servers, as is the next.
        package var issued: Int?
        package var redeemed: Int?
        /// Of `redeemed`, those that only purchases show, without an offer issued here; absent from older servers.
        package var notIssuedHere: Int?
        /// The nominal discount of these, by currency.
        package var spent: [Price] = []

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.optional("issued", &issued)
            members.optional("notIssuedHere", &notIssuedHere)
            members.optional("redeemed", &redeemed)
            members.required("spent", &spent)
            members.required("uses", &uses)
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
        terms = Terms { terms in
            terms.delivery = offer.delivery
            terms.offerIdentifier = offer.offerIdentifier
            terms.products = offer.products
            terms.billingPlan = offer.billingPlan?.name
            terms.paymentMode = offer.paymentMode
            terms.period = offer.period
            terms.periodCount = offer.periodCount
            terms.price = offer.price.map(Price.init)
        }
        tags = offer.tags
        availableFor = offer.availableFor
        again = offer.again.map { after in Again { $0.after = after } }
        coolDown = offer.coolDown
        excludes = offer.excludes
        rollout = offer.rollout
        limits = offer.limits.map(Allowance.init)
        self.used = used
    }
}

extension OfferStanding: WireWord {}

/// The pause that keeps an offer back: who paused, since when, until when and why.
package struct OfferPauseBody: WireObject {
    /// The id of the API key that paused, or the command that did.
    package var actor = ""
    /// That key's label, if it has one.
    package var actorLabel: String?
    /// The name of the person who used the key at the console, if they gave one.
    package var person: String?
    /// This offer, every offer, or after a restore new uses of offers with a limit.
    package var covers = Cover.offer
    package var reason: String?
    /// When it was set as it is now.
    package var since: Instant = .blank
    /// The instant from which it is over by itself; absent if it has to be lifted.
    package var until: Instant?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("actor", &actor)
        members.optional("actorLabel", &actorLabel)
        members.required("covers", &covers)
        members.optional("person", &person)
        members.optional("reason", &reason)
        members.required("since", &since)
        members.optional("until", &until)
    }

    package enum Cover: String, CaseIterable, WireWord {
        case offer, everyOffer, limitedOffers

        package init(_ pause: Pause) {
            self =
                switch pause {
                case .none, .offer: .offer
                case .everyOffer: .everyOffer
                case .limitedOffers: .limitedOffers
                }
        }
    }
}

extension Rollout: WireObject {
    public init() { self.init(percent: 0) }

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("holdout", &holdout)
        members.required("percent", &percent)
        members.optional("salt", &salt)
    }
}

extension OfferSummary.Allowance {
    fileprivate init(_ limit: Limit) {
        self.init()
        switch limit {
        case .perCustomer(let count, let window, let across):
            (self.count, per, self.window) = (count, "customer", window)
            switch across {
            case .thisOffer: break
            case .all: self.across = "all"
            case .tag(let tag): self.across = "tag:\(tag)"
            }
        case .perAccount(let count, let window): (self.count, per, self.window) = (count, "account", window)
        case .total(let count): self.count = count
        case .budget(let money): (spend, currency) = (money.amount, money.currency)
        }
    }
}
