/// One offer of the catalog (docs/catalog.md).
public struct Offer: Sendable, Hashable {
    public var id: OfferId
    /// The ids it had before, the oldest first: what was issued under them counts as issued of this offer.
    public var formerly: [OfferId] = []
    /// Its type; frozen once issued.
    public var type: OfferType
    public var delivery: Delivery
    /// Apple's name; absent for introductory offers only; frozen once issued.
    public var offerIdentifier: OfferIdentifier?
    /// The products it discounts, all of one group.
    public var products: [ProductId]
    /// The plan of its products that it discounts; `nil` if none of them lists plans.
    public var billingPlan: BillingPlanType?
    public var paymentMode: PaymentMode
    /// The length of one of its periods.
    public var period: Period
    public var periodCount: Int
    /// The price; absent for a free trial only.
    public var price: Money?
    public var status: OfferStatus
    public var starts: Instant?
    /// The moment from which it may no longer be issued.
    public var ends: Instant?
    /// Its rank among several eligible offers; larger wins.
    public var priority: Int
    /// Names that limits of other offers can count across.
    public var tags: [String]
    public var environments: Set<AppStoreEnvironment>
    /// The offer's own condition; without one, every customer that Apple's rules allow.
    public var eligibility: RuleNode?
    /// How long the offer stays open to a customer once the condition first held.
    public var availableFor: Period?
    /// Every limit must hold; none is unlimited.
    public var limits: [Limit]
    /// How long after a redemption of this offer it may not be issued again.
    public var coolDown: Period?
    /// How long after the end of its last use in the group an introductory offer is given again, although Apple would
    /// not; absent to follow Apple.
    public var again: Period?
    /// Offers after which this one is never issued.
    public var excludes: [OfferId]
    public var rollout: Rollout?
    /// The signatures it may be issued with, the default first; empty unless `delivery` is `signature`.
    public var formats: [SignatureFormat]
    public var signaturesPerOffer: Int
    public var winBackTerms: WinBackTerms?

    public static let defaultSignaturesPerOffer = 3
    /// How long a signature may be used, in milliseconds: Apple's for V1 ("Generating a signature for promotional
    /// offers"), an assumption for the others (docs/design.md#issued-offers-and-limits).
    public static let signatureLife = 24 * Instant.Duration.hour
    /// How long an issued offer counts beyond its newest signature, in milliseconds.
    public static let countingTail = Instant.Duration.hour

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
        environments = Set(AppStoreEnvironment.allCases)
        excludes = []
        formats = delivery == .signature ? [.v2] : []
        signaturesPerOffer = Self.defaultSignaturesPerOffer
    }
}

extension Offer {
    /// Whether a limit counts the uses of an app account, so that a request must name one.
    public var hasAccountLimit: Bool {
        limits.contains { limit in if case .perAccount = limit { true } else { false } }
    }

    /// Whether what was issued or redeemed before can keep it from a customer.
    public var isLimited: Bool { !limits.isEmpty || !excludes.isEmpty }

    /// Every id it has or had, the oldest first. One that it has again is where it was.
    public var ids: [OfferId] {
        if formerly.isEmpty { return [id] }
        return formerly.contains(id) ? formerly : formerly + [id]
    }

    /// The salt of draws, so that a rename changes no customer's draw.
    public var firstId: OfferId { formerly.first ?? id }

    public func has(_ id: OfferId) -> Bool { self.id == id || formerly.contains(id) }
}

public enum OfferType: String, Sendable, Hashable, CaseIterable, Codable {
    /// For customers who have never used one in the group.
    case introductory
    /// For customers who have or had a subscription in the app.
    case promotional
    /// For customers whose subscription has lapsed.
    case winBack
}

public enum Delivery: String, Sendable, Hashable, CaseIterable, Codable {
    /// A signed promotional offer, V1 or V2.
    case signature
    /// A signed statement whether the introductory offer may be used.
    case introductoryEligibility
    /// Apple's own win-back offer, which has no signature.
    case appStore
}

