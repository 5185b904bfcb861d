/// Where an offer is between its draft and its end, as it is for everyone: the rules of single customers are not in it.
public enum OfferStanding: String, Sendable, Hashable, CaseIterable {
    /// Not issued yet, or not in this environment.
    case draft
    /// Active, with a start to come.
    case scheduled
    case running
    /// Kept back by a pause; it would be issued, or begin, without it.
    case paused
    /// Of each of its products, a use is more than is left of a total or a budget.
    case exhausted
    /// Archived, or its end has passed.
    case ended

    /// The first of these that applies: ended, draft, paused, scheduled, exhausted, running.
    ///
    /// A pause comes before what is used up, because someone has to decide about it first; what is left is shown
    /// beside it. A pause that is over when the offer starts keeps nothing back, so the offer is scheduled.
    ///
    /// - Parameters:
    ///   - pause: what keeps the offer back at that instant.
    ///   - isExhausted: ``SharedAllowance/isExhausted(_:_:of:)``.
    public init(
        _ offer: Offer, in environment: AppStoreEnvironment, at now: Instant, pause: PauseTerm? = nil,
        isExhausted: Bool = false
    ) {
        let start = offer.starts.flatMap { now < $0 ? $0 : nil }
        if offer.status == .archived || offer.ends.map({ $0 <= now }) ?? false {
            self = .ended
        } else if offer.status == .draft || !offer.environments.contains(environment) {
            self = .draft
        } else if let pause, start.map({ start in pause.until.map { start < $0 } ?? true }) ?? true {
            self = .paused
        } else if start != nil {
            self = .scheduled
        } else {
            self = isExhausted ? .exhausted : .running
        }
    }
}

/// How long a pause lasts.
public struct PauseTerm: Sendable, Hashable {
    /// The instant from which it is over; `nil` if someone has to lift it.
    public var until: Instant?

    public init(until: Instant?) { self.until = until }
}

/// How much of a total or a budget everyone together has taken.
public struct SharedAllowance: Sendable, Hashable {
    public var limit: SharedLimit
    /// Places, or milliunits.
    public var taken: Int64

    public init(_ limit: SharedLimit, taken: Int64) { (self.limit, self.taken) = (limit, taken) }

    /// Never negative, also where more than allowed is taken.
    public var remaining: Int64 { max(0, limit.allowed.saturatingSubtracting(taken)) }

    /// Whether a use on a product fits; one whose cost in the budget's currency is unknown does, as far as this says.
    private func fits(_ offer: Offer, on product: Product) -> Bool {
        switch limit.unit {
        case .places: return remaining >= 1
        case .money(let currency):
            guard let cost = offer.cost(on: product), cost.currency == currency else { return true }
            return taken.saturatingAdding(cost.milliunits) <= limit.allowed
        }
    }

    /// Whether no use of an offer fits any more, on any of its products.
    ///
    /// - Parameter products: those of the catalog; one that it lacks is left out.
    public static func isExhausted(_ allowances: [SharedAllowance], _ products: [Product], of offer: Offer) -> Bool {
        let own = products.filter { offer.products.contains($0.productId) }
        guard !allowances.isEmpty else { return false }
        guard !own.isEmpty else { return allowances.contains { $0.remaining == 0 } }
        return own.allSatisfy { product in !allowances.allSatisfy { $0.fits(offer, on: product) } }
    }
}

/// What was redeemed of an offer lately, and when its limits are used up if that goes on.
///
/// Only redemptions are counted: most of what is issued stops counting within a day without being used.
public struct OfferPace: Sendable, Hashable {
    /// How far back redemptions are counted.
    public static let window = 14 * Instant.Duration.day
    /// From fewer redemptions no pace is told.
    public static let leastRedemptions = 10
    /// The first of them has to be so long ago.
    public static let leastSpan = 3 * Instant.Duration.day
    /// An end beyond this is none.
    public static let horizon = 365 * Instant.Duration.day

    public var redemptions: Int
    /// The nominal cost of these, in milliunits by currency.
    public var spent: [String: Int64]
    /// The earliest of them.
    public var first: Instant?

    public init(redemptions: Int = 0, spent: [String: Int64] = [:], first: Instant? = nil) {
        (self.redemptions, self.spent, self.first) = (redemptions, spent, first)
    }

    /// When nothing of an allowance is left, if as much is redeemed per unit of time as from the first of these
    /// redemptions until now.
    ///
    /// - Returns: `nil` if too little was redeemed to tell, or nothing of this kind; if nothing is left already; and if
    ///   the end is not before the offer's own, or not within ``horizon``.
    public func end(of allowance: SharedAllowance, offer: Offer, at now: Instant) -> Instant? {
        guard redemptions >= Self.leastRedemptions, let first, allowance.remaining > 0 else { return nil }
        let span = now.milliseconds(since: first)
        let redeemed: Int64
        switch allowance.limit.unit {
        case .places: redeemed = Int64(redemptions)
        case .money(let currency): redeemed = spent[currency] ?? 0
        }
        guard span >= Self.leastSpan, redeemed > 0 else { return nil }
        let left = Int64(clamping: Int128(allowance.remaining) * Int128(span) / Int128(redeemed))
        guard left <= Self.horizon else { return nil }
        let end = now.adding(milliseconds: left)
        return offer.ends.map { end < $0 } ?? true ? end : nil
    }
}
