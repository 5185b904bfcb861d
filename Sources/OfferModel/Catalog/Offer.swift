/// One offer of the catalog (docs/catalog.md).
public struct Offer: Sendable, Hashable {
    /// Our own stable name.
    public var id: OfferId
    /// What kind of offer it is; frozen once issued.
    public var type: OfferType
    /// How it reaches the customer.
    public var delivery: Delivery
    /// Apple's name; absent for introductory offers only; frozen once issued.
    public var offerIdentifier: OfferIdentifier?
    /// The products it discounts, all of one group.
    public var products: [ProductId]
    /// How it is paid.
    public var paymentMode: PaymentMode
    /// The length of one of its periods.
    public var period: Period
    /// How many periods it lasts.
    public var periodCount: Int
    /// What is paid; absent for a free trial only.
    public var price: Money?
    /// Whether it may be issued.
    public var status: OfferStatus
    /// The first moment it may be issued.
    public var starts: Instant?
    /// The moment from which it may no longer be issued.
    public var ends: Instant?
    /// Its rank among several eligible offers; larger wins.
    public var priority: Int
    /// Names that limits of other offers can count across.
    public var tags: [String]
    /// Where it may be issued.
    public var environments: Set<AppStoreEnvironment>
    /// The offer's own condition; none means everyone whom the platform's rules allow.
    public var eligibility: RuleNode?
    /// How long the offer stays open to a customer once the condition first held.
    public var availableFor: Period?
    /// Every limit must hold; none is unlimited.
    public var limits: [Limit]
    /// How long after a redemption of this offer it may not be issued again.
    public var coolDown: Period?
    /// Offers after which this one is never issued.
    public var excludes: [OfferId]
    /// The share of customers who may get it.
    public var rollout: Rollout?
    /// The signatures it may be issued with, the default first; empty unless `delivery` is `signature`.
    public var formats: [SignatureFormat]
    /// How many signings one slot may hold.
    public var signaturesPerOffer: Int
    /// The conditions App Store Connect knows for a win-back offer.
    public var winBackTerms: WinBackTerms?

    /// The number of signings of one slot unless the catalog says otherwise.
    public static let defaultSignaturesPerOffer = 3

    /// An active promotional offer without conditions; callers set what differs.
    public init(
        id: OfferId, type: OfferType, delivery: Delivery, offerIdentifier: OfferIdentifier?, products: [ProductId],
        paymentMode: PaymentMode, period: Period, periodCount: Int, price: Money? = nil, limits: [Limit]
    ) {
        self.id = id
        self.type = type
        self.delivery = delivery
        self.offerIdentifier = offerIdentifier
        self.products = products
        self.paymentMode = paymentMode
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.limits = limits
        status = .active
        priority = 0
        tags = []
        environments = [.production, .sandbox, .localTesting]
        excludes = []
        formats = delivery == .signature ? [.v2] : []
        signaturesPerOffer = Self.defaultSignaturesPerOffer
    }
}

/// What kind of offer it is.
public enum OfferType: String, Sendable, Hashable, CaseIterable, Codable {
    /// For customers who have never used one in the group.
    case introductory
    /// For customers who have or had a subscription in the app.
    case promotional
    /// For customers whose subscription has lapsed.
    case winBack
}

/// How an offer reaches the customer.
public enum Delivery: String, Sendable, Hashable, CaseIterable, Codable {
    /// A signed promotional offer, V1 or V2.
    case signature
    /// A signed statement whether the introductory offer may be used.
    case introductoryEligibility
    /// Apple's own win-back offer, which has no signature.
    case appStore
}

/// How an offer is paid.
public enum PaymentMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Nothing is paid.
    case freeTrial
    /// A reduced price each period.
    case payAsYouGo
    /// One payment for the whole offer.
    case payUpFront
}

/// Whether an offer may be issued.
public enum OfferStatus: String, Sendable, Hashable, CaseIterable, Codable {
    /// Not yet.
    case draft
    /// Yes, within its dates.
    case active
    /// No longer.
    case archived
}

/// An encoding of a promotional offer's signature.
public enum SignatureFormat: String, Sendable, Hashable, CaseIterable, Codable {
    /// The signed string of StoreKit's original API, for iOS 12.2 and later.
    case v1
    /// The compact JWS of the current API, for iOS 15 and later.
    case v2
}

/// The share of customers who may get an offer.
public struct Rollout: Sendable, Hashable {
    /// The percentage in the rollout, 0 to 100.
    public var percent: Double
    /// The percentage never given it, for comparison.
    public var holdout: Double
    /// Changes who is in; the offer's id unless set.
    public var salt: String?

    /// A share by its parts.
    public init(percent: Double, holdout: Double = 0, salt: String? = nil) {
        self.percent = percent
        self.holdout = holdout
        self.salt = salt
    }
}

/// App Store Connect's conditions of a win-back offer.
public struct WinBackTerms: Sendable, Hashable {
    /// At least so many paid months.
    public var paidSubscriptionDurationInMonths: Int?
    /// So many months since the subscription ended.
    public var timeSinceLastSubscribedInMonths: ClosedRange<Int>?
    /// So many months between two redemptions.
    public var waitBetweenOffersInMonths: Int?

    /// Conditions by their parts.
    public init(
        paidSubscriptionDurationInMonths: Int? = nil, timeSinceLastSubscribedInMonths: ClosedRange<Int>? = nil,
        waitBetweenOffersInMonths: Int? = nil
    ) {
        self.paidSubscriptionDurationInMonths = paidSubscriptionDurationInMonths
        self.timeSinceLastSubscribedInMonths = timeSinceLastSubscribedInMonths
        self.waitBetweenOffersInMonths = waitBetweenOffersInMonths
    }
}

/// How often an offer may be issued (docs/design.md#issued-offers-and-limits).
public enum Limit: Sendable, Hashable {
    /// So many slots per customer, within a window if there is one.
    case perCustomer(count: Int, window: Period?, across: Across)
    /// So many slots in all.
    case total(count: Int)
    /// So much nominal discount in all.
    case budget(Money)

    /// Which offers' slots a limit counts.
    public enum Across: Sendable, Hashable {
        /// This offer's.
        case thisOffer
        /// Every offer's.
        case all
        /// Those of every offer with that tag.
        case tag(String)
    }
}

/// Where a slot stands.
public enum SlotState: String, Sendable, Hashable, CaseIterable, Codable {
    /// It holds a place and may be asked for signatures.
    case open
    /// Apple's history shows its use.
    case redeemed
    /// It stopped counting without a use.
    case expired
    /// Support withdrew it.
    case voided
}