public enum PaymentMode: String, Sendable, Hashable, CaseIterable, Codable {
    case freeTrial, payAsYouGo, payUpFront
}

public enum OfferStatus: String, Sendable, Hashable, CaseIterable, Codable {
    case draft, active, archived
}

public enum SignatureFormat: String, Sendable, Hashable, CaseIterable, Codable {
    /// The signed string of StoreKit's original API, for iOS 12.2 and later.
    case v1
    /// The compact JWS of the current API, for iOS 15 and later.
    case v2

    public static let all = Set(allCases)
}

/// The share of customers who may get an offer.
public struct Rollout: Sendable, Hashable {
    /// The percentage in the rollout, 0 to 100.
    public var percent: Double
    /// The percentage never given it, for comparison.
    public var holdout: Double
    /// Changes who is in; the offer's first id unless set.
    public var salt: String?

    public init(percent: Double, holdout: Double = 0, salt: String? = nil) {
        self.percent = percent
        self.holdout = holdout
        self.salt = salt
    }
}

/// App Store Connect's conditions of a win-back offer.
public struct WinBackTerms: Sendable, Hashable {
    public var paidSubscriptionDurationInMonths: Int?
    public var timeSinceLastSubscribedInMonths: ClosedRange<Int>?
    public var waitBetweenOffersInMonths: Int?

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
    case perCustomer(count: Int, window: Period?, across: Across)
    /// Per account of the app, whichever Apple Accounts use it.
    case perAccount(count: Int, window: Period?)
    case total(count: Int)
    /// So much nominal discount in all.
    case budget(Money)

    public enum Across: Sendable, Hashable {
        case thisOffer
        case all
        case tag(String)
    }
}

extension Limit: CustomStringConvertible {
    /// `1 per customer in P90D across all offers`, `10000 in all`.
    public var description: String {
        switch self {
        case .perCustomer(let count, let window, let across):
            "\(count) per customer" + (window.map { " in \($0)" } ?? "") + across.words
        case .perAccount(let count, let window): "\(count) per account" + (window.map { " in \($0)" } ?? "")
        case .total(let count): "\(count) in all"
        case .budget(let money): "\(money) in all"
        }
    }
}

extension Limit.Across {
    fileprivate var words: String {
        switch self {
        case .thisOffer: ""
        case .all: " across all offers"
        case .tag(let tag): " across tag `\(tag)`"
        }
    }
}

public enum IssuedOfferState: String, Sendable, Hashable, CaseIterable, Codable {
    /// It counts toward limits, and further signatures may be issued.
    case open
    /// Apple's history shows that it was used.
    case redeemed
    /// It stopped counting unused.
    case expired
    /// Support voided it.
    case voided
}

public indirect enum RuleNode: Sendable, Hashable {
    case all([RuleNode])
    case any([RuleNode])
    case not(RuleNode)
    case comparison(Comparison)

    /// The names of the facts that it reads.
    public var facts: Set<String> {
        switch self {
        case .all(let nodes), .any(let nodes): nodes.reduce(into: []) { $0.formUnion($1.facts) }
        case .not(let node): node.facts
        case .comparison(let comparison): [comparison.fact]
        }
    }
}

public struct Comparison: Sendable, Hashable {
    public var fact: String
    public var comparisonOperator: ComparisonOperator
    /// One value, two for `between` (both inclusive), any number for `in` and `notIn`; true or false for `exists`.
    public var operands: [FactValue]

    public init(fact: String, comparisonOperator: ComparisonOperator, operands: [FactValue]) {
        self.fact = fact
        self.comparisonOperator = comparisonOperator
        self.operands = operands
    }
}

/// How a fact is compared; the names are those of the catalog file.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable, Codable {
    case `is`
    case isNot
    case `in`
    case notIn
    case atLeast
    case atMost
    case moreThan
    case lessThan
    case between
    case exists
}
